"""BatchBuilder: records one by one into an encoded batch of a codec, up to a size."""

import struct
from collections.abc import Iterable

from barnabas.kernels.batches.objects import RecordAppender
from barnabas.records.batches.batch import CRC_AT, CRC_FROM, HEADER_SIZE, PREFIX_SIZE, TRANSACTIONAL
from barnabas.records.checksums import crc32c
from barnabas.records.codecs.compression import Codec, compress
from barnabas.types import Buffer

NO_PRODUCER = (-1, -1, -1)
_NO_EPOCH = -1

_HEADER = struct.Struct(">qiibIhiqqqhii")
_CRC = struct.Struct(">I")


class BatchBuilder:
    """One batch. `limit_bytes` bounds it without compression, but the first record always fits."""

    def __init__(self, codec: Codec, limit_bytes: int, level: int | None = None) -> None:
        self._codec = codec
        self._level = level
        self._appender = RecordAppender(limit_bytes)

    @property
    def size(self) -> int:
        """Bytes of the batch without compression, header included."""
        return self._appender.size

    @property
    def count(self) -> int:
        """Records so far."""
        return self._appender.count

    def append(
        self,
        timestamp: int,
        key: Buffer | None,
        value: Buffer | None,
        headers: Iterable[tuple[str, Buffer | None]] = (),
    ) -> int:
        """Add a record; returns the size of the batch with it, or 0 where there is no room."""
        fits = self._appender.append(timestamp, key, value, headers) is not None
        return self._appender.size if fits else 0

    def build(
        self,
        producer_id: int = -1,
        producer_epoch: int = -1,
        base_sequence: int = -1,
        *,
        transactional: bool = False,
    ) -> bytearray:
        """The batch, with offset 0, CRC and all. Can be called once."""
        producer = (producer_id, producer_epoch, base_sequence)
        return build(
            self._appender, self._codec, self._level, producer, transactional=transactional
        )


def build(
    appender: RecordAppender,
    codec: Codec,
    level: int | None,
    producer: tuple[int, int, int] = NO_PRODUCER,
    *,
    transactional: bool = False,
) -> bytearray:
    """Make a batch of the records of an appender; `producer` is (id, epoch, sequence).

    Without compression nothing is copied. A batch without records has no place in a log.
    """
    assert appender.count > 0, "a batch has a record"
    attributes = codec | (TRANSACTIONAL if transactional else 0)
    if codec == Codec.NONE:
        return appender.finish(0, _NO_EPOCH, attributes, *producer, crc32c)
    count, first, largest = appender.count, appender.first_timestamp, appender.max_timestamp
    with memoryview(appender.take()) as view:
        packed = compress(codec, view[HEADER_SIZE:], level)
    batch = bytearray(HEADER_SIZE) + packed
    finish(batch, attributes, count, (first, largest), producer)
    return batch


def finish(
    batch: bytearray | memoryview,
    attributes: int,
    count: int,
    timestamps: tuple[int, int],
    producer: tuple[int, int, int] = NO_PRODUCER,
    *,
    sealed: bool = True,
) -> None:
    """Write the header before the records of a batch; `timestamps` are the first and the largest.

    Without `sealed` it has no CRC: whoever gives it its producer does that.
    """
    _HEADER.pack_into(
        batch,
        0,
        0,
        len(batch) - PREFIX_SIZE,
        -1,
        2,
        0,
        attributes,
        count - 1,
        *timestamps,
        *producer,
        count,
    )
    if not sealed:
        return
    with memoryview(batch) as view, view[CRC_FROM:] as covered:
        _CRC.pack_into(batch, CRC_AT, crc32c(covered))
