"""Partition: a log with its role, and the appends that wait to be written or committed."""

from collections import deque
from collections.abc import Callable
from contextlib import suppress

from barnabas.broker.replicas.append_errors import (
    codec_of,
    no_records,
    unknown_codec,
)
from barnabas.broker.replicas.checked_appends import (
    ProducedSet,
    QueuedSet,
    append_checked,
    append_messages,
)
from barnabas.broker.replicas.own_batch import OwnBatch
from barnabas.broker.replicas.role import ReplicaRole
from barnabas.broker.replicas.uncommitted import UncommittedAppend, fail
from barnabas.coordinators.internal_topics import INTERNAL_TOPICS
from barnabas.errors import ErrorCode, StorageError
from barnabas.kernels.batches.producing import queued
from barnabas.log.partition.own_appending import append_batch, append_records
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.segments.log_config import TODAYS_MAGIC, LogConfig
from barnabas.protocol.produce import PartitionProduceResponse
from barnabas.records.batches.batch import MAGIC_AT
from barnabas.records.batches.unpacking import Unpacking
from barnabas.records.checksums import crc32c
from barnabas.records.codecs.compression import HIGHEST_CODEC, Codec
from barnabas.replication.acknowledgement import ALL
from barnabas.types import NO_TIMESTAMP
from barnabas.wire.schema import maker

_NONE = ErrorCode.NONE
_appended = maker(PartitionProduceResponse)


