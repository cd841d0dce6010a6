"""The driver's machines; no I/O."""
