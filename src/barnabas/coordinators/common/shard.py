"""What every coordinator's shard is: handles requests to records, changes by replaying them only.

A shard belongs to one partition of an internal topic. It never touches its state while it handles
a request: the caller appends the records and replays them once they are written. So loading after
a start, which is replaying all, cannot differ from what happened live.
"""

from collections.abc import Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from barnabas.coordinators.common.undo import WayBack
from barnabas.types import Buffer

Reply = TypeVar("Reply")


class CoordinatorRecord(NamedTuple):
    """One record of an internal topic; no value deletes the key's object."""

    key: bytes
    value: bytes | None


def bytes_of(records: Sequence[CoordinatorRecord]) -> int:
    """How many bytes their values have together."""
    return sum([len(value) for _, value in records if value is not None])


class CoordinatorResult(NamedTuple, Generic[Reply]):
    """What a request comes to.

    The caller must, in this order: append `records` as one batch; when they are written, replay
    them and give `reply`. If they cannot be written, neither happens.
    """

    reply: Reply
    records: tuple[CoordinatorRecord, ...] = ()


class Replayed(NamedTuple, Generic[Reply]):
    """A record that the shard has applied already.

    `undo` reverts it, as long as nothing else has changed its objects.
    """

    reply: Reply
    records: tuple[CoordinatorRecord, ...] = ()
    undo: WayBack | None = None


class TransactionalShard(Protocol):
    """A shard of which some records may be of transactions."""

    def replay_in_transaction(
        self, producer_id: int, key: Buffer | None, value: Buffer | None
    ) -> None:
        """Take in one record that counts when its producer commits; raises as `replay`."""
        ...

    def end_transaction(self, producer_id: int, *, committed: bool) -> None:
        """Let all of a producer's records count, or none."""
        ...


class CoordinatorShard(Protocol):
    """State that follows from records alone."""

    def replay(self, key: Buffer | None, value: Buffer | None) -> None:
        """Take in one record, in the order of the log. Records of unknown kinds are passed over.

        Raises:
            DecodeError: the record is of a known kind and not what it should be.
        """
        ...
