"""Spark's Python processes."""
