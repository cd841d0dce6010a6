"""Split a byte stream into frames: an int32 size, then that many bytes."""

from collections.abc import Callable, Iterator
from struct import Struct, error
from typing import NamedTuple

from barnabas.errors import DecodeError

_SIZE = Struct(">i")

SIZE_BYTES = _SIZE.size

size_at = _SIZE.unpack_from
"""`(size,) = size_at(buffer, position)`: what a frame says of its size."""


HEAD_BYTES = 4
"""Of a frame, which say what kind of request it is."""


class LargeFrameCheck(NamedTuple):
    """What is asked about a frame above a size, as soon as HEAD_BYTES of it are there.

    `check` takes these and the size; it raises DecodeError if the frame may not be so large.
    """

    size: int
    check: Callable[[memoryview, int], None]


class FrameSplitter:
    """Finds whole frames in a receive buffer. Holds no bytes: the buffer is the caller's."""

    __slots__ = ("large", "max_bytes")

    def __init__(self, max_bytes: int, large: LargeFrameCheck | None = None) -> None:
        """Frames of more than `max_bytes` (without the size itself) are refused, and what `large` refuses."""
        self.max_bytes = max_bytes
        self.large = large

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
        head = position + SIZE_BYTES
        large = self.large
        if large is not None and size > large.size and len(buffer) - head >= HEAD_BYTES:
            large.check(buffer[head : head + HEAD_BYTES], size)
        needed: int = SIZE_BYTES + size
        return needed

    def feed(self, buffer: memoryview) -> Iterator[memoryview]:
        """Give the whole frames of `buffer`, without their sizes, as views of it.

        What is left after the last whole frame starts at the sum of `len(frame) + SIZE_BYTES`.

        Raises:
            DecodeError: as `needed`; frames before the bad one have been given.
        """
        position = 0
        while (end := position + self.needed(buffer, position)) <= len(buffer):
            yield buffer[position + SIZE_BYTES : end]
            position = end
