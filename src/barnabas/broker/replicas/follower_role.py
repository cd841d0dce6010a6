"""FollowerRole: the role of a replica whose partition another broker leads.

`replication.Follower` decides what to ask and what the answers do to the log; this does it.
"""

from collections.abc import Callable

from barnabas.broker.purgatory.purgatory import Purgatory
from barnabas.broker.replicas.partition import Partition
from barnabas.errors import ErrorCode
from barnabas.log.partition.fetched_appending import append_fetched
from barnabas.log.recovery.truncation import begin_with, start_anew, truncate_log
from barnabas.log.segments.log_config import TODAYS_MAGIC
from barnabas.records.batches.batch import read_entry
from barnabas.replication.follower import Follower, FollowerEffects, FollowerEvent
from barnabas.replication.requests import FollowerRequest
from barnabas.replication.watermark import LogOffsets

_NOTHING = memoryview(b"")
_MANY = 1 << 40
"""Bytes that are enough for every fetch that waits: it reads again, and sees what there is."""


class FollowerRole:
    """One leader epoch of a partition that this broker copies.

    Consumers that read from this replica wait for this object.
    """

    __slots__ = ("_is_held", "_purgatory", "follower", "on_ready", "partition")

    leads = False
    serves_readers = True
    is_alone = False
    knows_committed_end = False

    def __init__(
        self,
        partition: Partition,
        leader_epoch: int,
        purgatory: Purgatory,
        *,
        in_fetch: bool,
        back_off_ms: int,
    ) -> None:
        """Begin to follow. `in_fetch`: Fetch itself finds where the logs part (KIP-595).

        Raises:
            StorageError: what may not be committed cannot be cut off.
        """
        self.partition = partition
        self._purgatory = purgatory
        self.on_ready: Callable[[], None] | None = None
        """Is called when there is something to ask again, after a flush that was waited for."""
        self._is_held = False
        log = partition.log
        log.write_pending()
        if log.config.magic < TODAYS_MAGIC:
            log.forget_epochs()
        offsets = LogOffsets(log.start_offset, log.end_offset, log.high_watermark)
        self.follower = Follower(
            leader_epoch,
            offsets,
            log.epochs,
            truncates_in_fetch=in_fetch,
            back_off_ms=back_off_ms,
        )
        log.on_counted = self._on_counted
        self._carry_out(self.follower.begin(), _NOTHING, 0)

    def refuse_append(self, acks: int) -> ErrorCode:
        """Refuse: only the leader appends."""
        del acks
        return ErrorCode.NOT_LEADER_OR_FOLLOWER

    def end(self) -> None:
        """Follow no longer: consumers that wait ask again."""
        self._purgatory.happened(self, -1)

    def next_request(self, now_ms: int) -> FollowerRequest | None:
        """What to ask the leader now; None: nothing yet."""
        return self.follower.next_request(now_ms)

    def awaits_flush(self) -> bool:
        """Whether records must be on stable storage first (`flush.messages`); `on_ready` follows.

        The next fetch tells the leader that this replica has all before its offset.
        """
        log = self.partition.log
        self._is_held = log.written_end < self.follower.end_offset and log.failure is None
        return self._is_held

    def step(
        self, event: FollowerEvent, records: memoryview = _NOTHING, *, time_ms: int = 0
    ) -> None:
        """Take in an answer, with the whole batches in it; `time_ms` is wall time.

        Raises:
            StorageError: the log cannot be written; it is offline.
        """
        self._carry_out(self.follower.step(event), records, time_ms)

    def _on_counted(self, end: int) -> None:
        """All before `end` counts as written on this broker."""
        log, follower = self.partition.log, self.follower
        self._publish(max(log.high_watermark, min(follower.high_watermark, end)))
        if self._is_held and end >= follower.end_offset:
            self._is_held = False
            if self.on_ready is not None:
                self.on_ready()

    def _publish(self, watermark: int) -> None:
        """Let consumers read up to there."""
        log = self.partition.log
        before, log.high_watermark = log.high_watermark, watermark
        if watermark > before:
            self._purgatory.happened(self, _MANY)

    def _carry_out(self, effects: FollowerEffects, records: memoryview, time_ms: int) -> None:
        follower, log = self.follower, self.partition.log
        if effects.truncate_to is not None:
            truncate_log(log, effects.truncate_to)
            log.epochs.truncate_end(effects.truncate_to)
            # A batch that holds the offset went as a whole.
            follower.end_offset = log.end_offset
            follower.high_watermark = min(follower.high_watermark, log.end_offset)
        if effects.start_anew_at is not None:
            start_anew(log, effects.start_anew_at)
        if effects.append:
            begin_with(log, read_entry(records).base_offset)
            append_fetched(log, records, time_ms)
        if effects.high_watermark is not None:
            self._publish(min(follower.high_watermark, log.written_end))
        if effects.log_start is not None:
            log.delete_before(effects.log_start)
