"""The only package that touches the real world: clock, disk, sockets, signals."""
