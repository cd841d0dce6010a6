"""Transactions: producers, markers, producer ids."""
