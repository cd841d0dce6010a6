"""Open a log from its directory, whatever its state."""
