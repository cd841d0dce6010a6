"""The five codecs of record batches. Decodes no record.

cramjam does the work and is imported on first use. Sources: KIP-98 (codec numbers), KIP-110 (zstd),
Kafka's SnappyCompression (xerial framing), Lz4BlockInputStream (independent blocks only).
"""

import struct
import zlib
from enum import IntEnum
from types import ModuleType
from typing import cast

from barnabas.errors import CorruptRecord, ErrorCode
from barnabas.records.buffers import fresh
from barnabas.records.codecs.block_limits import most_pieces
from barnabas.records.codecs.lz4_blocks import blocks_into, quick_frame, room_for
from barnabas.types import Buffer


class UnpackedTooLarge(CorruptRecord):
    """Compressed data that holds more than it may; perhaps it is sound."""

    code = ErrorCode.MESSAGE_TOO_LARGE


class Codec(IntEnum):
    """Compression of a batch, as its attributes number it; `compression.type` is the lower name."""

    NONE = 0
    GZIP = 1
    SNAPPY = 2
    LZ4 = 3
    ZSTD = 4


HIGHEST_CODEC = max(Codec)
DEFAULT_LEVELS = {Codec.GZIP: 6, Codec.LZ4: 0, Codec.ZSTD: 3}
QUICK_LEVELS = {**DEFAULT_LEVELS, Codec.SNAPPY: None, Codec.NONE: None, Codec.GZIP: 1}
"""For recompression on the fly: gzip's fastest level is ten times as fast as 6."""

_ZLIB_FROM = 4
"""The level of gzip from which on zlib is quicker than cramjam, which is so at 1."""
_GZIP_WINDOW = 31
_GZIP_MEMBER = b"\x1f\x8b\x08"
_SMALLEST_MEMBER = 18
_LOOKED_AT = 1 << 16
_LZ4_SLOW_FROM = 2
"""The level of lz4 from which on the library's frames are not all made the same, fast way."""

_XERIAL_MAGIC = b"\x82SNAPPY\x00"
_XERIAL_HEADER = _XERIAL_MAGIC + struct.pack(">ii", 1, 1)
_XERIAL_BLOCK = 32 * 1024
_LENGTH = struct.Struct(">i")
_FIRST_GUESS = 8
"""Uncompressed size over compressed size, for the first try; JSON has 3 to 7."""
_HIGHEST_RATIO = 1032
"""The highest ratio for which a size stated in the data is trusted: the most that gzip reaches."""
_SMALLEST_GUESS = 4096
_MOST = {Codec.GZIP: 1032, Codec.SNAPPY: 64, Codec.LZ4: 255}
"""The highest possible ratio of a codec: more is not even tried, so bad data costs no memory."""
_ZSTD_HEADER_MAX, _LZ4_HEADER_MAX = 18, 15
_FULL = "failed to write whole buffer"
"""cramjam's message if the buffer is too small; `test_compression` checks it for every codec."""


def compress(codec: Codec, data: Buffer, level: int | None = None) -> Buffer:
    """Compress as Kafka's own clients do; NONE returns `data`.

    `level` is the codec's own; None takes the default of Kafka's clients (gzip 6, zstd 3, lz4's fast
    compressor). Snappy has none, and lz4 is written with independent blocks, which brokers insist on.
    """
    if codec == Codec.NONE:
        return data
    import cramjam

    if codec == Codec.SNAPPY:
        return _compress_xerial(cramjam.snappy, data)
    level = DEFAULT_LEVELS[codec] if level is None else level
    if codec == Codec.GZIP and level >= _ZLIB_FROM:
        squeezer = zlib.compressobj(level, zlib.DEFLATED, _GZIP_WINDOW)
        return squeezer.compress(data) + squeezer.flush()
    if codec == Codec.LZ4 and level < _LZ4_SLOW_FROM:
        return quick_frame(data)
    if codec == Codec.LZ4:
        writer = cramjam.lz4.Compressor(level=level, content_checksum=False, block_linked=False)
        writer.compress(bytes(data))  # accepts nothing else
        return memoryview(writer.finish())
    module = cramjam.gzip if codec == Codec.GZIP else cramjam.zstd
    return memoryview(module.compress(data, level))


