"""Convert records from their stored format to the format that a reader knows, and back.

Source: Kafka's RecordsUtil.downConvert, LogValidator; KIP-31, KIP-32, KIP-98.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from barnabas.errors import CorruptRecord, ErrorCode
from barnabas.records.batches.batch import BatchHeader
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.records.batches.unpacking import UNPACKED_LEAST, unpacked_bytes_max
from barnabas.records.codecs.compression import HIGHEST_CODEC, Codec
from barnabas.records.columns.columns import ColumnSelection, RecordColumns, decode_columns
from barnabas.records.message_rows import entries
from barnabas.records.old_messages.set_writing import write_batches, write_set
from barnabas.types import Buffer

_MODERN = (
    "headers",
    "producer ids and sequences",
    "transactions and their markers",
    "leader epochs",
)

LOSSES: Mapping[tuple[int, int], tuple[str, ...]] = MappingProxyType(
    {
        (0, 1): (),
        (0, 2): (),
        (1, 2): (),
        (1, 0): ("timestamps",),
        (2, 1): _MODERN,
        (2, 0): ("timestamps", *_MODERN),
    }
)
"""The fields that are lost, by (from, to). Messages without a timestamp get -1, of type CreateTime."""

RECORDS_MAX = 1 << 18
"""About how many records one call converts; an entry with more is converted piece by piece."""
_GROUP_BYTES = 4 << 20
"""From here on a group of neighbours takes no more of them."""

_FLAT = (
    ColumnSelection.KEY | ColumnSelection.VALUE | ColumnSelection.OFFSET | ColumnSelection.TIMESTAMP
)


class ConvertedRecords(NamedTuple):
    """Bytes without a higher magic than requested; all offsets are unchanged.

    `next_offset` is after the last batch that was read: beyond the last record if a batch left
    nothing, as a transaction's marker does. `unpacked` is the number of decompressed bytes, `count`
    that of converted records.
    """

    data: bytearray
    next_offset: int
    unpacked: int
    count: int = 0  # type: ignore[assignment]  # hides tuple.count


class _Group(NamedTuple):
    """Neighbours that are converted at once: [start, end) of the buffer."""

    start: int
    end: int
    header: BatchHeader
    """Of the first of them."""
    next_offset: int
    """Behind the last of them."""


def convert(
    buffer: Buffer,
    to_magic: int,
    *,
    start: int = 0,
    upwards: bool = False,
    limit: int | None = None,
) -> ConvertedRecords:
    """Convert batches for a reader that supports no higher magic than `to_magic`.

    `LOSSES` lists what is lost. A batch keeps its compression. Records of aborted transactions
    stay, because an old reader reads uncommitted ones; markers are removed. After as many
    decompressed bytes as a small batch may hold, or `RECORDS_MAX` records, the rest is left for the next
    call, also within a batch.

    Args:
        buffer: whole batches and messages; a truncated one at the end is ignored.
        to_magic: 0, 1 or 2.
        start: converted data omits records before this offset.
        upwards: also convert from a lower magic; otherwise that stays unchanged.
        limit: the maximum decompressed bytes of one batch; None: what producers may send.

    Raises:
        UnpackedTooLarge: a batch holds more than `limit`.
        CorruptRecord: a batch is damaged.
        DecodeError: the data contains something else than batches.
        RefusedRecords: UNSUPPORTED_COMPRESSION_TYPE: the old format cannot hold zstd.
    """
    view = memoryview(buffer)
    made = bytearray()
    next_offset = start
    unpacked = count = 0
    for group in _groups(view, to_magic, upwards=upwards):
        part = view[group.start : group.end]
        header = group.header
        if header.magic == to_magic or (header.magic < to_magic and not upwards):
            made += part
            next_offset = max(next_offset, header.next_offset)
            continue
        if header.control:
            next_offset = max(next_offset, header.next_offset)
            continue
        codec = _codec(header, to_magic)
        wanted = ColumnSelection.ALL if to_magic == 2 else _FLAT
        most = unpacked_bytes_max(len(part)) if limit is None else limit
        first = start if header.magic < 2 else max(start, header.base_offset)
        columns = _piece(part, wanted, (start, first, group.next_offset), most)
        unpacked += columns.unpacked
        count += columns.count
        next_offset = max(next_offset, columns.next_offset)
        if columns.count and to_magic == 2:
            made += write_batches(columns, codec, append_time=header.log_append_time)
        elif columns.count:
            made += write_set(columns, to_magic, codec, append_time=header.log_append_time)
        is_part = columns.next_offset < group.next_offset
        if is_part or unpacked >= UNPACKED_LEAST or count >= RECORDS_MAX:
            break
    return ConvertedRecords(made, next_offset, unpacked, count)


def _piece(
    part: memoryview, wanted: ColumnSelection, offsets: tuple[int, int, int], limit: int
) -> RecordColumns:
    """The first records of a group, from an offset on: about `RECORDS_MAX`, or at least one.

    `offsets`: where to begin; the least that a record may have; that after the last. Memory is taken
    for records that are kept, and compaction leaves gaps, so a piece without any is looked for further on.
    """
    start, first, behind = offsets
    size = RECORDS_MAX
    while True:
        end = first + size if first + size < behind else None
        columns = decode_columns([part], wanted=wanted, start=start, end=end, limit=limit)
        if columns.count or end is None:
            return columns if end is None else columns._replace(next_offset=end)
        size *= 2


def _codec(header: BatchHeader, to_magic: int) -> Codec:
    if header.codec > HIGHEST_CODEC:
        raise CorruptRecord(f"batch at offset {header.base_offset}: unknown codec {header.codec}")
    if header.codec >= Codec.ZSTD and to_magic < 2:
        raise RefusedRecords(
            ErrorCode.UNSUPPORTED_COMPRESSION_TYPE,
            f"the batch at {header.base_offset} has codec {header.codec}, which magic {to_magic}"
            " cannot have",
        )
    return Codec(header.codec)


def _groups(view: memoryview, to_magic: int, *, upwards: bool) -> Iterator[_Group]:
    """Uncompressed neighbours that become one set go together, which is quicker than one by one."""
    open_group: _Group | None = None
    open_kind: tuple[int, bool] | None = None
    records = 0
    for header in entries(view):
        kind = _kind(header, to_magic, upwards=upwards)
        if open_group is not None and kind is not None and kind == open_kind:
            is_full = open_group.end - open_group.start >= _GROUP_BYTES or records >= RECORDS_MAX
            if not is_full:
                records += header.count
                open_group = open_group._replace(end=header.end, next_offset=header.next_offset)
                continue
        if open_group is not None:
            yield open_group
        open_group = _Group(header.position, header.end, header, header.next_offset)
        open_kind, records = kind, header.count
    if open_group is not None:
        yield open_group


def _kind(header: BatchHeader, to_magic: int, *, upwards: bool) -> tuple[int, bool] | None:
    """A kind: neighbours of the same one may be converted together; None: it is converted alone."""
    unchanged = header.magic == to_magic or (header.magic < to_magic and not upwards)
    if unchanged or header.codec or header.control:
        return None
    return header.magic, header.log_append_time
