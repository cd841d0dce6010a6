"""The wire dialects of the broker."""
