"""Inspect segments and indexes, also damaged ones: batches, faults, positions.

Nothing is opened, mended or believed. Source: what Kafka's DumpLogSegments and LogValidator
compare.
"""

import itertools
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from barnabas.errors import CorruptRecord, DecodeError
from barnabas.log.segments.entry_layout import EntryLayout
from barnabas.records.batches.batch import (
    SMALLEST_ENTRY,
    BatchHeader,
    crc_is_right,
    header_size,
    read_entry,
)
from barnabas.records.columns.columns import ColumnSelection, decode_columns
from barnabas.types import NO_TIMESTAMP

_ANY = -(2**63)
_OFFSET_LAYOUT, _TIME_LAYOUT = EntryLayout(wide=False), EntryLayout(wide=True)


class SegmentFault(NamedTuple):
    """Something that is not as it should be, at a byte of its file."""

    position: int
    text: str


class InspectedBatch(NamedTuple):
    """A whole batch (or message of magic 0 or 1) and its faults.

    `first_offset` is that of the first record, also inside a compressed message; `records` how many
    can be read, markers not counted.
    """

    header: BatchHeader
    first_offset: int
    records: int
    faults: tuple[str, ...]


def examine(data: memoryview, base_offset: int) -> Iterator[InspectedBatch | SegmentFault]:
    """Yield every batch of a segment. A Fault ends it: the rest cannot be parsed."""
    position, expected = 0, base_offset
    while position < len(data):
        left = len(data) - position
        if left < SMALLEST_ENTRY or left < header_size(data, position):
            yield SegmentFault(position, f"{left} bytes at the end are no whole batch")
            return
        try:
            header = read_entry(data, position)
        except DecodeError as error:
            yield SegmentFault(position, f"no batch: {error}")
            return
        if header.size > left:
            yield SegmentFault(
                position, f"a batch of {header.size} bytes, of which {left} are there"
            )
            return
        found = _examine_batch(data[position : header.end], header, expected)
        yield found
        expected = max(expected, header.next_offset)
        position = header.end


def _examine_batch(data: memoryview, header: BatchHeader, expected: int) -> InspectedBatch:
    if not crc_is_right(data, header._replace(position=0)):
        return InspectedBatch(header, header.base_offset, 0, ("its CRC is wrong",))
    faults = []
    first, count = header.base_offset, 0
    try:
        columns = decode_columns(
            [data], wanted=ColumnSelection.OFFSET | ColumnSelection.TIMESTAMP, start=_ANY
        )
    except CorruptRecord as error:
        faults.append(str(error))
    else:
        assert columns.offsets is not None
        assert columns.timestamps is not None
        offsets, count = columns.offsets.tolist(), columns.count
        if offsets and header.magic < 2:
            first = offsets[0]
        faults += _faults_of_records(header, offsets, columns.timestamps.tolist())
    if first < expected:
        faults.append(f"its first offset is {first}, where {expected} is the lowest there can be")
    return InspectedBatch(header, first, count, tuple(faults))


def _faults_of_records(
    header: BatchHeader, offsets: Sequence[int], times: Sequence[int]
) -> Iterator[str]:
    if header.magic == 2 and not header.control and len(offsets) != header.count:
        yield f"it states {header.count} records and has {len(offsets)}"
    if any(later <= offset for offset, later in itertools.pairwise(offsets)):
        yield "its offsets do not grow"
    if offsets and offsets[-1] > header.last_offset:
        yield f"a record has offset {offsets[-1]}, behind its last one, {header.last_offset}"
    whole = header.magic == 2 and len(offsets) == header.last_offset_delta + 1
    if whole and offsets and max(times) != header.max_timestamp:
        yield f"its greatest timestamp is {max(times)}, and it states {header.max_timestamp}"


class InspectedEntry(NamedTuple):
    """An entry of an index: its number, the offset, and its error.

    `value` is a position in the segment, or a timestamp.
    """

    position: int
    offset: int
    value: int
    fault: str = ""


def examine_offset_index(
    data: memoryview, base_offset: int, batches: Sequence[InspectedBatch]
) -> Iterator[InspectedEntry | SegmentFault]:
    """Every entry of an offset index, compared with the batches of its segment.

    An entry has the last offset of a batch, or, before Kafka 1.1, the first. One that Kafka's cleaner
    has written is for all batches that it wrote at once: their last offset, and the first one's start.
    """
    rows = _entries(data, _OFFSET_LAYOUT)
    starts = [found.header.position for found in batches]
    ends = [found.header.last_offset for found in batches]
    last = furthest = -1
    for at, (delta, value) in enumerate(rows):
        offset = base_offset + delta
        number = bisect_left(starts, value)
        fault = ""
        if number == len(starts) or starts[number] != value:
            fault = "no batch starts there"
        elif offset < batches[number].first_offset or (
            offset > ends[number] and offset not in ends[bisect_left(ends, offset, number) :][:1]
        ):
            fault = f"the batch there has {batches[number].first_offset} to {ends[number]}"
        elif offset <= last:
            fault = f"it comes behind the one of {last}"
        elif value <= furthest:
            fault = f"it comes behind the one at {furthest}"
        else:
            furthest = value
        last = max(last, offset)
        yield InspectedEntry(at * _OFFSET_LAYOUT.size, offset, value, fault)
    yield from _rest(data, _OFFSET_LAYOUT)


def examine_time_index(
    data: memoryview, base_offset: int, batches: Sequence[InspectedBatch]
) -> Iterator[InspectedEntry | SegmentFault]:
    """Yield every entry of a time index: no batch up to its offset may be younger than its timestamp.

    Timestamps increase: there is no entry if the greatest one has not grown.
    """
    rows = [(time, delta) for time, delta in _entries(data, _TIME_LAYOUT)]
    number, newest, last = 0, int(NO_TIMESTAMP), int(NO_TIMESTAMP)
    for at, (time, delta) in enumerate(rows):
        offset = base_offset + delta
        while number < len(batches) and batches[number].first_offset <= offset:
            newest = max(newest, batches[number].header.max_timestamp)
            number += 1
        fault = ""
        if newest != time:
            fault = f"the greatest timestamp up to its offset is {newest}"
        elif at and time <= last:
            fault = f"it comes behind the one of {last}"
        last = max(last, time)
        yield InspectedEntry(at * _TIME_LAYOUT.size, offset, time, fault)
    yield from _rest(data, _TIME_LAYOUT)


def _entries(data: memoryview, layout: EntryLayout) -> list[tuple[int, int]]:
    """All entries but the zeros after them: Kafka makes the files longer while it runs."""
    columns = layout.decode(data[: len(data) // layout.size * layout.size])
    rows = list(zip(columns.first, columns.second, strict=True))
    while len(rows) > 1 and rows[-1] == (0, 0):
        rows.pop()
    return [] if rows == [(0, 0)] and len(data) > layout.size else rows


def _rest(data: memoryview, layout: EntryLayout) -> Iterator[SegmentFault]:
    rest = len(data) % layout.size
    if rest:
        yield SegmentFault(len(data) - rest, f"{rest} bytes at the end are no whole entry")
