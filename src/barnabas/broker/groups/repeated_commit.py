"""RepeatedCommit: an OffsetCommit like the previous one but for its offsets."""

from collections.abc import Sequence

from barnabas.broker.groups.group_shards import GroupShards, Held
from barnabas.broker.purgatory.pending import Repeatable
from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.coordinators.offsets.commit import Commit
from barnabas.errors import BrokerError, ErrorCode
from barnabas.ports import Clock


class QueuedCommit:
    """Records that were queued; `error_code` is there once they are written, or could not be."""

    __slots__ = ("_held", "_records", "error_code")

    def __init__(self, held: Held, records: Sequence[CoordinatorRecord]) -> None:
        self._held = held
        self._records = records
        self.error_code = ErrorCode.NONE

    def written(self, code: ErrorCode) -> None:
        """The records are written, or could not be."""
        self.error_code = code
        if code:
            self._held.shard.offsets.not_kept(self._records)


class RepeatedCommit(Repeatable):
    """Commits other offsets for the same partitions, while all of them would be taken.

    The outcome is that of the request that was handled just now. Partitions are looked at again after any
    change of topics.
    """

    __slots__ = ("_changes", "_clock", "_commit", "_shards")

    def __init__(self, shards: GroupShards, clock: Clock, commit: Commit, outcome: object) -> None:
        super().__init__(outcome)
        self._shards = shards
        self._clock = clock
        self._changes = shards.topics.changes
        self._commit = commit

    @property
    def sender(self) -> tuple[object, ...]:
        """The group, the member and the partitions: if they are the same twice, they may be again."""
        return self._commit.group_id, self._commit.who, tuple(self._commit.offsets)

    def again(self, values: Sequence[int]) -> QueuedCommit | None:
        """Queue a commit; None: it would be refused, or topics have changed; nothing is done."""
        shards, commit = self._shards, self._commit
        if shards.topics.changes != self._changes:
            return None
        try:
            held = shards.find(commit.group_id)
        except BrokerError:
            return None
        if held is None or not held.partition.commits_when_written:
            return None
        now_ms = self._clock.time_ms()
        offsets = {
            position: known._replace(offset=value, commit_timestamp=now_ms)
            for (position, known), value in zip(commit.offsets.items(), values, strict=True)
        }
        codes, records = held.shard.commit(commit._replace(offsets=offsets), shards.now_ms())
        if any(codes.values()):
            held.shard.offsets.not_kept(records)
            return None
        done = QueuedCommit(held, records)
        shards.append(held, records, done.written)
        return done
