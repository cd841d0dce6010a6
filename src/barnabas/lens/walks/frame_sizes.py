"""The size before each frame: what it says, and what is wrong with it."""

from barnabas.lens.walks.walk import Broken, Walk, counted_bytes

_TLS = (b"\x16\x03", b"\x15\x03")
_HTTP = (b"GET ", b"POST", b"PUT ", b"HEAD", b"HTTP")


def read_size(walk: Walk) -> None:
    """Read the size of a frame and hold it against the frame.

    Raises:
        Broken: what follows is no frame.
    """
    at = walk.position
    size = walk.number("i", "size", "Bytes that follow, without these four.")
    left = walk.left
    if size == left:
        return
    text = f"a size of {size}, but {counted_bytes(left)} follow"
    if guess := _foreign(walk.data[at:]):
        walk.fault("size", text, at, guess)
        raise Broken(walk.position, "frame", "this is none of Kafka's frames")
    swapped = int.from_bytes(walk.data[at : at + 4], "little", signed=True)
    if size == left + 4:
        guess = "it counts its own 4 bytes too"
    elif swapped == left:
        guess = "it is in little-endian order"
    elif swapped == left + 4:
        guess = "it is in little-endian order, and counts its own 4 bytes too"
    elif size > left:
        text = f"a size of {size}, of which {counted_bytes(left)} came: the frame is cut off"
    walk.fault("size", text, at, guess)


def _foreign(data: bytes) -> str:
    """Which other protocol the bytes begin with, "" for none that is known."""
    if data.startswith(_TLS):
        return "this is TLS: what is inside cannot be seen"
    return "this is HTTP" if data.startswith(_HTTP) else ""
