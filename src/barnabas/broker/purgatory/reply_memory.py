"""ReplyMemory: limits the memory of long responses while they are built.

Requests of a few bytes may name all there is. A reply to one is made in steps and written as it grows
(`wire.growing`); over the limit all wait but the one that began first, so that one by one they end.
"""

from barnabas.broker.purgatory.purgatory import Pending

MOST_GROWING_BYTES = 24 << 20
"""Of all together; the one that goes on may be larger."""


class ReplyShare:
    """What one reply takes, from its first bytes until it has been handed over, or given up."""

    __slots__ = ("_memory", "size")

    def __init__(self, memory: "ReplyMemory") -> None:
        self._memory = memory
        self.size = 0

    @property
    def room(self) -> Pending | None:
        """What to wait for before it grows; None: it may grow now."""
        return self._memory.room_for(self)

    def grow(self, size: int) -> None:
        """It has become larger by so many bytes."""
        self._memory.grow(self, size)

    def end(self) -> None:
        """It takes nothing any more."""
        self._memory.end(self)


class ReplyMemory:
    """For one thread."""

    __slots__ = ("_shares", "_taken", "_waiting")

    def __init__(self) -> None:
        self._shares: dict[ReplyShare, None] = {}
        """Those that have bytes, in the order in which they got their first."""
        self._taken = 0
        self._waiting: list[Pending] = []

    def share(self) -> ReplyShare:
        """For a reply that has no bytes yet."""
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
