"""Message sets of magic 0 and 1, built byte by byte from their grammar in seeds 002 and 003."""

import struct
import zlib
from collections.abc import Iterable

from barnabas.records.codecs.compression import Codec, compress
from barnabas.records.codecs.lz4_frames import wrongly_summed

LOG_APPEND_TIME = 8


def chunk(data: bytes | None) -> bytes:
    """`bytes`: an int32 with the length, -1 for null, and the bytes."""
    return b"\xff\xff\xff\xff" if data is None else struct.pack(">i", len(data)) + data


def message(
    offset: int,
    key: bytes | None,
    value: bytes | None,
    *,
    timestamp: int | None = None,
    attributes: int = 0,
) -> bytes:
    """[Offset MessageSize Message]; magic 1 if it has a timestamp, else magic 0."""
    magic = 0 if timestamp is None else 1
    body = struct.pack(">bb", magic, attributes)
    if timestamp is not None:
        body += struct.pack(">q", timestamp)
    body += chunk(key) + chunk(value)
    crc = struct.pack(">I", zlib.crc32(body))
    return struct.pack(">qi", offset, len(crc + body)) + crc + body


def wrapper(
    offset: int,
    inner: Iterable[bytes],
    codec: Codec,
    *,
    timestamp: int | None = None,
    attributes: int = 0,
) -> bytes:
    """A message whose value is a compressed message set."""
    packed = compress(codec, b"".join(inner))
    if timestamp is None and codec == Codec.LZ4:
        packed = wrongly_summed(packed)
    return message(offset, None, bytes(packed), timestamp=timestamp, attributes=attributes | codec)
