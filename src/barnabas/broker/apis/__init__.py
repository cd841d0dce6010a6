"""One file per API: what it does, what it ignores, its version notes."""
