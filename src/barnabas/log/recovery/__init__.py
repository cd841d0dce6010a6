"""Open a log from its directory, whatever state it is in."""
