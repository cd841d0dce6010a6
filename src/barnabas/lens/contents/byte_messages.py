"""Messages of Kafka 0.6 and 0.7: a length, a magic, a CRC and a payload; sets within sets.

Source: seed 000 "Message".
"""

from functools import partial

from barnabas.lens.contents.checksums import ChecksumRange, check_crc
from barnabas.lens.contents.unpacking import codec_text, unpack
from barnabas.lens.walks.lengths import read_length
from barnabas.lens.walks.walk import UnreadableBytes, Walk, counted_bytes

_LENGTH_SIZE = 4
_LEAST = (5, 6)
_CODEC_BITS = 0x03
_INVALID_CODEC = 3
_DEEPEST = 3
_CUT = "the beginning of a message: a fetch ends where its size ends, continue at this one's offset"


def read_byte_messages(walk: Walk, path: str, *, cut: bool, depth: int = 0) -> None:
    """Read a message set; mistakes become faults. `cut`: it may be truncated anywhere."""
    index = 0
    while walk.left > 0:
        try:
            if not _message(walk, f"{path}.messages[{index}]", cut=cut, depth=depth):
                return
        except UnreadableBytes as broken:
            walk.fault(broken.path, broken.text, broken.position)
            walk.rest(path, "not understood")
            return
        index += 1


def _message(walk: Walk, path: str, *, cut: bool, depth: int) -> bool:
    start = walk.position
    if walk.left <= _LENGTH_SIZE:
        if not cut:
            walk.fault(path, f"a length and a message expected, {counted_bytes(walk.left)} left")
        walk.rest(path, _CUT)
        return False
    magic = walk.data[start + _LENGTH_SIZE]
    if magic not in (0, 1):
        at = start + _LENGTH_SIZE
        raise UnreadableBytes(at, f"{path}.magic", f"a magic of 0 or 1 expected, not {magic}")
    size = read_length(walk, f"{path}.length", _LEAST[magic], cut=cut)
    if size > walk.left:
        walk.rest(path, _CUT)
        return False
    inner = walk.within(size)
    inner.number("b", f"{path}.magic", "0: until 0.6, without attributes; 1: since 0.7.")
    codec = _attributes(inner, path) if magic else 0
    at = inner.position
    inner.number("I", f"{path}.crc", "CRC-32 of the payload only.")
    right = ChecksumRange("the payload", inner.position, inner.end)
    others = (
        ChecksumRange("magic and attributes too", start + _LENGTH_SIZE, at),
        ChecksumRange("the message from its magic", start + _LENGTH_SIZE, inner.end),
        ChecksumRange("the whole message", start, inner.end),
        ChecksumRange("the CRC too", at, inner.end),
    )
    check_crc(inner, "CRC-32", right, others)
    if codec and inner.left and depth < _DEEPEST:
        reader = partial(read_byte_messages, path=f"{path}.payload", cut=False, depth=depth + 1)
        unpack(inner, f"{path}.payload", codec, reader)
    elif inner.left:
        inner.bytes(inner.left, f"{path}.payload")
    walk.leave(inner, path, "not understood")
    return True


def _attributes(walk: Walk, path: str) -> int:
    """Read the codec; an invalid one is a fault, and treated as none."""
    at = walk.position
    codec = walk.number("b", f"{path}.attributes") & _CODEC_BITS
    walk.parts[-1] = walk.parts[-1]._replace(meaning=codec_text(codec))
    if codec == _INVALID_CODEC:
        walk.fault(f"{path}.attributes", "0 (none), 1 (gzip) or 2 (snappy) expected", at)
        return 0
    return codec
