"""Transactions: producers, markers, ids."""
