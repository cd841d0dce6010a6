"""Arrow columns into encoded batches, by partition and up to a size. The bulk path of a producer.

No Python object is made per record. Source of the partitioning: Kafka's BuiltInPartitioner.
"""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from barnabas.errors import ErrorCode
from barnabas.kernels.batches import batch_writing
from barnabas.kernels.batches.batch_writing import Rows
from barnabas.kernels.columns import partitioning
from barnabas.records.batches.batch import HEADER_SIZE, TRANSACTIONAL
from barnabas.records.batches.builder import finish
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.records.codecs.compression import Codec, compress
from barnabas.records.columns.arrow_input import (
    BinaryColumn,
    binary_column,
    chosen_partitions,
    rows_of,
    timestamps_ms,
)
from barnabas.types import Buffer

if TYPE_CHECKING:
    import pyarrow as pa

_NOT_CHOSEN = -1
_KEPT = 4 << 20
"""Bytes; several batches as large as they are by default."""


class Encoded(NamedTuple):
    """A batch for a partition: offset 0, no producer, CRC and all. `count` records."""

    partition: int
    batch: bytearray
    count: int  # type: ignore[assignment]  # hides tuple.count


@dataclass(frozen=True, slots=True)
class EncodeOptions:
    """How batches are made: `batch_bytes` bounds each without compression, header included.

    Without `sealed` they have no CRC; `stamp_producer` sets it together with the producer.
    `transactional`: the batches belong to the producer's transaction.
    """

    codec: Codec = Codec.NONE
    level: int | None = None
    batch_bytes: int = 1 << 20
    sealed: bool = True
    transactional: bool = False

    @property
    def attributes(self) -> int:
        """The attributes in the headers of the batches."""
        return self.codec | (TRANSACTIONAL if self.transactional else 0)


class Partitioner:
    """Chooses the partition of a row: the column's value, otherwise by key, otherwise in turn.

    Rows without a key go to one partition for about `batch_bytes`, then to the next one.
    """

    def __init__(self, count: int, first: int = 0) -> None:
        self.count = count
        self._next = first % count

    def partitions(
        self, key: BinaryColumn, chosen: "pa.Array[Any] | None", rows: int, run: int
    ) -> "array[int]":
        """Partition of each of `rows` rows, int32; `run` rows without a key stay together."""
        if chosen is None:
            found = array("i", (_NOT_CHOSEN,)) * rows
        else:
            found = chosen_partitions(chosen, _NOT_CHOSEN)
        if len(key.ends) and self.count > 1:
            result = partitioning.partitions_of_keys(*key, self.count, found)
            assert result == rows, "Arrow's offsets lie within its data"
        self._next = partitioning.spread(found, max(1, run), self._next, self.count)
        return found


def encode_arrow(
    columns: "dict[str, pa.Array[Any]]",
    *,
    partitioner: Partitioner,
    options: EncodeOptions,
    now_ms: int,
) -> Iterator[Encoded]:
    """Encode rows, partition by partition, each in the order of its rows.

    Args:
        columns: arrays of one length: key and value (bytes or text), timestamp (any timestamp, or
            integers that are milliseconds), headers (lists of structs of key and value, or maps),
            partition (integers). All but one may be missing; nulls are null keys and values, the
            present time, no headers, and a partition of our choosing.
        partitioner: chooses the partitions, and remembers where it stopped.
        options: how to make the batches.
        now_ms: the time of rows without one, milliseconds since the epoch.

    Raises:
        RefusedRecords: MESSAGE_TOO_LARGE where a row cannot be a record, INVALID_PARTITIONS where
            a row's partition is not there.
    """
    rows = max((len(column) for column in columns.values()), default=0)
    if not rows:
        return
    _keep_what_is_freed()
    key, value = binary_column(columns.get("key")), binary_column(columns.get("value"))
    timestamps = timestamps_ms(columns.get("timestamp"), rows, now_ms)
    table = rows_of(timestamps, key, value, columns.get("headers"))
    size = _bytes(key, rows) + _bytes(value, rows) + 10 * rows
    run = options.batch_bytes * rows // size
    order = array("i", bytes(4 * rows))
    starts = array("q", bytes(8 * partitioner.count + 8))
    partitions = partitioner.partitions(key, columns.get("partition"), rows, run)
    grouped = partitioning.group(partitions, starts, order)
    if grouped < 0:
        wrong = partitions[-1 - grouped]
        raise RefusedRecords(
            ErrorCode.INVALID_PARTITIONS,
            f"row {-1 - grouped} is for partition {wrong}, and the last one is {partitioner.count - 1}",
        )
    sizes = array("i", bytes(4 * rows))
    for partition in range(partitioner.count):
        first, last = starts[partition], starts[partition + 1]
        while first < last:
            batch, count = encode_rows(table, order, (first, last), sizes, options)
            yield Encoded(partition, batch, count)
            first += count


def encode_rows(
    table: Rows,
    order: "array[int]",
    span: tuple[int, int],
    sizes: "array[int]",
    options: EncodeOptions,
) -> tuple[bytearray, int]:
    """One batch of the first rows of a span of `order`, and how many those are.

    `sizes` is room for one number per row of `order`.

    Raises:
        RefusedRecords: MESSAGE_TOO_LARGE where the first row cannot be a record.
    """
    first, last = span
    state = array("q", bytes(24))
    count = batch_writing.sizes(
        table, order, first, last, options.batch_bytes - HEADER_SIZE, sizes, state
    )
    if count < 1:
        detail = f"row {order[first]} cannot be a record"
        raise RefusedRecords(ErrorCode.MESSAGE_TOO_LARGE, detail)
    batch = batch_writing.unwritten(HEADER_SIZE + state[0])
    end = batch_writing.write(table, order, first, first + count, sizes, batch, HEADER_SIZE)
    assert end == len(batch), "rows do not change while they are written"
    if options.codec != Codec.NONE:
        packed: Buffer = compress(options.codec, memoryview(batch)[HEADER_SIZE:], options.level)
        batch = bytearray(HEADER_SIZE) + packed
    finish(batch, options.attributes, count, (state[1], state[2]), sealed=options.sealed)
    return batch, count


@cache
def _keep_what_is_freed() -> None:
    """Once per process, make glibc keep large freed blocks.

    Otherwise it returns each freed batch to the system, and the pages of the next one fault one by
    one, which takes twice as long as encoding. It adapts to the largest freed block
    (M_MMAP_THRESHOLD in mallopt(3)); this block's pages are never touched.
    """
    batch_writing.unwritten(_KEPT)


def _bytes(column: BinaryColumn, rows: int) -> int:
    return column.ends[rows] - column.ends[0] if len(column.ends) else 0
