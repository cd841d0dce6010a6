"""The latest record of each key, and what is kept of a log."""
