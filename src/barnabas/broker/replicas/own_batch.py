"""OwnBatch: records of the broker's own for one partition, gathered until they are written."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.errors import ErrorCode
from barnabas.kernels.batches.objects import RecordAppender
from barnabas.records.batches.batch import HEADER_SIZE
from barnabas.records.batches.builder import build
from barnabas.records.codecs.compression import Codec

_LARGEST = (1 << 31) - 1
"""What is decided at once is one batch: it counts whole or not at all."""
ENOUGH = 1 << 16
"""Bytes from which on others begin a batch of their own, so that a reader's memory stays small."""
_MOST_AROUND = 24
"""What a record has around its key and value, at most."""


class OwnBatch:
    """One batch of what many have decided at `now_ms`; the callback of each gets the outcome."""

    __slots__ = ("_untold", "codec", "now_ms", "records")

    def __init__(self, now_ms: int, codec: Codec = Codec.NONE) -> None:
        self.now_ms = now_ms
        self.codec = codec
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
        """Add a callback, but no record."""
        self._untold.append(on_written)

    @property
    def is_full(self) -> bool:
        """Whether the next one had better begin another."""
        return self.records.size >= ENOUGH

    def build(self, producer: tuple[int, int]) -> bytearray:
        """The batch, of the transaction of a producer (id, epoch). Can be called once."""
        return build(self.records, self.codec, None, (*producer, -1), transactional=True)

    def tell(self, code: ErrorCode) -> None:
        """Tell all, in their order, what became of it."""
        for on_written in self._untold:
            on_written(code)


def most_bytes(records: Sequence[CoordinatorRecord]) -> int:
    """No batch of these records is larger."""
    size = HEADER_SIZE + _MOST_AROUND * len(records)
    for key, value in records:
        size += len(key)
        if value:
            size += len(value)
    return size


def batch_bytes(records: Iterable[CoordinatorRecord]) -> int:
    """How large a batch of these records is."""
    batch = RecordAppender(_LARGEST)
    for key, value in records:
        batch.append(0, key, value, ())
    return batch.size


def parts(records: Iterable[CoordinatorRecord], limit: int) -> Iterator[list[CoordinatorRecord]]:
    """The records in as many batches as it takes that none is larger than `limit`, if that can be."""
    part: list[CoordinatorRecord] = []
    size = HEADER_SIZE
    for record in records:
        more = most_bytes((record,)) - HEADER_SIZE
        if part and size + more > limit:
            yield part
            part, size = [], HEADER_SIZE
        part.append(record)
        size += more
    if part:
        yield part
