"""Outbox: the sending half of a connection: buffers and file regions in order.

File regions that fit the send scratch are read into it and leave in one `sendmsg` with the bytes before
them: through memory in the processor's cache, that is cheaper than `sendfile`, page by page.
Larger regions are sent by `sendfile`, and so is the rest of a region that a slow peer read only in
part. That rest is read again later, never kept in memory.
"""

from collections import deque
from collections.abc import Callable
from itertools import islice

from barnabas.errors import StorageError
from barnabas.ports import Channel
from barnabas.runtime.connections.memory import SEND_BYTES, ConnectionMemory
from barnabas.types import Buffer
from barnabas.wire.send import FileSlice, Send

_PARTS_PER_CALL = 512
_SMALL_REGION = 256 * 1024
"""Up to here a region is worth reading again, if a peer did not take all of it at once."""
_PROGRESS_BYTES = 64 * 1024
"""A peer that takes less is no better than one that takes nothing."""
_PART_BYTES = 64
"""The approximate overhead of a part in bytes."""


class Outbox:
    """The unsent replies of one connection. `size` is in bytes, file regions included.

    `evict` is called when the memory for unread replies is used up.
    """

    __slots__ = (
        "_is_counted",
        "_memory",
        "_parts",
        "_taken",
        "evict",
        "is_plain",
        "size",
    )

    def __init__(
        self,
        memory: ConnectionMemory,
        evict: Callable[[], None],
    ) -> None:
        self._memory = memory
        self._is_counted = False
        self._taken = 0
        self.evict = evict
        self._parts: deque[Buffer | FileSlice] = deque()
        self.size = 0
        self.is_plain = True
        """Whether each reply queued since it was empty is one part: what is in a file may go meanwhile."""

    def add(self, send: Send | bytes) -> None:
        """Queue a reply behind the others."""
        if isinstance(send, bytes):
            self._parts.append(send)
        else:
            self._parts.extend(send.parts)
            self.is_plain &= len(send.parts) == 1
        self.size += len(send)

    def flush(self, channel: Channel) -> bool:
        """Send what fits; returns whether all is out.

        Raises:
            ConnectionFailed: the stream broke.
            StorageError: a file region cannot be read, or is shorter than promised.
        """
        parts = self._parts
        while parts:
            first = parts[0]
            if type(first) is bytes and len(parts) == 1:
                # One response, as mostly.
                wanted = len(first)
                sent = channel.send_one(first)
            elif isinstance(first, FileSlice) and first.size > _SMALL_REGION:
                wanted = first.size
                sent = channel.send_file(first.file, first.position, wanted)
            else:
                buffers, wanted = self._gather()
                sent = channel.send(buffers, more=wanted < self.size)
            if sent == self.size:
                parts.clear()
                self.size = 0
                self.is_plain = True
                break
            self._advance(sent)
            if sent < wanted:
                self._count()
                return False
        if self._is_counted:
            self._uncount()
        return True

    def clear(self) -> None:
        """Forget everything; for a stream that broke or ends."""
        self._parts.clear()
        self.size = 0
        self.is_plain = True
        self._uncount()

    def _count(self) -> None:
        """Tell the memory what is not taken. Comes last: it may evict, and that ends in `clear`."""
        held = 0
        for part in self._parts:
            if not isinstance(part, FileSlice):
                # What is left of a part keeps all of it.
                whole = part.obj if isinstance(part, memoryview) else part
                held += _PART_BYTES + memoryview(whole).nbytes
        progress = self._taken >= _PROGRESS_BYTES
        if progress:
            self._taken = 0
        self._is_counted = True
        self._memory.unread.hold(self, held, progress=progress)

    def _uncount(self) -> None:
        self._is_counted = False
        self._taken = 0
        self._memory.unread.hold(self, 0)

    def _gather(self) -> tuple[list[Buffer], int]:
        """Buffers for one call, and their bytes."""
        scratch = self._memory.send
        used = wanted = 0
        buffers: list[Buffer] = []
        for part in islice(self._parts, _PARTS_PER_CALL):
            if isinstance(part, FileSlice):
                size = part.size
                if used + size > SEND_BYTES:
                    break
                target = scratch[used : used + size]
                if part.file.read_into(part.position, target) != size:
                    end = part.position + size
                    raise StorageError(f"{part.file.path} ends before {end}, though it was longer")
                used += size
                buffers.append(target)
            else:
                size = len(part)
                buffers.append(part)
            wanted += size
        return buffers, wanted

    def _advance(self, sent: int) -> None:
        """Drop `sent` bytes, and parts without bytes in front of the next ones."""
        parts = self._parts
        self.size -= sent
        self._taken += sent
        while parts:
            first = parts[0]
            size = first.size if isinstance(first, FileSlice) else len(first)
            if sent < size:
                if not sent:
                    return
                if isinstance(first, FileSlice):
                    parts[0] = FileSlice(first.file, first.position + sent, size - sent)
                else:
                    parts[0] = memoryview(first)[sent:]
                return
            sent -= size
            parts.popleft()
