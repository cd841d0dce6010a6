"""Batches of magic 2: found, checked, read record by record, and written."""
