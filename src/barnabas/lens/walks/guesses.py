"""Guess what the author of a broken frame meant: read it another way and see whether it fits."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from barnabas.lens.walks.part import Explained, Fault
from barnabas.wire.encoding import Encoding


class Interpretation(NamedTuple):
    """A way to read a frame; None: by the protocol. `order` is the byte order of numbers."""

    encoding: Encoding | None = None
    tags: bool = True
    header_tags: bool | None = None
    version: int | None = None
    order: str = ">"


AS_DECLARED = Interpretation()
altered = AS_DECLARED._replace

Again = Callable[[Interpretation, bytes], Explained]


def with_guess(
    found: Explained, ways: Iterable[tuple[str, Interpretation]], again: Again
) -> Explained:
    """The same explanation, with a guess at its fatal mistake if there is one.

    A truncated frame is not enough for a guess.
    """
    if any(fault.path == "size" and not fault.guess for fault in found.faults):
        return found
    fatal = next((fault for fault in found.faults if fault.fatal), None)
    if fatal is None or fatal.guess:
        return found
    guess = _guess(found, fatal, ways, again)
    if not guess:
        return found
    faults = (one._replace(guess=guess) if one is fatal else one for one in found.faults)
    return replace(found, faults=tuple(faults))


def _guess(
    found: Explained, fault: Fault, ways: Iterable[tuple[str, Interpretation]], again: Again
) -> str:
    """Return the first reading that reaches the end of the frame without another mistake."""
    for words, data in _patched(found, fault):
        if _fits(again(AS_DECLARED, data)):
            return words
    for words, how in ways:
        if _fits(again(how, found.data)):
            return words
    return ""


def _fits(found: Explained) -> bool:
    # Checksums do not match in a patched frame, or in one with further mistakes.
    mistakes = (one for one in found.faults if not one.path.endswith((".crc", "size")))
    return found.message is not None and not any(mistakes)


def _patched(found: Explained, fault: Fault) -> Iterator[tuple[str, bytes]]:
    """The frame with the number at the fault replaced by what its author may have meant."""
    part = next((one for one in found.parts if one.start == fault.position), None)
    if part is None or not isinstance(part.value, int):
        return
    data, width = found.data, part.end - part.start
    before, number, after = data[: part.start], data[part.start : part.end], data[part.end :]
    if "varint" in part.kind:
        if width == 1 and number[0] < 0x7F and "n + 1" in part.kind:
            yield "this is n, where n + 1 belongs", before + bytes((number[0] + 1,)) + after
        return
    yield "it is in little-endian order", before + number[::-1] + after
    value = int.from_bytes(number, "big", signed=True)
    if "length" in part.kind and value >= width:
        less = (value - width).to_bytes(width, "big", signed=True)
        yield f"it counts its own {width} bytes too", before + less + after
