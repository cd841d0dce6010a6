"""`barnabas transactions`."""
