"""The driver's state machines; no I/O."""
