"""A client's model of one connection and one cluster. No I/O."""
