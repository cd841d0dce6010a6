"""Split the bytes of one direction into frames, by the size before each, as they arrive.

An impossible size ends it: the start of the next frame is unknown.
"""

from collections.abc import Iterator

SIZE = 4
LARGEST = 1 << 30
"""The largest plausible frame size, whatever `socket.request.max.bytes` may be."""

_MOST_LOST = 1 << 20
"""The number of bytes kept of an unsplittable stream; a relay passes less at a time."""


class Frames:
    """`position` is the offset of the next frame in the stream."""

    def __init__(self, position: int = 0) -> None:
        self._held = bytearray()
        self.position = position

    @property
    def lost(self) -> bool:
        """Whether the held bytes start with an impossible size."""
        if len(self._held) < SIZE:
            return False
        return not 0 <= self._size() <= LARGEST

    @property
    def held(self) -> bytes:
        """The bytes that do not form a complete frame."""
        return bytes(self._held)

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Return the complete frames, with their sizes and positions in the stream."""
        self._held += data
        while len(self._held) >= SIZE and not self.lost:
            end = SIZE + self._size()
            if len(self._held) < end:
                return
            frame = bytes(self._held[:end])
            del self._held[:end]
            start, self.position = self.position, self.position + end
            yield start, frame
        if self.lost:
            del self._held[_MOST_LOST:]

    def _size(self) -> int:
        return int.from_bytes(self._held[:SIZE], "big", signed=True)
