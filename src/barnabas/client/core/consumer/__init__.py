"""The state machines of a consumer. No I/O."""
