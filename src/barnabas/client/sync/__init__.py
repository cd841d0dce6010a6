"""The driver for threads."""
