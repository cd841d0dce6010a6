"""Record: one message as a user of a consumer sees it. The class is a kernel's."""

from barnabas.kernels.batches.record import Record

__all__ = ["Record"]
