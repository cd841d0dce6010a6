"""Classic groups: members agree among themselves who reads what."""