def decompress(codec: int, data: Buffer, limit: int, expected: int = 0) -> Buffer:
    """Decompress, but never to more than `limit` bytes; NONE returns `data`.

    `expected` is the expected size; a wrong guess only costs time.

    Raises:
        UnpackedTooLarge: there are more than `limit` bytes, or too many pieces (`most_pieces`).
        CorruptRecord: the data is damaged or truncated, or the codec is unknown.
    """
    if codec == Codec.NONE:
        return data
    most = _MOST.get(codec)  # type: ignore[call-overload]
    if most is not None:
        limit = min(limit, most * len(data) + _SMALLEST_GUESS)
    if codec == Codec.SNAPPY:
        return _decompress_snappy(data, limit)
    if codec == Codec.GZIP:
        _check_members(data)
    import cramjam

    module = _module(codec)
    room = room_for(data) if codec == Codec.LZ4 else 0
    expected = room or expected or stated_size(codec, data)
    size = min(limit, room or max(expected, _SMALLEST_GUESS, _FIRST_GUESS * len(data)))
    while True:
        # cramjam bounds its output only by the size of the buffer that it writes into.
        target = fresh(size)
        try:
            if room and (written := blocks_into(data, target)) >= 0:
                return target[:written]
            return target[: module.decompress_into(data, target)]
        except cramjam.DecompressionError as error:
            if str(error) != _FULL:
                raise CorruptRecord(
                    f"cannot decompress {len(data)} bytes: not {Codec(codec).name.lower()}: {error}"
                ) from error
            if size >= limit:
                raise UnpackedTooLarge(
                    f"{len(data)} bytes of {Codec(codec).name.lower()} hold more than {limit}"
                ) from error
        target.release()  # before there is another one
        size = min(limit, size * 4)


def stated_size(codec: int, data: Buffer) -> int:
    """The decompressed size that compressed data declares, in bytes; 0 if none. It may be wrong.

    Sources: RFC 1952 (ISIZE), RFC 8878 (Frame_Content_Size), lz4's frame format (content size).
    """
    size = 0
    if codec == Codec.GZIP:
        size = int.from_bytes(data[-4:], "little")
    elif codec == Codec.ZSTD and len(data) > _ZSTD_HEADER_MAX:
        descriptor = data[4]
        alone = descriptor >> 5 & 1
        width = (alone, 2, 4, 8)[descriptor >> 6]
        at = 6 - alone + (0, 1, 2, 4)[descriptor & 3]
        size = int.from_bytes(data[at : at + width], "little") + (256 if width == 2 else 0)
    elif codec == Codec.LZ4 and len(data) > _LZ4_HEADER_MAX and data[4] & 8:
        size = int.from_bytes(data[6:14], "little")
    elif codec == Codec.SNAPPY:
        size = _snappy_size(data)
    return min(size, _HIGHEST_RATIO * len(data))


def decompress_into(codec: int, data: Buffer, target: memoryview) -> int:
    """Decompress to a buffer; returns the bytes written, or -1 if they do not fit or are damaged.

    Raises:
        CorruptRecord: the codec is unknown.
    """
    import cramjam

    try:
        if codec == Codec.SNAPPY:
            return _snappy_into(data, target)
        if codec == Codec.LZ4 and (written := blocks_into(data, target)) >= 0:
            return written
        if codec == Codec.GZIP:
            _check_members(data)
        return int(_module(codec).decompress_into(data, target))
    except (cramjam.DecompressionError, CorruptRecord) as error:
        if isinstance(error, CorruptRecord) and codec > HIGHEST_CODEC:
            raise
        return -1


