"""The header checksum of lz4 frames, which the clients of magic 0 made wrong.

They hashed the frame's magic number along with the descriptor. Readers of that time insist on the
wrong one and lz4 libraries on the right one. Source: KIP-57, lz4's frame format, the xxHash format.
"""

from barnabas.types import Buffer

_MAGIC_SIZE = 4
_FLAGS_AT = 4
_HAS_SIZE, _HAS_DICTIONARY = 0x08, 0x01
_MAX = 0xFFFFFFFF
_P1, _P2, _P3, _P4, _P5 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1


def rightly_summed(frame: Buffer) -> Buffer:
    """The frame with the checksum that lz4 libraries expect; itself where nothing is to mend."""
    at = _checksum_at(frame)
    if at is None:
        return frame
    return _with(frame, at, _checksum(memoryview(frame)[_MAGIC_SIZE:at]))


def wrongly_summed(frame: Buffer) -> Buffer:
    """The frame with the checksum that clients of magic 0 write and expect."""
    at = _checksum_at(frame)
    assert at is not None, "a frame that was just made has a header"
    return _with(frame, at, _checksum(memoryview(frame)[:at]))


def _with(frame: Buffer, at: int, checksum: int) -> Buffer:
    if frame[at] == checksum:
        return frame
    changed = bytearray(frame)
    changed[at] = checksum
    return changed


def _checksum_at(frame: Buffer) -> int | None:
    """Where the checksum is; None if the frame ends before it."""
    if len(frame) <= _FLAGS_AT:
        return None
    flags = frame[_FLAGS_AT]
    at = _FLAGS_AT + 2 + 8 * bool(flags & _HAS_SIZE) + 4 * bool(flags & _HAS_DICTIONARY)
    return at if at < len(frame) else None


def _checksum(data: Buffer) -> int:
    """The second byte of xxh32, as the frame format asks for."""
    return _xxh32(data) >> 8 & 255


def _xxh32(data: Buffer) -> int:
    """XXH32 with seed 0."""
    at = 0
    if len(data) >= 16:
        lanes = [(_P1 + _P2) & _MAX, _P2, 0, -_P1 & _MAX]
        while len(data) - at >= 16:
            for lane in range(4):
                word = int.from_bytes(data[at : at + 4], "little")
                lanes[lane] = _rotated(lanes[lane] + word * _P2, 13) * _P1 & _MAX
                at += 4
        value = sum(_rotated(lanes[lane], (1, 7, 12, 18)[lane]) for lane in range(4))
    else:
        value = _P5
    value += len(data)
    while len(data) - at >= 4:
        word = int.from_bytes(data[at : at + 4], "little")
        value = _rotated(value + word * _P3, 17) * _P4
        at += 4
    for byte in data[at:]:
        value = _rotated(value + byte * _P5, 11) * _P1
    value &= _MAX
    value = (value ^ value >> 15) * _P2 & _MAX
    value = (value ^ value >> 13) * _P3 & _MAX
    return value ^ value >> 16


def _rotated(value: int, bits: int) -> int:
    value &= _MAX
    return (value << bits | value >> 32 - bits) & _MAX
