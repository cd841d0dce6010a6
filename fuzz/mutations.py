"""Bytes made wrong from a seed: cut, flipped, stretched, and lengths replaced by the worst ones."""

import random
import struct

# Sizes and counts that break decoders: ends of their ranges, and a little off the truth.
NUMBERS = (0, 1, -1, 2, 127, 128, 255, 256, 32767, -32768, 65535, 1 << 20, 2**31 - 1, -(2**31))
VARINTS = (b"\x00", b"\x01", b"\x7f", b"\xff\x7f", b"\xff\xff\xff\xff\x0f", b"\xff" * 9 + b"\x01",
           b"\x80" * 12)  # fmt: skip


def mutate(data: bytes, chance: random.Random) -> bytes:
    """`data` with one to four things done to it."""
    changed = bytearray(data)
    for _ in range(chance.randrange(1, 5)):
        chance.choice(_STEPS)(changed, chance)
    return bytes(changed)


def _at(data: bytearray, chance: random.Random) -> int:
    return chance.randrange(len(data) + 1)


def _flip(data: bytearray, chance: random.Random) -> None:
    if data:
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def _number(data: bytearray, chance: random.Random) -> None:
    layout = chance.choice((">h", ">i", ">q"))
    size = struct.calcsize(layout)
    if len(data) >= size:
        position = chance.randrange(len(data) - size + 1)
        number = chance.choice(NUMBERS)
        wrapped = number & ((1 << 8 * size) - 1)
        data[position : position + size] = wrapped.to_bytes(size, "big")


def _varint(data: bytearray, chance: random.Random) -> None:
    position = _at(data, chance)
    data[position : position + 1] = chance.choice(VARINTS)


def _cut(data: bytearray, chance: random.Random) -> None:
    del data[_at(data, chance) :]


def _remove(data: bytearray, chance: random.Random) -> None:
    position = _at(data, chance)
    del data[position : position + chance.randrange(1, 9)]


def _insert(data: bytearray, chance: random.Random) -> None:
    position = _at(data, chance)
    data[position:position] = chance.randbytes(chance.randrange(1, 9))


def _repeat(data: bytearray, chance: random.Random) -> None:
    first, last = sorted((_at(data, chance), _at(data, chance)))
    data[first:first] = data[first : min(last, first + 64)]


_STEPS = (_flip, _flip, _number, _number, _varint, _cut, _remove, _insert, _repeat)
