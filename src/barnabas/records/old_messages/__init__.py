"""Messages of magic 0 and 1."""
