"""The state machines of a producer. No I/O."""
