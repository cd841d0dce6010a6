"""ReplyMemory: limits the memory of long responses while they are built.

A request of a few bytes may ask for everything there is. Its reply is made in steps and encoded as it grows
(`wire.growing`). Over the limit only the oldest reply grows, and the others wait, so that they end one by one.
"""

from barnabas.broker.purgatory.pending import Pending

MOST_GROWING_BYTES = 24 << 20
"""The limit for all replies together; the oldest one may exceed it."""


class ReplyShare:
    """The memory of one reply, from its first bytes until it has been sent or given up."""

    __slots__ = ("_memory", "size")

    def __init__(self, memory: "ReplyMemory") -> None:
        self._memory = memory
        self.size = 0

    @property
    def room(self) -> Pending | None:
        """Return what to wait for before it grows; None: it may grow now."""
        return self._memory.room_for(self)

    def grow(self, size: int) -> None:
        """Note that it has grown by `size` bytes."""
        self._memory.grow(self, size)

    def end(self) -> None:
        """Release its memory."""
        self._memory.end(self)


class ReplyMemory:
    """For one thread."""

    __slots__ = ("_shares", "_taken", "_waiting")

    def __init__(self) -> None:
        self._shares: dict[ReplyShare, None] = {}
        """The replies that have bytes, oldest first."""
        self._taken = 0
        self._waiting: list[Pending] = []

    def share(self) -> ReplyShare:
        """Return the share of a new reply."""
        return ReplyShare(self)

    def room_for(self, share: ReplyShare) -> Pending | None:
        """See `ReplyShare.room`."""
        if self._taken < MOST_GROWING_BYTES or next(iter(self._shares)) is share:
            return None
        pending = Pending()
        self._waiting.append(pending)
        return pending

    def grow(self, share: ReplyShare, size: int) -> None:
        """See `ReplyShare.grow`."""
        self._shares[share] = None
        self._taken += size
        share.size += size

    def end(self, share: ReplyShare) -> None:
        """See `ReplyShare.end`."""
        if share in self._shares:
            del self._shares[share]
            self._taken -= share.size
            waiting, self._waiting = self._waiting, []
            for pending in waiting:
                pending.complete(None)
