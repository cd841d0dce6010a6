"""Batches of magic 2."""
