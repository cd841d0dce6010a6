"""Rows, times and lines for people and for machines."""