def _module(codec: int) -> ModuleType:
    import cramjam

    modules = {Codec.GZIP: cramjam.gzip, Codec.LZ4: cramjam.lz4, Codec.ZSTD: cramjam.zstd}
    module = modules.get(codec)  # type: ignore[call-overload]
    if module is None:
        raise CorruptRecord(f"unknown compression codec {codec}")
    return cast("ModuleType", module)


def _check_members(data: Buffer) -> None:
    """Refuse gzip of too many members; what looks like the start of one is counted."""
    most = most_pieces(len(data))
    if len(data) <= most * _SMALLEST_MEMBER:
        return
    view = memoryview(data)
    parts = (bytes(view[at : at + _LOOKED_AT]) for at in range(0, len(view), _LOOKED_AT))
    if sum(part.count(_GZIP_MEMBER) for part in parts) > most:
        raise UnpackedTooLarge(f"{len(data)} bytes of gzip are of more than {most} members")


def _compress_xerial(snappy: ModuleType, data: Buffer) -> bytearray:
    """Snappy as Java writes it: a header, then blocks of 32 KiB, each with its length before it."""
    view = memoryview(data)
    made = bytearray(_XERIAL_HEADER)
    for start in range(0, len(view), _XERIAL_BLOCK):
        block = memoryview(snappy.compress_raw(view[start : start + _XERIAL_BLOCK]))
        made += _LENGTH.pack(len(block))
        made += block
    return made


def _decompress_snappy(data: Buffer, limit: int) -> Buffer:
    """Snappy with or without Java's framing.

    The versions in that framing are not looked at: some writers have them in little-endian.
    """
    import cramjam

    try:
        size = _snappy_size(data)
        if size > limit:
            raise UnpackedTooLarge(f"snappy states {size} bytes, more than {limit}")
        target = fresh(size)
        _snappy_into(data, target)
    except cramjam.DecompressionError as error:
        raise CorruptRecord(f"cannot decompress {len(data)} bytes of snappy: {error}") from error
    return target


def _snappy_size(data: Buffer) -> int:
    """The total size that the blocks state; CorruptRecord if one states none."""
    import cramjam

    try:
        return sum(cramjam.snappy.decompress_raw_len(block) for block in _xerial_blocks(data))
    except cramjam.DecompressionError as error:
        raise CorruptRecord(f"cannot decompress {len(data)} bytes of snappy: {error}") from error


def _snappy_into(data: Buffer, target: memoryview) -> int:
    import cramjam

    snappy = cramjam.snappy
    position = 0
    for block in _xerial_blocks(data):
        size = snappy.decompress_raw_len(block)
        if size > len(target) - position:
            raise CorruptRecord("snappy does not fit into what it states")
        if snappy.decompress_raw_into(block, target[position : position + size]) != size:
            raise CorruptRecord("a snappy block is shorter than it states")
        position += size
    return position


def _xerial_blocks(data: Buffer) -> list[memoryview]:
    """The raw snappy blocks of a stream; the stream itself where it has no framing.

    Raises:
        UnpackedTooLarge: they are too many.
        CorruptRecord: they are not whole.
    """
    view = memoryview(data)
    if bytes(view[: len(_XERIAL_MAGIC)]) != _XERIAL_MAGIC:
        return [view]
    blocks: list[memoryview] = []
    position, most = len(_XERIAL_HEADER), most_pieces(len(view))
    while position < len(view):
        if len(blocks) == most:
            raise UnpackedTooLarge(f"{len(view)} bytes of snappy are of more than {most} blocks")
        if len(view) - position < _LENGTH.size:
            raise CorruptRecord("snappy framing ends inside a length")
        length = _LENGTH.unpack_from(view, position)[0]
        position += _LENGTH.size
        if not 0 <= length <= len(view) - position:
            raise CorruptRecord(f"a snappy block states {length} bytes, beyond the end")
        blocks.append(view[position : position + length])
        position += length
    return blocks
