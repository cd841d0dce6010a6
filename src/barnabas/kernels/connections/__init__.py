"""Bytes of sockets, and requests that a connection repeats."""
