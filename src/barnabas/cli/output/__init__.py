"""Rows, times and lines, readable for users and programs."""
