"""Messages of Kafka 0.6 (magic 0) and 0.7 (magic 1): encode, find, verify, decompress.

They only have a payload: no key, no time, no offset. Source: seed 000 "Message"; Kafka 0.7.2's
Message, CompressionUtils and ByteBufferMessageSet, whose iterator returns the next offsets.
"""

from array import array
from collections.abc import Iterable, Iterator
from struct import Struct
from typing import NamedTuple
from zlib import crc32

from barnabas.errors import CorruptRecord, ErrorCode
from barnabas.kernels import layout
from barnabas.kernels.messages import byte_messages
from barnabas.records.codecs.compression import Codec, compress, decompress
from barnabas.records.message_rows import crc32_tables
from barnabas.types import Buffer

UNPACKED_BYTES_MAX = 1 << 28
"""The default limit for the contents of all compressed messages of a set, per reader."""
_ENOUGH = 1 << 26
"""After so many decompressed bytes, a reader continues with its next fetch."""
ENTRIES_MAX = 1 << 18
"""How many messages one compressed message may hold: as objects they have a quarter of 256 MiB.

Producers put some hundreds into one.
"""
CODEC_BITS = 3
_DEEPEST = 8
"""Compressed messages may be in compressed ones, as after mirroring; Kafka 0.7 sets no bound."""
_HEADS = (Struct(">ibI"), Struct(">ibBI"))
_LENGTH_SIZE = 4
_FIRST_ROOM = 16
_NO_TABLES = array("I")
_WIDTH = layout.BYTE_WIDTH
_SMALL_MESSAGE = 64
"""The message size that determines how many rows the first table has."""
_MOST_ROOM = 1 << 14


class InvalidMessage(CorruptRecord):
    """A message is nonsense, or has another CRC than it states: seed 000's InvalidMessage, 2."""

    code = ErrorCode.CORRUPT_MESSAGE


class FetchTooSmall(CorruptRecord):
    """The fetched bytes end within the first message: seed 000's InvalidFetchSize, 4."""

    code = ErrorCode.INVALID_FETCH_SIZE


class Message(NamedTuple):
    """One message, and the offset to continue with after it.

    For messages from a compressed one, all but the last have its start, so that a reader that
    continues there repeats them all and misses none.
    """

    payload: bytes
    next_offset: int
    magic: int


class MessageEntry(NamedTuple):
    """A message as it lies in a log, compressed or not; positions count from the buffer's start."""

    start: int
    payload: int
    end: int
    magic: int
    attributes: int

    @property
    def codec(self) -> int:
        """The codec of its payload."""
        return self.attributes & CODEC_BITS


class UnpackAllowance:
    """The limits left for decompression: bytes of all messages, and entries of the present one."""

    __slots__ = ("entries", "size")

    def __init__(self, size: int = UNPACKED_BYTES_MAX) -> None:
        self.size = size
        self.entries = ENTRIES_MAX

    def open(self, codec: int, payload: Buffer, depth: int) -> memoryview:
        """The content of a compressed message; its size is subtracted from the limits.

        Raises:
            InvalidMessage: it cannot be decompressed, or exceeds the limits.
        """
        if depth > _DEEPEST:
            raise InvalidMessage(f"compressed messages are in each other {_DEEPEST} times")
        if not len(payload):
            raise InvalidMessage("a compressed message has no payload")
        try:
            view = memoryview(decompress(codec, payload, self.size))
        except CorruptRecord as error:
            raise InvalidMessage(str(error)) from error
        self.size -= len(view)
        return view


def encode_message(payload: Buffer, *, magic: int = 1, codec: Codec = Codec.NONE) -> bytes:
    """A message; with a codec, `payload` is what it has made of a message set."""
    assert magic or not codec, "magic 0 has no attributes"
    crc, length = crc32(payload), _HEADS[magic].size - _LENGTH_SIZE + len(payload)
    if magic:
        return _HEADS[1].pack(length, 1, codec, crc) + payload
    return _HEADS[0].pack(length, 0, crc) + payload


def encode_set(payloads: Iterable[Buffer], *, magic: int = 1, codec: Codec = Codec.NONE) -> bytes:
    """Concatenated messages; with a codec, one message that contains them all."""
    made = b"".join([encode_message(payload, magic=magic) for payload in payloads])
    return encode_message(compress(codec, made), codec=codec) if codec and made else made


