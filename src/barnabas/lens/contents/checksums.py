"""Verify checksums of batches and messages, and guess what a wrong one covers."""

from collections.abc import Callable, Iterable
from typing import NamedTuple
from zlib import adler32, crc32

from barnabas.lens.walks.walk import Walk
from barnabas.records.checksums import crc32c
from barnabas.types import Buffer


class ChecksumRange(NamedTuple):
    """A range of bytes that an author may have computed a checksum of."""

    what: str
    start: int
    end: int


_ALGORITHMS: dict[str, Callable[[Buffer], int]] = {
    "CRC-32C": crc32c,
    "CRC-32": crc32,
    "Adler-32": adler32,
}


def check_crc(
    walk: Walk, algorithm: str, right: ChecksumRange, others: Iterable[ChecksumRange]
) -> None:
    """Compare the checksum that was read last with that of `right`; if it is wrong, guess why."""
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


def _guess(data: bytes, found: int, algorithm: str, ranges: Iterable[ChecksumRange]) -> str:
    """Find the checksum and range that give `found`; the first range is the correct one."""
    view = memoryview(data)
    swapped = int.from_bytes(found.to_bytes(4, "big"), "little")
    for number, covered in enumerate(ranges):
        for name, made in _ALGORITHMS.items():
            crc = made(view[max(covered.start, 0) : max(covered.end, 0)])
            if crc not in (found, swapped):
                continue
            words = [] if name == algorithm else [f"it is {name}, not {algorithm}"]
            if number:
                words.append(f"it covers {covered.what}")
            if crc != found:
                words.append("its bytes are in little-endian order")
            return " and ".join(words)
    return ""
