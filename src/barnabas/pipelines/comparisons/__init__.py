"""Whether two places have the same records."""
