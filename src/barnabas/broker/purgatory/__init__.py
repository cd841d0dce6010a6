"""Requests whose responses come later: they wait, or run in steps; and the memory that they take."""
