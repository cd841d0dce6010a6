"""Split received bytes into whole responses; a large one gets a buffer of its own. Decodes nothing.

A fetch response is mostly records that outlive the read event, so it is received straight into the
buffer that its views will reference. Small responses pass through one scratch buffer and are
copied. What a response claims to be costs nothing: beyond 16 MiB memory is taken as bytes arrive.
"""

import sys
from typing import Final

from barnabas.errors import DecodeError

_SCRATCH: Final = 65_536
_LARGE: Final = 16_384
_ROUND: Final = 262_144
_TRUSTED: Final = 16 << 20
_GROWTH: Final = 4
_KEPT: Final = 4
_FREE: Final = 2  # sys.getrefcount of a list item that nothing else holds: the list and the call


class BufferPool:
    """Buffers that are reused once no view of them is left.

    A view references the buffer under it, so the reference count shows when the last one is gone;
    callers return nothing. Fresh memory costs a page fault per 4 KiB, which is more expensive than
    receiving into warm pages.
    """

    __slots__ = ("_buffers",)

    def __init__(self) -> None:
        self._buffers: list[bytearray] = []

    def take(self, size: int) -> memoryview:
        """Return a writable view of exactly `size` bytes with undefined contents."""
        free = self._free(size)
        if free is not None:
            return free
        buffers = self._buffers
        fresh = bytearray(-(-size // _ROUND) * _ROUND)
        if len(buffers) == _KEPT:
            smallest = min(range(_KEPT), key=lambda index: len(buffers[index]))
            del buffers[smallest]
        buffers.append(fresh)
        return memoryview(fresh)[:size]

    def begin(self, size: int) -> memoryview:
        """Return a view for the first of `size` bytes: for all of them if that takes little new memory."""
        free = self._free(size)
        return self.take(min(size, _TRUSTED)) if free is None else free

    def clear(self) -> None:
        """Keep none: they are freed once no view of them is left."""
        self._buffers.clear()

    def _free(self, size: int) -> memoryview | None:
        buffers = self._buffers
        for index in range(len(buffers)):
            if sys.getrefcount(buffers[index]) == _FREE and len(buffers[index]) >= size:
                return memoryview(buffers[index])[:size]
        return None


class ResponseReader:
    """Chooses where to receive next and splits received bytes into responses, without their size prefix."""

    __slots__ = (
        "_fill", "_large", "_large_fill", "_large_size", "_max_bytes", "_pool", "_scratch", "_view",
    )  # fmt: skip

    def __init__(self, max_bytes: int, pool: BufferPool) -> None:
        self._max_bytes = max_bytes
        self._pool = pool
        self._scratch = bytearray(_SCRATCH)
        self._view = memoryview(self._scratch)
        self._fill = 0
        self._large: memoryview | None = None
        self._large_fill = 0
        self._large_size = 0

    def target(self) -> memoryview:
        """Where the next bytes go; never empty."""
        if self._large is not None:
            return self._large[self._large_fill :]
        return self._view[self._fill :]

    def received(self, count: int) -> list[memoryview]:
        """Accept `count` bytes in `target`; return the responses that are complete now.

        Raises:
            DecodeError: a size is negative or exceeds the limit. Nothing more can be read.
        """
        if self._large is not None:
            self._large_fill += count
            if self._large_fill < len(self._large):
                return []
            if self._large_fill < self._large_size:
                self._large = self._grown(self._large)
                return []
            whole, self._large = self._large, None
            return [whole]
        self._fill += count
        return self._cut()

    def close(self) -> None:
        """Drop what was received of a large response. Nothing more may be received."""
        self._large = None

    def _grown(self, full: memoryview) -> memoryview:
        larger = self._pool.take(min(self._large_size, _GROWTH * len(full)))
        larger[: len(full)] = full
        return larger

    def _cut(self) -> list[memoryview]:
        frames: list[memoryview] = []
        position = 0
        while self._fill - position >= 4:
            size = int.from_bytes(self._view[position : position + 4], signed=True)
            if not 0 < size <= self._max_bytes:
                expected = f"a size from 1 to {self._max_bytes}, not {size}"
                raise DecodeError("response", position, expected)
            here = self._view[position + 4 : min(position + 4 + size, self._fill)]
            if len(here) == size:
                frames.append(memoryview(bytes(here)))
                position += 4 + size
            elif size >= _LARGE:
                self._large = self._pool.begin(size)
                self._large_size = size
                self._large[: len(here)] = here
                self._large_fill = len(here)
                position = self._fill
            else:
                break
        left = self._fill - position
        if position and left:
            self._view[:left] = bytes(self._view[position : self._fill])
        self._fill = left
        return frames
