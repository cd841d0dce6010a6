"""Frames of lz4 made and read block by block, straight to where the bytes belong.

The library's own frames copy everything once more, and sum every block, which no client of Kafka
asks for. Brokers insist on independent blocks, so nearly all frames can be read so. What else a broker
must refuse is here too. Source: lz4's frame format.
"""

from functools import lru_cache

from barnabas.records.buffers import fresh
from barnabas.records.codecs.block_limits import most_pieces
from barnabas.records.codecs.lz4_frames import rightly_summed
from barnabas.types import Buffer

_MAGIC = b"\x04\x22\x4d\x18"
_FLAGS_AT, _LIMIT_AT, _SIZE_AT = 4, 5, 6
_INDEPENDENT, _SUMMED_BLOCKS, _HAS_SIZE, _SUMMED_CONTENT = 0x20, 0x10, 0x08, 0x04
_VERSION_AND_REST = 0xF7
"""All flags but the size of the content. Quick to read: independent blocks, and no sums."""
_VERSION = 0x40
_REQUIRED = _VERSION_AND_REST & ~_SUMMED_BLOCKS & ~_SUMMED_CONTENT
"""The flags with one value only that Kafka's reader takes: version, blocks, a reserved bit, dictionary."""
_LIMIT_REST = 0x8F
"""Bits beside the largest size of a block: none is set."""
_HEADER_SIZE, _SIZE_SIZE, _WORD = 7, 8, 4
_PLAIN = 1 << 31
_SMALLEST_LIMIT = 4
_FRAME_HEADER = _MAGIC + b"\x60\x40\x82"
"""Version 1 with independent blocks of up to 64 KiB and no options, and its checksum."""
_BLOCK = 1 << 16
_MOST_BEYOND = 16 + _BLOCK // 255
"""How many bytes larger than its content a block may be while it is compressed."""


def quick_frame(data: Buffer) -> bytes:
    """A frame that holds `data`, made by lz4's fast compressor as Kafka's clients do it."""
    import cramjam

    view = memoryview(data)
    blocks = -(-len(view) // _BLOCK)
    out = fresh(_HEADER_SIZE + len(view) + blocks * (_WORD + _MOST_BEYOND) + _WORD)
    out[:_HEADER_SIZE] = _FRAME_HEADER
    at = _HEADER_SIZE
    for start in range(0, len(view), _BLOCK):
        block = view[start : start + _BLOCK]
        place = out[at + _WORD :]
        size = cramjam.lz4.compress_block_into(block, place, store_size=False)
        kind = 0
        if size >= len(block):
            size, kind = len(block), _PLAIN
            place[:size] = block
        out[at : at + _WORD] = (size | kind).to_bytes(_WORD, "little")
        at += _WORD + size
    out[at : at + _WORD] = bytes(_WORD)
    return bytes(out[: at + _WORD])


def room_for(data: Buffer) -> int:
    """The declared size of a frame, otherwise the maximum for its number of blocks; 0: neither is known.

    It is not known either of a frame of very many blocks.
    """
    view = memoryview(data)
    if len(view) < _HEADER_SIZE + _WORD or view[:_FLAGS_AT] != _MAGIC:
        return 0
    flags, largest = view[_FLAGS_AT], view[_LIMIT_AT] >> 4
    if flags & _HAS_SIZE:
        return int.from_bytes(view[_SIZE_AT : _SIZE_AT + _SIZE_SIZE], "little")
    at, blocks, most = _HEADER_SIZE, 0, most_pieces(len(view))
    behind = _WORD if flags & _SUMMED_BLOCKS else 0
    while word := int.from_bytes(view[at : at + _WORD], "little") & ~_PLAIN:
        blocks += 1
        if blocks > most:
            return 0
        at += _WORD + word + behind
    return blocks << 2 * largest + 8


def blocks_into(data: Buffer, target: memoryview) -> int:
    """Decompress one frame of independent blocks; returns the bytes written.

    -1 for anything else, including damage, a small buffer or very many blocks, for which it is slow: then
    the frame decoder finds out more.
    """
    view = memoryview(data)
    if len(view) < _HEADER_SIZE + _WORD or view[:_FLAGS_AT] != _MAGIC:
        return -1
    flags, limit = view[_FLAGS_AT], view[_LIMIT_AT]
    at = _HEADER_SIZE + (_SIZE_SIZE if flags & _HAS_SIZE else 0)
    largest = limit >> 4
    plain = flags & _VERSION_AND_REST == _VERSION | _INDEPENDENT and not limit & _LIMIT_REST
    if not plain or largest < _SMALLEST_LIMIT or not _is_summed_right(bytes(view[:at])):
        return -1
    written, end, left = 0, len(view) - _WORD, most_pieces(len(view))
    while at <= end and left:
        left -= 1
        word = int.from_bytes(view[at : at + _WORD], "little")
        at += _WORD
        if not word:
            return written if at == len(view) else -1
        size = word & ~_PLAIN
        if not size or size > end - at:
            return -1
        part = target[written : written + (1 << 2 * largest + 8)]
        made = _block_into(view[at : at + size], part, plain=bool(word & _PLAIN))
        if made < 0:
            return -1
        written += made
        at += size
    return -1


def unlike_kafka(data: Buffer) -> str:
    """What in lz4 data Kafka's own reader refuses, or ends at, though libraries read on; empty: nothing.

    That reader knows one frame of independent blocks, up to the first empty one. A frame that is cut
    off is left to the decoder. Source: Kafka's Lz4BlockInputStream.
    """
    view = memoryview(data)
    if len(view) < _HEADER_SIZE + _WORD or view[:_FLAGS_AT] != _MAGIC:
        return "it does not begin with a frame"
    flags = view[_FLAGS_AT]
    if flags & _REQUIRED != _VERSION | _INDEPENDENT or view[_LIMIT_AT] & _LIMIT_REST:
        return "blocks depend on each other, a dictionary is needed, or reserved bits are set"
    at = _HEADER_SIZE + (_SIZE_SIZE if flags & _HAS_SIZE else 0)
    behind = _WORD if flags & _SUMMED_BLOCKS else 0
    most = most_pieces(len(view))
    for _ in range(most):
        if at > len(view) - _WORD:
            return ""
        word = int.from_bytes(view[at : at + _WORD], "little")
        at += _WORD
        if not word:
            rest = len(view) - at - (_WORD if flags & _SUMMED_CONTENT else 0)
            return f"{rest} bytes are behind the end of the frame" if rest > 0 else ""
        if word == _PLAIN:
            return "an empty block is not the last"
        at += (word & ~_PLAIN) + behind
    return f"it has more than {most} blocks"


def _block_into(block: memoryview, target: memoryview, *, plain: bool) -> int:
    """One block; `plain` are those that would have grown. -1 where it is bad or has no room."""
    if plain:
        size = len(block)
        if size > len(target):
            return -1
        target[:size] = block
        return size
    import cramjam

    try:
        return int(cramjam.lz4.decompress_block_into(block, target, len(target)))
    except cramjam.DecompressionError:
        return -1


@lru_cache(maxsize=64)
def _is_summed_right(header: bytes) -> bool:
    """Whether the header's own checksum is right. Most frames have the same header."""
    return rightly_summed(header) is header