class Partition:
    """Appends to a log. Without a role this broker is alone, and leads.

    Invariant: `unanswered` and `write_callbacks` stand for batches that are queued and not yet written, and
    `uncommitted` for those that are written, but must be on stable storage before they count, or the
    broker's own that are not below the high watermark.
    """

    __slots__ = (
        "index", "is_internal", "leader_epoch", "log", "queued_bytes", "role", "unanswered",
        "uncommitted", "write_callbacks", "written_bytes",
    )  # fmt: skip

    def __init__(
        self, log: PartitionLog, leader_epoch: int, role: ReplicaRole | None = None
    ) -> None:
        self.log = log
        self.leader_epoch = leader_epoch
        self.written_bytes = 0
        """Of batches, since this broker has had the partition."""
        self.role = role
        if role is not None:
            log.high_watermark = log.recovered_watermark
        topic, self.index = log.topic_partition
        self.is_internal = topic in INTERNAL_TOPICS
        self.queued_bytes = 0
        self.unanswered: list[PartitionProduceResponse] = []
        self.write_callbacks: list[Callable[[ErrorCode], None]] = []
        self.uncommitted: deque[UncommittedAppend] = deque()
        log.end_updater.on_moved = self.on_committed

    def configure(self, config: LogConfig) -> None:
        """Obey other properties of the topic from now on.

        Where there are other replicas and records have no epochs any more, those of the records before
        count for nothing. Source: Kafka's Log.initializeLeaderEpochCache.
        """
        self.log.configure(config)
        if self.role is not None and self.log.config.magic < TODAYS_MAGIC:
            with suppress(StorageError):  # The log is offline then, and says so.
                self.log.forget_epochs()

    def append(
        self,
        records: memoryview | None,
        now_ms: int,
        *,
        highest_codec: Codec = HIGHEST_CODEC,
        in_transaction: bool = False,
        unpacking: Unpacking | None = None,
    ) -> PartitionProduceResponse:
        """Check and queue one record set; it counts when `write` has succeeded.

        The records are stamped in place and must stay as they are until `write`. `in_transaction`:
        they may belong to one. `unpacking`: what all of the request may unpack to. `highest_codec`: the
        newest one that the client knows.
        """
        if records is None or (highest_codec < HIGHEST_CODEC and codec_of(records) > highest_codec):
            return (no_records if records is None else unknown_codec)(self.index)
        bases = self.append_usual(records, [0, len(records)], now_ms)
        if bases:
            return self.appended(bases[0])
        produced = ProducedSet(records, now_ms, highest_codec, in_transaction, unpacking)
        return self._answered(append_checked(self.log, self.leader_epoch, produced))

    def append_usual(self, view: memoryview, places: list[int], now_ms: int) -> list[int]:
        """Check and queue batches one after the other, as far as they are usual ones.

        `places` has where each starts and ends in `view`. Returns the base offset of each that is
        queued, from the first one on. With the others nothing is done: `check_produced` and
        `PartitionLog.append` say what is wrong, or do what is seldom: to decompress, to follow a
        transaction, to roll the segment.
        """
        bases: list[int] = []
        self.queued_bytes += queued(
            self.log, view, places, self.leader_epoch, now_ms, crc32c, bases
        )
        return bases

    def appended(
        self, base_offset: int, append_time_ms: int = NO_TIMESTAMP, start_offset: int | None = None
    ) -> PartitionProduceResponse:
        """The response for a batch that is queued, which counts after `write`."""
        return _appended(
            index=self.index,
            error_code=_NONE,
            base_offset=base_offset,
            log_append_time_ms=append_time_ms,
            log_start_offset=self.log.start_offset if start_offset is None else start_offset,
        )

    def append_set(
        self,
        records: memoryview | None,
        now_ms: int,
        *,
        highest_codec: Codec = HIGHEST_CODEC,
        in_transaction: bool = False,
        unpacking: Unpacking | None = None,
    ) -> PartitionProduceResponse:
        """As `append`, for a client that sends messages of magic 0 and 1: see `append_messages`."""
        if records is None or (len(records) > MAGIC_AT and records[MAGIC_AT] == TODAYS_MAGIC):
            return self.append(
                records,
                now_ms,
                highest_codec=highest_codec,
                in_transaction=in_transaction,
                unpacking=unpacking,
            )
        produced = ProducedSet(records, now_ms, highest_codec, in_transaction, unpacking)
        return self._answered(append_messages(self.log, self.leader_epoch, produced))

    def _answered(self, outcome: QueuedSet | PartitionProduceResponse) -> PartitionProduceResponse:
        if not isinstance(outcome, QueuedSet):
            return outcome
        base_offset, append_time_ms, start_offset, size = outcome
        self.queued_bytes += size
        return self.appended(base_offset, append_time_ms, start_offset)

    def append_own(
        self, batch: bytearray, now_ms: int, on_written: Callable[[ErrorCode], None]
    ) -> None:
        """Queue a batch of the broker's own; `on_written` gets the code when it is written or has failed."""
        if self.role is not None and not self.role.leads:
            on_written(ErrorCode.NOT_LEADER_OR_FOLLOWER)
            return
        self._queued(append_batch(self.log, batch, self.leader_epoch, now_ms), on_written)

    def append_gathered(self, own: OwnBatch) -> None:
        """As `append_own`, of records that are no batch yet."""
        if self.role is not None and not self.role.leads:
            own.tell(ErrorCode.NOT_LEADER_OR_FOLLOWER)
            return
        size = append_records(self.log, own.records, self.leader_epoch, own.now_ms, own.codec)
        self._queued(size, own.tell)

    def _queued(self, size: int, on_written: Callable[[ErrorCode], None]) -> None:
        if size:
            self.queued_bytes += size
            self.write_callbacks.append(on_written)
        else:
            on_written(ErrorCode.KAFKA_STORAGE_ERROR)

    def join_own(self, on_written: Callable[[ErrorCode], None]) -> bool:
        """Call with the result of what is queued or uncommitted; False if there is nothing of that kind."""
        if self.queued_bytes:
            self.write_callbacks.append(on_written)
        elif self.uncommitted:
            self.uncommitted[-1].write_callbacks.append(on_written)
        else:
            return False
        return True

    def write(self) -> int:
        """Write what is queued, in one call; returns its bytes.

        If the disk fails, the responses for these batches become that error. With
        `flush.messages` the written records may not be committed yet: see `when_committed`.
        """
        written, self.queued_bytes = self.queued_bytes, 0
        unanswered, self.unanswered = self.unanswered, []
        write_callbacks, self.write_callbacks = self.write_callbacks, []
        try:
            self.log.write_pending()
            if self.log.refusal is not None:
                # It failed before, while it rolled, and took what was queued with it.
                raise self.log.refused()
        except StorageError as error:
            fail(error, unanswered, write_callbacks)
            raise
        self.written_bytes += written
        log = self.log
        if log.written_end < log.file_end:
            self.uncommitted.append(UncommittedAppend(log.file_end, unanswered, write_callbacks))
        elif write_callbacks and log.high_watermark < log.file_end:
            self.uncommitted.append(UncommittedAppend(log.file_end, [], write_callbacks))
        else:
            for on_written in write_callbacks:
                on_written(_NONE)
        return written

    @property
    def commits_when_written(self) -> bool:
        """Whether `write` commits appended records: no sync and no other replica is needed."""
        return (self.role is None or self.role.is_alone) and self.log.config.counts_when_written

    def answers_when_written(self, acks: int) -> bool:
        """Whether an append with these acks is answered with `write`, be it committed or not."""
        role = self.role
        if role is None or acks == ALL:
            return self.commits_when_written
        return role.leads and self.log.config.counts_when_written

    @property
    def is_committed(self) -> bool:
        """Whether no written record waits for its commit."""
        return not self.uncommitted

    def when_committed(self, callback: Callable[[], None]) -> None:
        """Call when all that is written now is committed or lost; `is_committed` must be false."""
        self.uncommitted[-1].callbacks.append(callback)

    def on_committed(self) -> None:
        """The high watermark has moved, or the log has failed."""
        log = self.log
        while self.uncommitted and (
            log.failure is not None or self.uncommitted[0].end <= log.high_watermark
        ):
            append = self.uncommitted.popleft()
            if log.failure is not None:
                fail(log.offline(), append.unanswered, append.write_callbacks)
            else:
                for on_written in append.write_callbacks:
                    on_written(_NONE)
            for callback in append.callbacks:
                callback()

    def give_up_uncommitted(self) -> None:
        """This leader commits no more: end all waits with NOT_LEADER_OR_FOLLOWER."""
        while self.uncommitted:
            append = self.uncommitted.popleft()
            for on_written in append.write_callbacks:
                on_written(ErrorCode.NOT_LEADER_OR_FOLLOWER)
            for callback in append.callbacks:
                callback()

    def end_offset_for_epoch(self, current_epoch: int, epoch: int) -> tuple[ErrorCode, int, int]:
        """Where a leader epoch ended here: error, epoch, end offset (KIP-101, KIP-279)."""
        code = self.check_epoch(current_epoch)
        if code:
            return code, -1, -1
        found_epoch, end = self.log.end_offset_for_epoch(epoch)
        return _NONE, found_epoch, end

    def check_epoch(self, known_epoch: int, *, from_follower: bool = False) -> ErrorCode:
        """KIP-320: an epoch that the client knows must be the present one; its log must be there.

        Only the leader answers, or with `from_follower` each replica (KIP-392).
        """
        if self.log.failure is not None:
            return ErrorCode.KAFKA_STORAGE_ERROR
        role = self.role
        if role is not None and not (role.serves_readers if from_follower else role.leads):
            return ErrorCode.NOT_LEADER_OR_FOLLOWER
        if known_epoch < 0 or known_epoch == self.leader_epoch:
            return _NONE
        if known_epoch < self.leader_epoch:
            return ErrorCode.FENCED_LEADER_EPOCH
        return ErrorCode.UNKNOWN_LEADER_EPOCH
