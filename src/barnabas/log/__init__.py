"""One partition's log on disk, and all logs of a broker."""

import barnabas.kernels  # noqa: F401 - it chooses the form of modules of this package
