"""A broker under virtual time: seeded faults on network, disk, clock and processes, and what must hold.

The broker's own code runs unchanged; only its ports are others. Not here: real sockets, files, time.
"""
