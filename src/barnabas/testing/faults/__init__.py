"""Faults that a test sets on its broker: which requests they hit, and what happens to those."""
