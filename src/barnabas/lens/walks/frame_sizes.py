"""The size before each frame: its value, and its mistakes."""

from barnabas.lens.walks.walk import UnreadableBytes, Walk, counted_bytes

_TLS = (b"\x16\x03", b"\x15\x03")
_HTTP = (b"GET ", b"POST", b"PUT ", b"HEAD", b"HTTP")


def read_size(walk: Walk) -> None:
    """Read the size of a frame and compare it with the frame.

    Raises:
        UnreadableBytes: what follows is not a frame.
    """
    at = walk.position
    size = walk.number("i", "size", "The size of the frame, without these four bytes.")
    left = walk.left
    if size == left:
        return
    text = f"a size of {size}, but {counted_bytes(left)} follow"
    if guess := _foreign(walk.data[at:]):
        walk.fault("size", text, at, guess)
        raise UnreadableBytes(walk.position, "frame", "this is not a Kafka frame")
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
    """The other protocol that the bytes start with; "" if unknown."""
    if data.startswith(_TLS):
        return "this is TLS: what is inside cannot be seen"
    return "this is HTTP" if data.startswith(_HTTP) else ""