def tables(
    buffer: Buffer, start: int, end: int, *, check_crcs: bool = True
) -> Iterator[tuple["array[int]", int, int]]:
    """Rows of the messages in a part of a buffer, how many, and where what has none begins.

    A message that is cut off ends them quietly.

    Raises:
        InvalidMessage: one is nonsense; the rows before were yielded.
    """
    progress = array("q", (start, 0))
    sums = crc32_tables() if check_crcs else _NO_TABLES
    room = min(_FIRST_ROOM + (end - start) // _SMALL_MESSAGE, _MOST_ROOM)
    while True:
        table = array("q", bytes(8 * _WIDTH * room))
        code = byte_messages.rows(buffer, progress[0], end, sums, table, progress)
        after, count = progress
        if count:
            yield table, count, after
        if code < 0:
            raise InvalidMessage(f"message at byte {after}: {layout.WORDS[code]}")
        if count < room:
            return
        room = min(4 * room, _MOST_ROOM)


def has_codec(table: "array[int]", count: int) -> bool:
    """Whether one of the messages in so many rows is compressed."""
    kinds = set(table[layout.BYTE_KIND : count * _WIDTH : _WIDTH])
    return any(kind & CODEC_BITS for kind in kinds)


def entries(
    buffer: Buffer, start: int = 0, end: int | None = None, *, check_crcs: bool = True
) -> Iterator[MessageEntry]:
    """The messages in a part of a buffer, one by one; ends and raises as `tables`."""
    last = len(buffer) if end is None else end
    for table, count, _ in tables(buffer, start, last, check_crcs=check_crcs):
        for at in range(0, count * _WIDTH, _WIDTH):
            first, payload, after, kind = table[at : at + _WIDTH]
            yield MessageEntry(first, payload, after, kind >> 8, kind & 255)


def read_messages(
    buffer: Buffer, offset: int = 0, *, limit: int = UNPACKED_BYTES_MAX
) -> tuple[list[Message], int]:
    """The whole messages of a fetch at `offset`, and the offset to fetch next.

    Each compressed one may hold `limit` bytes. The rest is left for the next fetch if many bytes
    were decompressed already, or if a message other than the first is damaged.

    Raises:
        FetchTooSmall: there is data, but no whole message.
        InvalidMessage: the first message is malformed, has a wrong CRC, or contains too much.
    """
    view = memoryview(buffer)
    found: list[Message] = []
    used = unpacked = 0
    try:
        for table, count, after in tables(view, 0, len(view)):
            row = _objects(view, table, (0, count), found, offset, 1)
            while row < count:
                start, payload, end, kind = table[row * _WIDTH : (row + 1) * _WIDTH]
                used, room = start, UnpackAllowance(limit)
                inner = unpack(kind & CODEC_BITS, view[payload:end], room, offset + start)
                if inner:
                    inner[-1] = inner[-1]._replace(next_offset=offset + end)
                found += inner
                unpacked += limit - room.size
                if unpacked >= _ENOUGH:
                    return found, offset + end
                row = _objects(view, table, (row + 1, count), found, offset, 1)
            used = after
    except InvalidMessage:
        if not used:
            raise
    if not used and view:
        raise FetchTooSmall(f"{len(view)} bytes are less than the message at offset {offset} has")
    return found, offset + used


def _objects(
    view: memoryview,
    table: "array[int]",
    rows: tuple[int, int],
    found: list[Message],
    base: int,
    step: int,
) -> int:
    """Make messages of rows; returns that of the first which is compressed, or the last."""
    row = byte_messages.objects(view, table, *rows, base, step, Message, found)
    assert row >= 0, layout.WORDS[row]
    return row


def unpack(
    codec: int, payload: Buffer, room: UnpackAllowance, next_offset: int = 0
) -> list[Message]:
    """All that is in a compressed message, at any depth; all lead to `next_offset`.

    Raises:
        InvalidMessage: it, or a message in it, is nonsense; or there is more than `room` allows.
    """
    found: list[Message] = []
    room.entries = ENTRIES_MAX
    _unpack_to(found, codec, payload, room, next_offset, 1)
    return found


def _unpack_to(
    found: list[Message],
    codec: int,
    payload: Buffer,
    room: UnpackAllowance,
    next_offset: int,
    depth: int,
) -> None:
    view = room.open(codec, payload, depth)
    for table, count, _ in _tables_inside(view, room):
        row = _objects(view, table, (0, count), found, next_offset, 0)
        while row < count:
            _, begin, end, kind = table[row * _WIDTH : (row + 1) * _WIDTH]
            inner = view[begin:end]
            _unpack_to(found, kind & CODEC_BITS, inner, room, next_offset, depth + 1)
            row = _objects(view, table, (row + 1, count), found, next_offset, 0)


def opened_set(codec: int, payload: Buffer, room: UnpackAllowance) -> tuple[memoryview, int]:
    """The messages that `unpack` would return, as an uncompressed set, and their number.

    Raises:
        InvalidMessage: as `unpack`.
    """
    size, room.entries = room.size, ENTRIES_MAX
    view = room.open(codec, payload, 1)
    count = end = 0
    for table, found, after in _tables_inside(view, room):
        count += found
        end = after
        if has_codec(table, found):
            room.size = size
            inner = unpack(codec, payload, room)
            return memoryview(encode_set([one.payload for one in inner])), len(inner)
    return view[:end], count


def count_inside(codec: int, payload: Buffer, room: UnpackAllowance) -> int:
    """The number of messages that `unpack` would return, without creating them; raises as it does."""
    room.entries = ENTRIES_MAX
    return _count_inside(codec, payload, room, 1)


def _count_inside(codec: int, payload: Buffer, room: UnpackAllowance, depth: int) -> int:
    view = room.open(codec, payload, depth)
    total = 0
    for table, count, _ in _tables_inside(view, room):
        total += count
        if not has_codec(table, count):
            continue
        for at in range(0, count * _WIDTH, _WIDTH):
            _, begin, end, kind = table[at : at + _WIDTH]
            if kind & CODEC_BITS:
                inner = _count_inside(kind & CODEC_BITS, view[begin:end], room, depth + 1)
                total += inner - 1
    return total


def _tables_inside(
    view: memoryview, room: UnpackAllowance
) -> Iterator[tuple["array[int]", int, int]]:
    """`tables` of the contents of a compressed message."""
    end = 0
    for table, count, end in tables(view, 0, len(view)):
        room.entries -= count
        if room.entries < 0:
            raise InvalidMessage(f"a compressed message holds more than {ENTRIES_MAX} messages")
        yield table, count, end
    if not end and view:
        raise InvalidMessage("a compressed message holds no whole message")
