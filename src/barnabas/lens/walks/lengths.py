"""The int32 length before a batch or message, and how drivers get it wrong."""

from barnabas.lens.walks.walk import UnreadableBytes, Walk


def read_length(walk: Walk, path: str, least: int, *, cut: bool) -> int:
    """Read a length of at least `least`; it may exceed what is left only if `cut`.

    An obvious mistake is a fault, and the correct length is returned.

    Raises:
        UnreadableBytes: it is wrong in another way.
    """
    at = walk.position
    size = walk.number("i", path, "The number of bytes that follow, without these four.")
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
    raise UnreadableBytes(at, path, text)
