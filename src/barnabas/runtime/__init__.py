"""The only package with I/O: clock, disk, sockets, signals."""

import barnabas.kernels  # noqa: F401 - it chooses the form of modules of this package
