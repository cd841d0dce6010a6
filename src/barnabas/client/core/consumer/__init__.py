"""The machines of a consumer. No I/O."""
