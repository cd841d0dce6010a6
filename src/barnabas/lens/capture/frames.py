"""Frames: the bytes of one direction, cut into frames with the size before each, as they come.

A size that cannot be ends it: nobody knows where the next frame begins.
"""

from collections.abc import Iterator

SIZE = 4
LARGEST = 1 << 30
"""A size beyond this is none, whatever `socket.request.max.bytes` may be."""

_MOST_LOST = 1 << 20
"""Bytes that are kept of what nobody can cut; a relay gives less at a time."""


class Frames:
    """`position` is where in the stream the next frame begins."""

    def __init__(self, position: int = 0) -> None:
        self._held = bytearray()
        self.position = position

    @property
    def lost(self) -> bool:
        """Whether what is held begins with a size that cannot be."""
        if len(self._held) < SIZE:
            return False
        return not 0 <= self._size() <= LARGEST

    @property
    def held(self) -> bytes:
        """What has no whole frame."""
        return bytes(self._held)

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """The frames that are whole now, with their sizes and where in the stream they begin."""
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
