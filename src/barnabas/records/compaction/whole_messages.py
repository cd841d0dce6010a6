"""Messages of magic 0 and 1 for compaction, represented as batches of magic 2.

Unchanged ones stay the same, byte for byte; changed ones keep format, codec and timestamp type.
Source: Kafka's MemoryRecords.filterTo and Cleaner.cleanSegments.
"""

import struct
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from barnabas.kernels import layout
from barnabas.records.batches.batch import DELETE_HORIZON, BatchHeader
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.columns import ColumnSelection, decode_columns
from barnabas.records.compaction.whole_batches import (
    DECOMPRESSED_BYTES_MAX,
    WholeBatches,
    whole_batches,
)
from barnabas.records.message_rows import entries
from barnabas.records.old_messages.set_writing import write_batches, write_set
from barnabas.types import Buffer

_FLAT = (
    ColumnSelection.KEY | ColumnSelection.VALUE | ColumnSelection.OFFSET | ColumnSelection.TIMESTAMP
)
_ANY = -(2**63)
_ATTRIBUTES = struct.Struct(">H")
_ATTRIBUTES_AT = 21


class MessageGroup(NamedTuple):
    """Uncompressed neighbours of one kind, or a compressed message."""

    data: memoryview
    header: BatchHeader

    def as_batches(self, *, doomed: bool = False) -> WholeBatches:
        """The same records in batches; their CRCs are compared. `doomed`: tombstones may go now.

        Raises:
            CorruptRecord: they cannot be read.
        """
        columns = decode_columns(
            [self.data], wanted=_FLAT, start=_ANY, limit=DECOMPRESSED_BYTES_MAX
        )
        batches = write_batches(columns, Codec.NONE)
        found = whole_batches(batches, check_crcs=False)
        if not doomed:
            return found
        for row in range(found.rows):
            at = row * layout.WIDTH
            # The first record's time serves as a delete horizon, which has passed.
            found.table[at + layout.ATTRIBUTES] |= DELETE_HORIZON
            position = found.table[at + layout.POSITION] + _ATTRIBUTES_AT
            _ATTRIBUTES.pack_into(batches, position, found.table[at + layout.ATTRIBUTES])
        return found

    def left(self, batches: WholeBatches, parts: Sequence[Buffer]) -> list[Buffer]:
        """The messages for the remaining `parts` of those batches."""
        columns = decode_columns(parts, wanted=_FLAT, start=_ANY, check_crcs=False)
        if columns.count == batches.records:
            return [self.data]
        if not columns.count:
            return []
        header = self.header
        codec, stamped = Codec(header.codec), header.log_append_time
        return [write_set(columns, header.magic, codec, append_time=stamped)]


class WholeMessages(NamedTuple):
    """Concatenated messages, all of them whole."""

    data: memoryview

    @property
    def size(self) -> int:
        """Bytes of all of them."""
        return len(self.data)

    def groups(self) -> Iterator[MessageGroup]:
        """All of them, in order.

        Raises:
            CorruptRecord: something is no message.
        """
        for header in entries(self.data):
            yield MessageGroup(self.data[header.position : header.end], header)


def table_of(headers: Iterable[BatchHeader]) -> "array[int]":
    """The data of an index: the place, last offset and time of each batch or message."""
    table = array("q")
    for header in headers:
        row = [0] * layout.WIDTH
        row[layout.POSITION] = header.position
        row[layout.SIZE] = header.size
        row[layout.BASE_OFFSET] = header.base_offset
        row[layout.LAST_DELTA] = header.last_offset_delta
        row[layout.MAX_TIMESTAMP] = header.max_timestamp
        table.extend(row)
    return table
