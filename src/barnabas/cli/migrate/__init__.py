"""`barnabas migrate`."""
