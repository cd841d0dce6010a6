"""Faults that a test injects: the requests they match, and their effects."""
