"""The int32 before a batch or message that says how much follows, and how drivers get it wrong."""

from barnabas.lens.walks.walk import Broken, Walk


def read_length(walk: Walk, path: str, least: int, *, cut: bool) -> int:
    """A length of at least `least`; more than is left only where what follows may be `cut`.

    One that is wrong in a way that is easily seen is a fault, and the right one is given.

    Raises:
        Broken: it is wrong in another way.
    """
    at = walk.position
    size = walk.number("i", path, "Bytes that follow, without these four.")
    left = walk.left
    if size >= least and (size <= left or cut):
        return size
    text = f"a length from {least} to {left} expected, not {size}"
    swapped = int.from_bytes(size.to_bytes(4, "big", signed=True), "little")
    for meant, guess in (
        (size - 12, "it counts the 12 bytes of offset and length too"),
        (size - 8, "it counts the 8 bytes of the offset too"),
        (size - 4, "it counts its own 4 bytes too"),
        (swapped, "it is in little-endian order"),
    ):
        if meant == left >= least:
            walk.fault(path, text, at, guess)
            return left
    raise Broken(at, path, text)
