"""The broker: joins logs, coordinators and the wire."""

import barnabas.kernels  # noqa: F401 - it chooses the form of modules of this package
