"""MessageSetBuilder: records one by one into a message set of magic 0 or 1, up to a size.

Source: seeds 002 and 003 "Message format", KIP-31, KIP-32.
"""

import struct
from zlib import crc32

from barnabas.records.codecs.compression import Codec, compress
from barnabas.records.old_messages.set_writing import wrap
from barnabas.types import NO_TIMESTAMP, Buffer

_HEAD_0 = struct.Struct(">bb")
_HEAD_1 = struct.Struct(">bbq")
_PREFIX = struct.Struct(">qiI")
_LENGTH = struct.Struct(">i")
_NULL = _LENGTH.pack(-1)


class MessageSetBuilder:
    """One message set, its offsets from 0 on, as a producer of Kafka 0.8 to 0.10 sends it.

    `limit_bytes` bounds it without compression, but the first record always fits.
    """

    def __init__(self, magic: int, codec: Codec, limit_bytes: int) -> None:
        assert magic in (0, 1), "message sets are of magic 0 and 1"
        assert codec < Codec.ZSTD, "message sets cannot have zstd"
        self._magic = magic
        self._codec = codec
        self._limit = limit_bytes
        self._data = bytearray()
        self._newest: int = NO_TIMESTAMP
        self.count = 0
        """Records so far."""

    @property
    def size(self) -> int:
        """Bytes of the set without compression."""
        return len(self._data)

    def append(self, timestamp: int, key: Buffer | None, value: Buffer | None) -> int:
        """Add a record; returns the size of the set with it, or 0 where there is no room.

        `timestamp` is in milliseconds; magic 0 does not keep it.
        """
        head = _HEAD_1.pack(1, 0, timestamp) if self._magic else _HEAD_0.pack(0, 0)
        body = b"".join((head, *_chunk(key), *_chunk(value)))
        size = _PREFIX.size + len(body)
        if self.count and size > self._limit - len(self._data):
            return 0
        self._data += _PREFIX.pack(self.count, size - _PREFIX.size + 4, crc32(body))
        self._data += body
        self._newest = max(self._newest, timestamp)
        self.count += 1
        return len(self._data)

    def build(self) -> bytearray:
        """The set; if compressed, it is one message around the others."""
        assert self.count, "a message set has a message"
        if self._codec == Codec.NONE:
            return self._data
        packed = compress(self._codec, self._data)
        return wrap(packed, self._magic, self._codec, 0, self.count - 1, self._newest)


def _chunk(data: Buffer | None) -> tuple[Buffer, ...]:
    return (_NULL,) if data is None else (_LENGTH.pack(len(data)), data)
