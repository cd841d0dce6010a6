"""Bytes of records as what a person can read. No I/O, except for a schema registry."""
