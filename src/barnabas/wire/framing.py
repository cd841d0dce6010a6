"""A byte stream to frames: each is its size as int32, then that many bytes. Knows no meaning."""

from collections.abc import Iterator
from struct import Struct, error

from barnabas.errors import DecodeError

_SIZE = Struct(">i")

SIZE_BYTES = _SIZE.size

size_at = _SIZE.unpack_from
"""`(size,) = size_at(buffer, position)`: what a frame says of its size."""


class FrameSplitter:
    """Finds whole frames in a receive buffer. Holds no bytes: the buffer is the caller's."""

    __slots__ = ("max_bytes",)

    def __init__(self, max_bytes: int) -> None:
        """Frames of more than `max_bytes` (without the size itself) are refused."""
        self.max_bytes = max_bytes

    def needed(self, buffer: memoryview, position: int = 0) -> int:
        """Bytes of the frame at `position` with its size; SIZE_BYTES while that is not whole.

        Raises:
            DecodeError: the size is negative or beyond the limit; nothing was allocated for it.
        """
        try:
            (size,) = size_at(buffer, position)
        except error:
            return SIZE_BYTES
        if not 0 <= size <= self.max_bytes:
            raise DecodeError("frame", position, f"a size from 0 to {self.max_bytes}, not {size}")
        needed: int = SIZE_BYTES + size
        return needed

    def feed(self, buffer: memoryview) -> Iterator[memoryview]:
        """Give the whole frames of `buffer`, without their sizes, as views of it.

        What is left behind the last whole frame starts at the sum of `len(frame) + SIZE_BYTES`.

        Raises:
            DecodeError: as `needed`; frames before the bad one have been given.
        """
        position = 0
        while (end := position + self.needed(buffer, position)) <= len(buffer):
            yield buffer[position + SIZE_BYTES : end]
            position = end
