"""Inspect files of a log directory, also damaged ones."""
