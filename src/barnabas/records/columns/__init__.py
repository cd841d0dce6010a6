"""Records as columns: decoded and encoded in bulk."""
