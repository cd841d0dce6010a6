"""FrameStarts: the starts of the frames of one direction; what is behind is counted, not kept."""

from collections.abc import Iterator
from typing import Final

from barnabas.lens.watching.exchanges import SIZE_BYTES
from barnabas.types import Buffer

_LARGEST: Final = 1 << 30


class FrameStarts:
    """After an impossible size it returns no more frames: their starts are unknown."""

    def __init__(self) -> None:
        self._start = bytearray()
        self._left = 0
        """Bytes of the present frame that are to come; of its size, if `_size` is negative."""
        self._size = -1
        self._lost = False

    def feed(self, data: Buffer, most: int) -> Iterator[tuple[bytes, int]]:
        """Give each frame that ends in `data`: at most `most` bytes of it, and its size, without that."""
        at, data = 0, memoryview(data)
        while at < len(data) and not self._lost:
            if self._size < 0:
                taken = data[at : at + SIZE_BYTES - len(self._start)]
                self._start += taken
                at += len(taken)
                if len(self._start) < SIZE_BYTES:
                    return
                self._size = self._left = int.from_bytes(self._start, "big", signed=True)
                self._start.clear()
                self._lost = not 0 <= self._size <= _LARGEST
            taken = data[at : at + max(0, self._left)]
            # `most` may grow amid a frame: no byte is kept behind one that was not.
            if self._size - self._left == len(self._start):
                self._start += taken[: max(0, most - len(self._start))]
            at += len(taken)
            self._left -= len(taken)
            if not self._left and not self._lost:
                start, size = bytes(self._start), self._size
                self._start.clear()
                self._size = -1
                yield start, size
