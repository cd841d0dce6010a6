"""The only package with I/O: clock, disk, sockets, signals."""
