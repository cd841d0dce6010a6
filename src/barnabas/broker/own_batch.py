"""OwnBatch: records of the broker's own for one partition, gathered until they are written."""

from collections.abc import Callable, Iterable

from barnabas.coordinators.shard import CoordinatorRecord
from barnabas.errors import ErrorCode
from barnabas.kernels.objects import RecordAppender
from barnabas.records.builder import build
from barnabas.records.compression import Codec

_LARGEST = (1 << 31) - 1
"""What is decided at once is one batch: it counts whole or not at all."""
_ENOUGH = 1 << 16
"""Bytes from which on others begin a batch of their own, so that a reader's memory stays small."""


class OwnBatch:
    """One batch of what many have decided at `now_ms`, each of whom is told what became of it."""

    __slots__ = ("_untold", "now_ms", "records")

    def __init__(self, now_ms: int) -> None:
        self.now_ms = now_ms
        self.records = RecordAppender(_LARGEST)
        self._untold: list[Callable[[ErrorCode], None]] = []

    def add(
        self,
        records: Iterable[CoordinatorRecord],
        on_written: Callable[[ErrorCode], None],
    ) -> None:
        """Add what one has decided."""
        append, now_ms = self.records.append, self.now_ms
        for key, value in records:
            append(now_ms, key, value, ())
        self._untold.append(on_written)

    def join(self, on_written: Callable[[ErrorCode], None]) -> None:
        """Have one told with the others that adds nothing."""
        self._untold.append(on_written)

    @property
    def is_full(self) -> bool:
        """Whether the next one had better begin another."""
        return self.records.size >= _ENOUGH

    def build(self, producer: tuple[int, int]) -> bytearray:
        """The batch, of the transaction of a producer (id, epoch). Can be called once."""
        return build(self.records, Codec.NONE, None, (*producer, -1), transactional=True)

    def tell(self, code: ErrorCode) -> None:
        """Tell all, in their order, what became of it."""
        for on_written in self._untold:
            on_written(code)
