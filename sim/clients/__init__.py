"""Simulated clients: producers, transactions, administrators."""
