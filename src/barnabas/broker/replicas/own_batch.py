"""OwnBatch: a batch of the broker's own records for one partition, collected until it is written."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.errors import ErrorCode
from barnabas.kernels.batches.objects import RecordAppender
from barnabas.records.batches.batch import HEADER_SIZE
from barnabas.records.batches.builder import build
from barnabas.records.codecs.compression import Codec

_LARGEST = (1 << 31) - 1
"""The records of one request are one batch: all of them are committed, or none."""
ENOUGH = 1 << 16
"""Bytes from which on further records start a new batch, so that a reader's memory stays small."""
_MOST_AROUND = 24
"""The maximum number of bytes of a record besides its key and value."""


class OwnBatch:
    """One batch of records of several requests at `now_ms`; the callback of each gets the result."""

    __slots__ = ("_write_callbacks", "codec", "now_ms", "records")

    def __init__(self, now_ms: int, codec: Codec = Codec.NONE) -> None:
        self.now_ms = now_ms
        self.codec = codec
        self.records = RecordAppender(_LARGEST)
        self._write_callbacks: list[Callable[[ErrorCode], None]] = []

    def add(
        self,
        records: Iterable[CoordinatorRecord],
        on_written: Callable[[ErrorCode], None],
    ) -> None:
        """Add the records of one request."""
        append, now_ms = self.records.append, self.now_ms
        for key, value in records:
            append(now_ms, key, value, ())
        self._write_callbacks.append(on_written)

    def join(self, on_written: Callable[[ErrorCode], None]) -> None:
        """Add a callback, but no record."""
        self._write_callbacks.append(on_written)

    @property
    def is_full(self) -> bool:
        """Whether further records should start a new batch."""
        return self.records.size >= ENOUGH

    def build(self, producer: tuple[int, int]) -> bytearray:
        """The batch, of the transaction of a producer (id, epoch). Can be called once."""
        return build(self.records, self.codec, None, (*producer, -1), transactional=True)

    def tell(self, code: ErrorCode) -> None:
        """Call all callbacks, in order, with the result."""
        for on_written in self._write_callbacks:
            on_written(code)


def most_bytes(records: Sequence[CoordinatorRecord]) -> int:
    """An upper bound of the size of a batch of these records."""
    size = HEADER_SIZE + _MOST_AROUND * len(records)
    for key, value in records:
        size += len(key)
        if value:
            size += len(value)
    return size


def batch_bytes(records: Iterable[CoordinatorRecord]) -> int:
    """The size of a batch of these records."""
    batch = RecordAppender(_LARGEST)
    for key, value in records:
        batch.append(0, key, value, ())
    return batch.size


def parts(records: Iterable[CoordinatorRecord], limit: int) -> Iterator[list[CoordinatorRecord]]:
    """Split records into batches of at most `limit` bytes each, where a record itself is not larger."""
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
