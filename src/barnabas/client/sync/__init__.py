"""The driver for plain threads."""
