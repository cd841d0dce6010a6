"""FetchPosition: where a consumer is in one assigned partition."""

from dataclasses import dataclass, field
from typing import Final

from barnabas.client.core.admin.group_descriptions import CommittedOffset
from barnabas.client.core.group.fetched_epochs import FetchedEpochs, KnownEpochs

NO_OFFSET: Final = -1
NO_REPLICA: Final = -1


@dataclass(slots=True)
class FetchPosition:
    """Where one assigned partition stands.

    `offset` is what the user gets next, `fetch_offset` what is fetched next; both are -1 until they
    are known, and then `wanted` says which end of the log to begin at (None: the committed offset,
    or what auto.offset.reset says). `turn` changes when the position is moved from outside. `epoch`
    is the leader epoch of the last batch before `fetch_offset`, -1 where nothing was fetched yet.
    `readable_end` is the offset after the last readable record, as of the last fetch (-1: none).
    `nearer` is the replica that the leader prefers for our fetches, until `nearer_until` (KIP-392).
    Records before `done` were returned by earlier polls than the last one (-1: none is known).
    `epochs` are those of what was fetched since the position was moved.
    """

    offset: int = NO_OFFSET
    fetch_offset: int = NO_OFFSET
    wanted: int | None = None
    epoch: int = -1
    paused: bool = False
    turn: int = 0
    parts: int = 0
    not_before: float = 0.0
    readable_end: int = -1
    nearer: int = NO_REPLICA
    nearer_until: float = 0.0
    done: int = NO_OFFSET
    epochs: FetchedEpochs = field(default_factory=FetchedEpochs)

    @property
    def known(self) -> bool:
        """Whether it is known."""
        return self.offset >= 0

    @property
    def lag(self) -> int | None:
        """Records up to the end, as of the last fetch; None before it, or if the offset is not known."""
        return self.readable_end - self.offset if self.known and self.readable_end >= 0 else None

    def saved_at(self, offset: int) -> CommittedOffset:
        """The contents of a commit of an offset of this partition."""
        return CommittedOffset(offset, self.known_epochs().before(offset))

    def known_epochs(self) -> KnownEpochs:
        """The leader epochs of the records fetched so far."""
        return self.epochs.until(self.fetch_offset)
