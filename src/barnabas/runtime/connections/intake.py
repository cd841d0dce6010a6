"""Intake: the receiving half of a connection: bytes to whole frames, without a copy.

Bytes are received into a buffer that all connections share, and frames are views of it. At the end of
the event, an unfinished frame is copied elsewhere. Only a large unfinished frame gets a ring of its own. The
ring doubles as bytes arrive, and has room for the whole frame once an eighth of it is there: the size that
a frame *claims* costs no memory.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress

from barnabas.errors import ConnectionFailed, DecodeError
from barnabas.ports import Channel
from barnabas.runtime.connections.memory import (
    SCRATCH_BYTES,
    SMALL_RING_BYTES,
    ConnectionMemory,
    Holder,
)
from barnabas.wire.framing import SIZE_BYTES, FrameSplitter, size_at

MOST_AT_ONCE = SCRATCH_BYTES // 2
"""A connection with larger frames gets a ring to receive them."""
_STASH_BYTES = 64 * 1024
_TRUSTED_BYTES = 4 * 1024 * 1024
_TRUSTED_PART = 8
_NOTHING = memoryview(b"")


class Intake:
    """Frames of one connection. Order per event: `fill`, `frames`, `settle`.

    Invariant between events: bytes received but not yet returned are either in `_stash` (small) or
    in `_ring` at [_start, _end); `_view` is then the ring or empty.
    """

    __slots__ = (
        "_delivered", "_end", "_holder", "_memory", "_needed", "_ring", "_start",
        "_stash", "_view", "held_bytes", "max_frame_bytes",
    )  # fmt: skip

    def __init__(self, memory: ConnectionMemory, holder: Holder, splitter: FrameSplitter) -> None:
        """`splitter` decides which sizes frames may have."""
        self._memory = memory
        self._holder = holder
        self.max_frame_bytes = splitter.max_bytes
        self._needed = splitter.needed
        self.held_bytes = 0
        """Between events: what an unfinished frame, or frames not yet wanted, take of the memory."""
        self._stash = b""
        self._ring: memoryview | None = None
        self._view = _NOTHING
        self._start = 0
        self._end = 0
        self._delivered = 0

    @property
    def waiting_bytes(self) -> int:
        """Bytes received and not yet returned as frames."""
        return len(self._stash) + self._end - self._start

    @property
    def has_frame(self) -> bool:
        """Whether a whole frame, or one of an impossible size, waits between events."""
        held = (
            self._view[self._start : self._end]
            if self._ring is not None
            else memoryview(self._stash)
        )
        with suppress(DecodeError):
            return len(held) >= SIZE_BYTES and self._needed(held) <= len(held)
        return True

    def open(self) -> None:
        """Bring what was set aside back into a buffer; `fill` does it by itself."""
        if self._ring is not None:
            return
        if self._delivered > MOST_AT_ONCE:
            # This peer has proved that it sends large frames: spare it the copy out of the scratch.
            self._ring = self._view = self._memory.lease(self._delivered)
        else:
            self._view = self._memory.receive
        stash = self._stash
        self._start = 0
        self._end = len(stash)
        if stash:
            self._view[: self._end] = stash
            self._stash = b""

    def fill(self, channel: Channel) -> int:
        """Receive once; returns the bytes received, 0 at the end of the stream, -1 for none now.

        Receives nothing while whole frames fill the buffer: call `frames` first.

        Raises:
            ConnectionFailed: the stream broke; bytes received before are kept.
            DecodeError: the next frame has an impossible size.
        """
        if self._stash or self._ring is not None or self._delivered > MOST_AT_ONCE:
            self.open()
            if self._ring is not None:
                self._make_room()
                if self.is_full:
                    return -1
        else:
            # Nothing is set aside, as most often.
            self._view = self._memory.receive
            self._start = self._end = 0
        end = self._end
        try:
            received = channel.receive_into(self._view[end:] if end else self._view)
        except ConnectionFailed:
            self.settle()
            raise
        if received > 0:
            self._end = end + received
        return received

    def skip(self, take: Callable[[memoryview, int, int], int]) -> bool:
        """Have whole frames taken from the front; returns whether nothing is left.

        `take` has what was received, where it starts and ends, and returns where the frames end.
        """
        self._start = take(self._view, self._start, self._end)
        return self._start == self._end

    @property
    def is_full(self) -> bool:
        """Whether the buffer is full; more bytes may be waiting."""
        return self._end == len(self._view)

    def frames(self) -> Iterator[memoryview]:
        """Yield whole frames, without their sizes: views that are valid until the event ends.

        Raises:
            DecodeError: a frame has a negative size or one over the limit.
        """
        view, start, end, most = self._view, self._start, self._end, self.max_frame_bytes
        # Most often nothing is left behind the first, or too little for a size.
        while end - start >= SIZE_BYTES:
            (size,) = size_at(view, start)
            stop = start + SIZE_BYTES + size if 0 <= size <= most else self._needed(view, start)
            if stop > end:
                break
            self._start = stop
            if stop - start > self._delivered:
                self._delivered = min(stop - start, _TRUSTED_BYTES)
            yield view[start + SIZE_BYTES : stop]
            if self._end != end:
                break  # released: the connection is closed
            start = stop

    def put_back(self, frame: memoryview) -> None:
        """Have the frame that came last come again."""
        self._start -= SIZE_BYTES + len(frame)

    def settle(self) -> None:
        """End the event: keep what is left, give back what is not needed."""
        start, end = self._start, self._end
        if start == end:
            self._start = self._end = 0
            if self._ring is not None:
                self._drop_ring()
            if self.held_bytes:
                self._count(0)
            return
        if self._ring is None:
            left = end - start
            if left <= _STASH_BYTES:
                self._stash = bytes(self._view[start:end])
                self._start = self._end = 0
                self._count(left)
                return
            ring = self._memory.lease(left + 1)
            ring[:left] = self._view[start:end]
            self._ring = self._view = ring
            self._start, self._end = 0, left
        elif start and len(self._ring) > SMALL_RING_BYTES and end - start < len(self._ring) // 4:
            # A large frame was returned, and little was received after it.
            self._replace_ring(end - start + 1)
        self._count(len(self._view))

    def release(self) -> None:
        """Forget everything; for a connection that closes."""
        self._stash = b""
        self._start = self._end = 0
        if self._ring is not None:
            self._drop_ring()
        self._view = _NOTHING
        self._count(0)

    def _count(self, size: int) -> None:
        """Tell the memory what is held. Comes last: it may evict, and that ends in `release`."""
        self.held_bytes = size
        self._memory.hold(self._holder, size)

    def _drop_ring(self) -> None:
        assert self._ring is not None
        self._memory.give_back(self._ring)
        self._ring = None
        self._view = _NOTHING

    def _replace_ring(self, size: int) -> None:
        """Move what is held into a ring of another size."""
        ring, start, end = self._view, self._start, self._end
        other = self._memory.lease(size)
        other[: end - start] = ring[start:end]
        self._memory.give_back(ring)
        self._ring = self._view = other
        self._start, self._end = 0, end - start

    def _make_room(self) -> None:
        """Leave room behind the held bytes: move them to the front, or into a larger ring."""
        ring = self._view
        start, end = self._start, self._end
        held = end - start
        wanted = self._needed(ring[:end], start) if held >= SIZE_BYTES else SIZE_BYTES
        if start + wanted <= len(ring) and end < len(ring):
            return
        if wanted <= len(ring) or held < len(ring):
            if start:
                ring[:held] = ring[start:end]
        else:
            size = wanted if wanted <= _TRUSTED_PART * held else 2 * held
            # Others may have to make room before it is taken, or this one.
            self._count(size)
            if self._ring is None:
                return
            self._replace_ring(size)
        self._start, self._end = 0, held
        self._count(len(self._view))
