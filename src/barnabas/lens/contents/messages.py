"""A message of magic 0 or 1 with its CRC, and the messages in it if it is compressed.

Source: seed 002 "Message sets", KIP-31, KIP-32.
"""

from functools import partial

from barnabas.lens.contents.checksums import ChecksumRange, check_crc
from barnabas.lens.contents.unpacking import codec_text, unpack
from barnabas.lens.walks.lengths import read_length
from barnabas.lens.walks.walk import UnreadableBytes, Walk
from barnabas.lens.walks.words import time_text
from barnabas.records.batches.batch import CODEC_MASK, LOG_APPEND_TIME, MAGIC_AT, SMALLEST_LENGTHS

_DEEPEST = 3
_PREFIX = 12


def read_message(walk: Walk, path: str, *, cut: bool, depth: int = 0) -> bool:
    """Read the message at the walk's position; return False if it is truncated.

    Raises:
        UnreadableBytes: a length is impossible.
    """
    start = walk.position
    magic = walk.data[start + MAGIC_AT]
    walk.number("q", f"{path}.offset", _offset_meaning(depth))
    size = read_length(walk, f"{path}.length", SMALLEST_LENGTHS[magic], cut=cut)
    if size > walk.left:
        walk.rest(path, "a message that was cut off: brokers cut where a limit falls")
        return False
    inner = walk.within(size)
    inner.number("I", f"{path}.crc", "CRC-32 of the rest of the message.")
    _check_crc(inner, start, inner.end)
    inner.number("b", f"{path}.magic", "The format: 0 to 0.9, 1 in 0.10.")
    attributes = inner.number("b", f"{path}.attributes")
    codec = attributes & CODEC_MASK
    words = [codec_text(codec)] + ["log append time"] * bool(magic and attributes & LOG_APPEND_TIME)
    inner.parts[-1] = inner.parts[-1]._replace(meaning=", ".join(words))
    if magic:
        time = inner.number("q", f"{path}.timestamp")
        inner.parts[-1] = inner.parts[-1]._replace(meaning=time_text(time))
    _sized(inner, f"{path}.key", 0, depth)
    _sized(inner, f"{path}.value", codec, depth)
    if inner.left:
        inner.fault(path, f"the message should end here; its length leaves {inner.left} bytes more")
    walk.leave(inner, path, "not understood")
    return True


def _offset_meaning(depth: int) -> str:
    if depth:
        return "In magic 1 counted within the compressed message, in magic 0 an offset."
    return "Its offset; of a compressed message that of the last one inside. Brokers write it."


def _check_crc(walk: Walk, start: int, end: int) -> None:
    """Verify the CRC, read last, of the message from `start` to `end`."""
    at = start + _PREFIX
    key_at = at + 6 + 8 * walk.data[start + MAGIC_AT]
    key = int.from_bytes(walk.data[key_at : key_at + 4], "big", signed=True)
    others = (
        ChecksumRange("the message from its attributes", at + 5, end),
        ChecksumRange("key and value with their lengths", key_at, end),
        ChecksumRange("the value only, as in 0.7", key_at + 8 + max(key, 0), end),
        ChecksumRange("the whole message", start, end),
        ChecksumRange("the length too", start + 8, end),
        ChecksumRange("the CRC too", at, end),
    )
    check_crc(walk, "CRC-32", ChecksumRange("", at + 4, end), others)


def _sized(walk: Walk, path: str, codec: int, depth: int) -> None:
    at = walk.position
    length = walk.number("i", path, "-1 is null.", kind="length, int32")
    if length == -1:
        walk.parts[-1] = walk.parts[-1]._replace(value=None)
        return
    if not 0 <= length <= walk.left:
        raise UnreadableBytes(at, path, f"a length from -1 to {walk.left} expected, not {length}")
    if codec and length and depth < _DEEPEST:
        inner = walk.within(length)
        unpack(inner, path, codec, partial(_messages, path=path, depth=depth + 1))
        walk.leave(inner, path, "not understood")
    else:
        walk.bytes(length, path)


def _messages(walk: Walk, path: str, depth: int) -> None:
    """Read the contents of a compressed message."""
    index = 0
    while walk.left > 0:
        where = f"{path}.messages[{index}]"
        if walk.left <= MAGIC_AT or walk.data[walk.position + MAGIC_AT] not in (0, 1):
            walk.fault(where, "a message of magic 0 or 1 expected")
            walk.rest(path, "not understood")
            return
        try:
            read_message(walk, where, cut=False, depth=depth)
        except UnreadableBytes as broken:
            walk.fault(broken.path, broken.text, broken.position)
            walk.rest(path, "not understood")
        index += 1
