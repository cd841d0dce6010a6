"""The machines of a producer. No I/O."""
