"""ConnectionMemory: the shared buffers of all connections of a loop, and their limits.

A connection owns memory only while it holds an unfinished frame, or replies that its peer has not taken;
that memory is counted here. Over the limit the frame goes that has waited longest for its next bytes,
and the replies of the peer that has taken nothing for longest: those that stall make room for others.
"""

from collections import OrderedDict
from mmap import mmap
from typing import Protocol

SCRATCH_BYTES = 256 * 1024
SEND_BYTES = 1280 * 1024
"""Holds an answer of the size that clients ask for by default, 1 MiB, and what is around it."""
_SMALLEST_RING = 128 * 1024
SMALL_RING_BYTES = 4 * 1024 * 1024
"""Rings up to this size are kept for the next that needs one."""
_KEPT_TOTAL_BYTES = 8 * 1024 * 1024


UNREAD_BYTES = 32 * 1024 * 1024
"""The most memory that all unread replies may take together. Replies from files do not count."""


class Holder(Protocol):
    """An owner of memory: for an unfinished frame, or for replies."""

    def evict(self) -> None:
        """Release all memory and close the connection."""
        ...


class HeldMemory:
    """Memory that several holders share, with one limit. For one thread."""

    __slots__ = ("_held", "_largest_bytes", "held_bytes", "limit_bytes")

    def __init__(self, limit_bytes: int, largest_bytes: int = 0) -> None:
        """The largest holder fits though it is over the limit, up to `largest_bytes`.

        Beside it the others have a quarter of the limit then.
        """
        self.limit_bytes = limit_bytes
        self._largest_bytes = largest_bytes
        self.held_bytes = 0
        self._held: OrderedDict[Holder, int] = OrderedDict()

    def hold(self, holder: Holder, size: int, *, progress: bool = True) -> None:
        """Record that `holder` now owns `size` bytes (0: nothing), and whether it has made progress.

        Holders that made no progress for longest are evicted until the rest fits; one that has just
        made some is spared unless it alone is over the limit.
        """
        self.held_bytes += size - self._held.get(holder, 0)
        if size:
            self._held[holder] = size
            if progress:
                self._held.move_to_end(holder)
        else:
            self._held.pop(holder, None)
        while self.held_bytes > self.limit_bytes and self.held_bytes > self._most:
            oldest = next(iter(self._held))
            # It must be out of the books before evict() is called, which comes back with hold(…, 0).
            self.held_bytes -= self._held.pop(oldest)
            oldest.evict()

    @property
    def _most(self) -> int:
        largest = min(max(self._held.values()), self._largest_bytes)
        return max(self.limit_bytes, largest + self.limit_bytes // 4)


class ConnectionMemory(HeldMemory):
    """One receive scratch, one send scratch, reused rings; the limits. For one thread.

    It is itself the memory for unfinished frames.
    """

    __slots__ = ("_kept", "_kept_bytes", "receive", "send", "unread")

    def __init__(self, limit_bytes: int, largest_bytes: int = 0) -> None:
        super().__init__(limit_bytes, largest_bytes)
        self.receive = memoryview(bytearray(SCRATCH_BYTES))
        self.send = memoryview(bytearray(SEND_BYTES))
        self.unread = HeldMemory(UNREAD_BYTES)
        """For replies."""
        self._kept: list[memoryview] = []
        self._kept_bytes = 0

    def lease(self, size: int) -> memoryview:
        """A ring of at least `size` bytes; its content is arbitrary.

        A small one is rounded up to a power of two, so that it fits others.
        """
        if size > SMALL_RING_BYTES:
            # Only what is written into it becomes resident, and all of that goes back at once.
            return memoryview(mmap(-1, size))
        capacity = max(_SMALLEST_RING, 1 << (size - 1).bit_length())
        for index, ring in enumerate(self._kept):
            if len(ring) == capacity:
                del self._kept[index]
                self._kept_bytes -= capacity
                return ring
        return memoryview(bytearray(capacity))

    def give_back(self, ring: memoryview) -> None:
        """Take a ring for the next lease, or let it go when enough are kept."""
        size = len(ring)
        if size <= SMALL_RING_BYTES and self._kept_bytes + size <= _KEPT_TOTAL_BYTES:
            self._kept.append(ring)
            self._kept_bytes += size
