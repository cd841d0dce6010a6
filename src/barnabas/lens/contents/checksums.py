"""Checksums of batches and messages: compared, and what a wrong one may be the checksum of."""

from collections.abc import Callable, Iterable
from typing import NamedTuple
from zlib import adler32, crc32

from barnabas.lens.walks.walk import Walk
from barnabas.records.checksums import crc32c
from barnabas.types import Buffer


class Covered(NamedTuple):
    """A range of bytes that somebody may have made a checksum of."""

    what: str
    start: int
    end: int


_ALGORITHMS: dict[str, Callable[[Buffer], int]] = {
    "CRC-32C": crc32c,
    "CRC-32": crc32,
    "Adler-32": adler32,
}


def check_crc(walk: Walk, algorithm: str, right: Covered, others: Iterable[Covered]) -> None:
    """Compare the checksum that was read last, of `right`; guess at what a wrong one is."""
    part = walk.parts[-1]
    assert isinstance(part.value, int)
    expected = _ALGORITHMS[algorithm](memoryview(walk.data)[right.start : right.end])
    if part.value == expected:
        walk.parts[-1] = part._replace(meaning=f"{part.meaning} It is right.")
        return
    where = f"bytes {right.start} to {right.end - 1}" if right.end > right.start else "no bytes"
    text = f"the {algorithm} of {where}, {expected:#010x}, expected, not {part.value:#010x}"
    guess = _guess(walk.data, part.value, algorithm, (right, *others))
    walk.fault(part.path, text, part.start, guess)


def _guess(data: bytes, found: int, algorithm: str, ranges: Iterable[Covered]) -> str:
    """Which checksum over which range gives `found`; the first range is the right one."""
    view = memoryview(data)
    swapped = int.from_bytes(found.to_bytes(4, "big"), "little")
    for number, covered in enumerate(ranges):
        for name, made in _ALGORITHMS.items():
            crc = made(view[max(covered.start, 0) : max(covered.end, 0)])
            if crc not in (found, swapped):
                continue
            said = [] if name == algorithm else [f"it is {name}, not {algorithm}"]
            if number:
                said.append(f"it covers {covered.what}")
            if crc != found:
                said.append("its bytes are in little-endian order")
            return " and ".join(said)
    return ""
