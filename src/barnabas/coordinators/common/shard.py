"""The contract of a coordinator's shard: a request gives records, and only replaying them changes state.

A shard belongs to one partition of an internal topic. It does not change its state while it handles
a request: the caller appends the records, and replays them once they are written. Loading after a
start replays all records, so that its result is the same as before the stop.
"""

from collections.abc import Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from barnabas.coordinators.common.undo import Undo
from barnabas.types import Buffer

Reply = TypeVar("Reply")


class CoordinatorRecord(NamedTuple):
    """One record of an internal topic; no value deletes the key's object."""

    key: bytes
    value: bytes | None


def bytes_of(records: Sequence[CoordinatorRecord]) -> int:
    """The total size of the values in bytes."""
    return sum([len(value) for _, value in records if value is not None])


class CoordinatorResult(NamedTuple, Generic[Reply]):
    """The result of a request: a response, and records that were not applied yet.

    The caller must append `records` as one batch; when they are written, replay them and send
    `reply`. If they cannot be written, it does neither.
    """

    reply: Reply
    records: tuple[CoordinatorRecord, ...] = ()


class Replayed(NamedTuple, Generic[Reply]):
    """The result of a request whose records were applied already.

    `undo` reverts them, as long as nothing else has changed the same objects.
    """

    reply: Reply
    records: tuple[CoordinatorRecord, ...] = ()
    undo: Undo | None = None


class TransactionalShard(Protocol):
    """A shard whose records may belong to transactions."""

    def replay_in_transaction(
        self, producer_id: int, key: Buffer | None, value: Buffer | None
    ) -> None:
        """Apply one record that counts when its producer commits; raises as `replay`."""
        ...

    def end_transaction(self, producer_id: int, *, committed: bool) -> None:
        """Commit all pending records of a producer, or drop them."""
        ...


class CoordinatorShard(Protocol):
    """State that depends on records alone."""

    def replay(self, key: Buffer | None, value: Buffer | None) -> None:
        """Apply one record, in the order of the log. Records of unknown kinds are ignored.

        Raises:
            DecodeError: the record is of a known kind, and damaged.
        """
        ...
