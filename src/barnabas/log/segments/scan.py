"""Read a segment batch by batch from its file, in pieces. Uses no index.

A message of magic 0 or 1 counts as a batch, as in `read_entry`.
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple

from barnabas.errors import DecodeError
from barnabas.log.segments.entry_check import Claim, check_entry
from barnabas.ports import File
from barnabas.records.batches.batch import (
    PREFIX_SIZE,
    SMALLEST_ENTRY,
    SMALLEST_LENGTHS,
    BatchHeader,
    crc_is_right,
    header_size,
    read_entry,
)
from barnabas.types import new_tuple

_PIECE = 1 << 20
_NEAR = 4096
"""What a look-up reads at once: a little more than the distance of two index entries."""


_SPAN = struct.Struct(">qi4xb6xi")
"""Of a batch header: base offset, length, magic, last offset delta."""
_PADDING = bytes(_SPAN.size - SMALLEST_ENTRY)
"""What the smallest message is shorter than that."""
_SHORTEST = SMALLEST_LENGTHS[2]


class FoundBatch(NamedTuple):
    """A batch in a file; `header.position` counts from the start of the file."""

    header: BatchHeader
    data: memoryview
    """The whole batch; valid until the next one is taken."""


def scan_batches(
    file: File, position: int, end: int, *, check_crcs: bool = True
) -> Iterator[FoundBatch]:
    """Yield the whole and right batches from `position` on; stop at the first that is not.

    The position after the last batch yielded is where valid data ends. What ends it: the end, a
    batch cut off there, a header that is none, a wrong CRC.
    """
    buffer = bytearray(min(_PIECE, max(end - position, SMALLEST_ENTRY)))
    while end - position >= SMALLEST_ENTRY:
        view = memoryview(buffer)
        filled = file.read_into(position, view[: min(len(buffer), end - position)])
        at = 0
        wanted = SMALLEST_ENTRY
        while filled - at >= SMALLEST_ENTRY:
            wanted = header_size(buffer, at)
            if wanted > filled - at:
                break
            try:
                header = read_entry(buffer, at)
            except DecodeError:
                return
            if header.size > filled - at:
                wanted = header.size
                break
            if check_crcs and not crc_is_right(buffer, header):
                return
            yield FoundBatch(header._replace(position=position + at), view[at : header.end])
            at = header.end
        if at == 0 and wanted > end - position:
            return
        position += at
        if wanted > len(buffer):
            view.release()
            buffer = bytearray(wanted)


def read_headers(file: File, position: int, end: int) -> Iterator[BatchHeader]:
    """Yield the headers of the batches from `position` on, reading little else.

    Raises:
        DecodeError: the file does not contain batches there.
    """
    while end - position >= SMALLEST_ENTRY:
        data = file.read(position, min(_NEAR, end - position))
        at = 0
        while len(data) - at >= SMALLEST_ENTRY and len(data) - at >= header_size(data, at):
            try:
                header = read_entry(data, at)
            except DecodeError as error:
                raise DecodeError(error.where, position + at, "the header of a batch") from error
            yield header._replace(position=position + at)
            at += header.size
        if at == 0:
            raise DecodeError("segment", position, "a whole batch header")
        position += at


class BatchPosition(NamedTuple):
    """Where a batch is in a file, and the first offset it holds (see `BatchHeader`)."""

    position: int
    size: int
    base_offset: int


def locate(
    file: File, position: int, end: int, offset: int, claim: Claim | None = None
) -> BatchPosition | None:
    """The first batch from `position` on whose last offset is not below `offset`.

    None: there is no such batch before `end`. `claim`: as `place_at`. Raises as `read_headers`.
    """
    if not 0 <= position <= end:
        raise DecodeError("segment", position, f"a position up to {end}")
    while end - position >= SMALLEST_ENTRY:
        data = file.read(position, min(_NEAR, end - position))
        if len(data) < _NEAR:
            data = bytes(data) + _PADDING
        if claim is not None:
            check_entry(file, position, end, data, claim)
            claim = None
        at = 0
        last = len(data) - _SPAN.size
        while at <= last:
            base, length, magic, delta = _SPAN.unpack_from(data, at)
            if magic != 2 or length < _SHORTEST:
                delta = _delta_of_message(position + at, length, magic)
            if base + delta >= offset:
                return BatchPosition(position + at, length + PREFIX_SIZE, base)
            at += length + PREFIX_SIZE
        if at == 0:
            raise DecodeError("segment", position, "a whole batch header")
        position += at
    return None


def place_at(file: File, position: int, end: int, claim: Claim | None = None) -> BatchPosition:
    """The batch that starts at `position`; reads only its header.

    `claim`: an index says so, and that the batch starts between these two offsets.

    Raises:
        DecodeError: none starts there, or not one that the index can mean.
    """
    if not 0 <= position < end:
        raise DecodeError("segment", position, f"a position before {end}")
    try:
        head = file.read(position, _SPAN.size)
        if len(head) < _SPAN.size:
            head = bytes(head) + _PADDING
        base, length, magic, _delta = _SPAN.unpack_from(head)
    except struct.error:
        raise DecodeError("segment", position, "a whole batch header") from None
    if magic != 2 or length < _SHORTEST:
        _delta_of_message(position, length, magic)
    if claim is not None:
        check_entry(file, position, end, head, claim)
    return new_tuple(BatchPosition, (position, length + PREFIX_SIZE, base))


def _delta_of_message(position: int, length: int, magic: int) -> int:
    """What to add to the offset of a message for that of the last record in it: nothing.

    Raises:
        DecodeError: it is no message either.
    """
    if magic not in (0, 1) or length < SMALLEST_LENGTHS[magic]:
        raise DecodeError("segment", position, "the header of a batch")
    return 0
