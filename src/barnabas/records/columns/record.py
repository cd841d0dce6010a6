"""Record: one message as consumers return it. The class is a kernel's."""

from barnabas.kernels.batches.record import Record

__all__ = ["Record"]
