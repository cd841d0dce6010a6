"""Read a segment of Kafka 0.7 from its file, in pieces: messages, or runs of adjacent ones.

Each counts as a batch whose offsets are its bytes: the first is its start, the last its end.
Source: seed 000 "Ground Rules"; Kafka 0.7.2's Log.
"""

from bisect import bisect_left
from collections.abc import Iterator

from barnabas.errors import CorruptRecord, DecodeError
from barnabas.kernels import layout
from barnabas.log.segments.entry_check import Claim
from barnabas.log.segments.scan import BatchPosition, FoundBatch
from barnabas.ports import File
from barnabas.records.batches.batch import BatchHeader
from barnabas.types import NO_TIMESTAMP

_PIECE = 1 << 20
_NEAR = 8192
_RUN = 4096
_ALONE = 0
"""The size of a run of messages that need not be separated: that of an index entry."""
_LENGTH = 4
_WIDTH = layout.BYTE_WIDTH
_NONE = -1


def scan_messages(  # noqa: PLR0913 - what is not by name is as in `scan_batches`
    file: File,
    base: int,
    position: int,
    end: int,
    *,
    check_crcs: bool = True,
    run: int = _RUN,
    piece: int = _PIECE,
) -> Iterator[FoundBatch]:
    """As `scan_batches`, of a segment with the base offset `base`: runs of up to `run` bytes or so."""
    # Imported late: a broker starts faster without it, and most have no such topic.
    from barnabas.records.messages07.message07 import tables

    buffer = bytearray(max(min(piece, end - position), 0))
    while position < end:
        view = memoryview(buffer)[: min(len(buffer), end - position)]
        filled = file.read_into(position, view)
        after = 0
        try:
            for table, count, used in tables(view, 0, filled, check_crcs=check_crcs):
                after = used
                starts = table[layout.BYTE_START : count * _WIDTH : _WIDTH]
                row = 0
                while row < count:
                    start, kind = starts[row], table[row * _WIDTH + layout.BYTE_KIND]
                    row = bisect_left(starts, start + run, row + 1)
                    stop = starts[row] if row < count else used
                    yield FoundBatch(
                        _header(base, position + start, stop - start, kind), view[start:stop]
                    )
        except CorruptRecord:
            return
        position += after
        if not after:
            wanted = _LENGTH + int.from_bytes(buffer[:_LENGTH], "big") if filled >= _LENGTH else 0
            if wanted <= filled or wanted > end - position:
                return
            view.release()
            buffer = bytearray(wanted)


def _header(base: int, position: int, size: int, kind: int) -> BatchHeader:
    return BatchHeader(
        position, size, base + position, _NONE, (kind >> 8) - 2, 0, kind & 255, size - 1,
        NO_TIMESTAMP, NO_TIMESTAMP, _NONE, _NONE, _NONE, _NONE,
    )  # fmt: skip


def message_headers(file: File, base: int, position: int, end: int) -> Iterator[BatchHeader]:
    """Headers of the runs of messages from `position` on; the first invalid message ends them."""
    for found in scan_messages(file, base, position, end, check_crcs=False):
        yield found.header


def locate_message(
    file: File, base: int, position: int, end: int, offset: int, claim: Claim | None = None
) -> BatchPosition | None:
    """The message that contains the byte `offset`, searched from `position` on; None after the last.

    Raises:
        DecodeError: there is something else than messages, or not what `claim` says.
    """
    if claim is not None:
        message_at(file, base, position, end, claim)
    after = position
    found_all = scan_messages(file, base, position, end, check_crcs=False, run=_ALONE, piece=_NEAR)
    for found in found_all:
        header = found.header
        after = header.position + header.size
        if header.last_offset >= offset:
            return BatchPosition(header.position, header.size, header.base_offset)
    if after < end:
        raise DecodeError("segment", after, "a message")
    return None


def message_at(
    file: File, base: int, position: int, end: int, claim: Claim | None = None
) -> BatchPosition:
    """The message that starts at `position`, of which only the length is read.

    With a `claim`, as in `place_at`, it is read whole.

    Raises:
        DecodeError: none starts there, or not one that the index can mean.
    """
    head = file.read(position, _LENGTH) if 0 <= position < end else b""
    length = int.from_bytes(head, "big", signed=True)
    if len(head) < _LENGTH or not 0 < length <= end - position - _LENGTH:
        raise DecodeError("segment", position, "a message")
    if claim is not None:
        if not claim[0] <= base + position <= claim[1]:
            raise DecodeError("segment", position, f"a message from {claim[0]} to {claim[1]}")
        whole = position + _LENGTH + length
        if next(scan_messages(file, base, position, whole, run=_ALONE), None) is None:
            raise DecodeError("segment", position, "a message with a right CRC")
    return BatchPosition(position, _LENGTH + length, base + position)
