"""FlatSet: decompressed messages of Kafka 0.7 as columns of bytes.

No Python object stays per message. Source: seed 000 "Message", "Compression".
"""

from array import array
from itertools import accumulate
from operator import sub
from typing import NamedTuple

from barnabas.kernels import layout
from barnabas.kernels.columns import gathering
from barnabas.records.buffers import allocator
from barnabas.records.columns.columns import BytesColumn
from barnabas.records.messages07.message07 import (
    CODEC_BITS,
    FetchTooSmall,
    InvalidMessage,
    UnpackAllowance,
    opened_set,
    tables,
)
from barnabas.types import Buffer

_WIDTH = layout.BYTE_WIDTH
_VALUES = 1  # What `gather` calls them.


class FlatSet(NamedTuple):
    """`size` concatenated messages; they contain the first `end` bytes of a part of a log.

    These are always whole messages of the log: a compressed one is here with all its contents.
    """

    messages: memoryview
    size: int
    end: int

    def payloads(self) -> BytesColumn:
        """Their payloads; none is null."""
        places = array("i", bytes(12 * self.size))
        ends = array("i", (0,))
        for table, rows, _ in tables(self.messages, 0, len(self.messages), check_crcs=False):
            cells = table[: rows * _WIDTH]
            starts, finishes = (
                cells[layout.BYTE_PAYLOAD :: _WIDTH],
                cells[layout.BYTE_END :: _WIDTH],
            )
            first = len(ends) - 1
            places[3 * first + _VALUES : 3 * (first + rows) : 3] = array("i", starts)
            ends.extend(accumulate(map(sub, finishes, starts), initial=ends.pop()))
        data = allocator()(ends[-1])
        column = memoryview(ends)
        code = gathering.gather(
            self.messages, _VALUES, memoryview(places), column, 0, self.size, data
        )
        assert code >= 0, layout.WORDS[code]
        return BytesColumn(column, data, None, 0)


def flatten(buffer: Buffer, *, enough: int) -> FlatSet:
    """The whole messages at the start of a part of a log; CRCs are compared.

    It ends where `enough` bytes have come out of compressed messages, and before a message that is
    damaged, unless that is the first.

    Raises:
        FetchTooSmall: there is something, but no whole message.
        InvalidMessage: the first message is nonsense, or has another CRC than it states.
    """
    view = memoryview(buffer)
    parts: list[memoryview] = []
    room = UnpackAllowance()
    size = end = 0
    try:
        for table, rows, _ in tables(view, 0, len(view)):
            kinds = table[layout.BYTE_KIND : rows * _WIDTH : _WIDTH]
            packed = [row for row, kind in enumerate(kinds) if kind & CODEC_BITS]
            begun = 0
            for row in (*packed, rows):
                if row > begun:
                    behind = table[(row - 1) * _WIDTH + layout.BYTE_END]
                    parts.append(view[table[begun * _WIDTH + layout.BYTE_START] : behind])
                    size, end = size + row - begun, behind
                if row < rows:
                    _, payload, behind, kind = table[row * _WIDTH : (row + 1) * _WIDTH]
                    inner, count = opened_set(kind & CODEC_BITS, view[payload:behind], room)
                    parts.append(inner)
                    size, end = size + count, behind
                    if sum(map(len, parts)) >= enough:
                        return _joined(parts, size, end)
                begun = row + 1
    except InvalidMessage:
        if not end:
            raise
    if not end and view:
        raise FetchTooSmall(f"{len(view)} bytes are less than the message has")
    return _joined(parts, size, end)


def _joined(parts: list[memoryview], size: int, end: int) -> FlatSet:
    whole = parts[0] if len(parts) == 1 else memoryview(b"".join(parts))
    return FlatSet(whole, size, end)
