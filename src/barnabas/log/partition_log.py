"""One partition's log: append, read, roll, flush, cut. Called by one thread; decides at once.

What is *not* here: opening and recovery (`opening`), truncation, when old segments go
(`retention`).
"""

from barnabas.errors import ErrorCode, LogDirFailed, StorageError
from barnabas.log.config import LogConfig
from barnabas.log.flushing import Flushing
from barnabas.log.leader_epochs import LeaderEpochs
from barnabas.log.limits import needs_new_segment, refuse_if_beyond
from barnabas.log.losses import Losses
from barnabas.log.outcomes import NOTHING, OUT_OF_RANGE, AppendInfo, FoundTimestamp, ReadInfo
from barnabas.log.producer_snapshot import write_snapshot
from barnabas.log.producer_state import ProducerState, repeated
from barnabas.log.reading import ReadHints, slice_of_older, slice_of_recent
from barnabas.log.recent_batches import RecentBatches
from barnabas.log.seen_end import SeenEnd
from barnabas.log.segment import Segment
from barnabas.log.segments import Segments
from barnabas.log.timestamps import first_not_before, newest
from barnabas.ports import Disk
from barnabas.records.batch import BatchHeader, read_header, stamp, stamp_append_time
from barnabas.records.refused import RefusedRecords
from barnabas.records.unpacking import Unpacking
from barnabas.types import NO_TIMESTAMP, Buffer, TopicPartition, new_tuple


class PartitionLog:
    """The records of one partition on one disk.

    Invariant: start_offset <= written_end <= end_offset, and recovery_point <= written_end.
    """

    __slots__ = (
        "_hints", "_queue", "_recent", "_touched", "config", "directory", "disk", "end_offset",
        "epochs", "failure", "file_end", "flushing", "losses", "producers", "seen",
        "segments", "snapshot_offset", "start_offset", "topic_id", "topic_partition",
        "written_end",
    )  # fmt: skip

    def __init__(
        self, disk: Disk, topic_partition: TopicPartition, directory: str, config: LogConfig
    ) -> None:
        self.disk = disk
        self.topic_partition = topic_partition
        self.topic_id = bytes(16)
        self.directory = directory
        self.config = config
        self.segments: Segments
        self.epochs: LeaderEpochs
        self.producers = ProducerState()
        self.start_offset = 0
        """The first offset that may be read."""
        self.end_offset = 0
        """The offset of the next record; counts what is queued."""
        self.written_end = 0
        """The end of what readers may see: on one broker the high watermark."""
        self.file_end = 0
        """The end of what is in the file; readers see less where it must be synced first."""
        self.seen = SeenEnd(self)
        self.flushing = Flushing(disk, directory)
        self.losses = Losses()
        self.failure: StorageError | None = None
        """Why the log is offline; it stays so until the broker starts again."""
        self._queue: list[Buffer] = []
        self._recent = RecentBatches()
        self._hints = ReadHints()
        self.snapshot_offset = 0
        """The newest snapshot of the producers holds what they did before it."""
        self._touched = False

    def opened(self, segments: Segments, start_offset: int, end_offset: int, flushed: int) -> None:
        """Begin to serve what `opening` found: all is written, up to `flushed` also synced."""
        self.segments = segments
        self.start_offset = start_offset
        self.end_offset = self.written_end = self.file_end = end_offset
        self.flushing.recovery_point = flushed

    @property
    def recovery_point(self) -> int:
        """All before it is on stable storage."""
        return self.flushing.recovery_point

    @property
    def leader_epoch(self) -> int:
        """The newest leader epoch in the log; -1 if there is none."""
        return self.epochs.latest

    @property
    def size(self) -> int:
        """Bytes in all its segments, queued ones too."""
        return self.segments.size

    def lead(self, epoch: int) -> None:
        """Be the leader's log from here on: `epoch` begins at the end, unless it has begun."""
        if epoch > self.epochs.latest:
            self.begin_epoch(epoch, self.end_offset)

    def configure(self, config: LogConfig) -> None:
        """Obey other properties from now on; `index.interval.bytes` from the next segment on.

        What offsets mean stays as the segments have it.
        """
        self.config = config.with_scheme_of(self.config)
        self.segments.active.room = 0

    # --- Appending ----------------------------------------------------------------------------

    def append(
        self,
        records: memoryview,
        *,
        leader_epoch: int,
        now_ms: int,
        header: BatchHeader | None = None,
        internal: bool = False,
    ) -> AppendInfo:
        """Give one checked batch its offsets, in place, and queue it for `write_pending`.

        `records` is writable, is exactly the batch, and must not change until it is written.
        `header` is what `read_header(records)` gave, to save reading it again. `internal`: written
        by the broker itself, so neither size nor timestamps nor sequences are judged.

        Raises:
            RefusedRecords: the batch must not be appended; the log is as before.
            StorageError: the log is offline.
        """
        if self.failure is not None:
            raise self.offline()
        batch = header if header is not None else read_header(records)
        size = batch.size
        config = self.config
        append_time: int = NO_TIMESTAMP
        timestamp = batch.max_timestamp
        producer_id = batch.producer_id
        if not internal:
            if (
                size > config.sure_batch_bytes
                or timestamp - now_ms > config.message_timestamp_after_max_ms
                or config.judges_records
            ):
                refuse_if_beyond(batch, records, config, now_ms)
            if config.message_timestamp_type == "LogAppendTime":
                append_time = timestamp = now_ms
            known = self.producers.check(batch) if producer_id >= 0 else None
            if known is not None:
                return repeated(known, append_time, self.start_offset)
        base = self.end_offset
        last = base + batch.last_offset_delta
        segment = self.segments.active
        if not segment.surely_takes(size, last, timestamp, config) and needs_new_segment(
            segment, config, (size, last, batch.max_timestamp), now_ms
        ):
            segment = self.roll(now_ms)
        if append_time >= 0:
            stamp_append_time(records, batch, now_ms)
        stamp(records, size, base, leader_epoch)
        if leader_epoch > self.epochs.latest:
            self.begin_epoch(leader_epoch, base)
        if producer_id >= 0:
            segment.note_aborted(self.producers.add(batch, records, base, timestamp))
        self.queue_batch(records, size, last, timestamp)
        return new_tuple(AppendInfo, (base, last, append_time, self.start_offset, False))

    def queue_batch(self, records: Buffer, size: int, last_offset: int, timestamp: int) -> None:
        """Queue a batch that has its offsets, for which the active segment has room."""
        segment = self.segments.active
        self._recent.add(self.end_offset, segment.size)
        segment.add(size, last_offset, timestamp)
        self._queue.append(records)
        self.end_offset = last_offset + 1

    def queue_set(self, messages: memoryview, last_offset: int, timestamp: int) -> None:
        """Queue messages of an old format that have their offsets; a read finds each by the index."""
        self._recent.clear()
        self.segments.active.add(len(messages), last_offset, timestamp)
        self._queue.append(messages)
        self.end_offset = last_offset + 1

    def begin_epoch(self, epoch: int, offset: int) -> None:
        """Know that a leader epoch begins at an offset; raises if that cannot be written."""
        try:
            self.epochs.assign(epoch, offset)
        except StorageError as error:
            self.fail(error)
            raise

    def write_pending(self) -> None:
        """Write all queued batches, in one call; from here on readers see them.

        With `flush.messages` reached readers see them when they are on stable storage: where
        somebody listens to `seen` a sync begins, whose end it is told; else this returns after it.

        Raises:
            StorageError: the log is offline from now on; none of the queued batches counts.
        """
        if self.failure is not None:
            raise self.offline()
        if not self._queue:
            return
        segment = self.segments.active
        try:
            segment.file.write(segment.written, self._queue)
        except StorageError as error:
            self.fail(error)
            raise
        self._queue = []
        self._touched = True
        segment.written = segment.size
        self.file_end = self.end_offset
        self.seen.wrote()

    # --- Reading ------------------------------------------------------------------------------

    def read(self, offset: int, max_bytes: int, *, max_offset: int, min_one: bool) -> ReadInfo:
        """The bytes from the batch that holds `offset` on, of one segment.

        At most `max_bytes`, and whole batches where their bounds are known without a search (the
        last one may be partial otherwise); the first batch is whole or there is nothing. With
        `min_one` it comes even if it is larger than `max_bytes`. Nothing from `max_offset` on.

        Raises:
            StorageError: the log is offline or a segment is damaged.
        """
        if self.failure is not None:
            raise self.offline()
        end = self.written_end
        if not self.start_offset <= offset <= end:
            return OUT_OF_RANGE
        if offset >= end or offset >= max_offset:
            return NOTHING
        segment = self.segments.active
        # A limit, but where the file holds nothing that is not to be seen.
        limit = min(max_offset, end)
        whole = limit == self.file_end
        if whole and offset >= segment.base_offset:
            found = self._recent.find(offset)
            if found >= 0:
                return slice_of_recent(segment, self._recent, found, max_bytes, min_one=min_one)
        wanted = (offset, None if whole else limit)
        return slice_of_older(self.segments, self._hints, wanted, max_bytes, min_one=min_one)

    def offset_for_timestamp(
        self, timestamp: int, unpacking: Unpacking | None = None
    ) -> FoundTimestamp | None:
        """The first record that is not older than `timestamp`; None if all are.

        Raises:
            RefusedRecords, StorageError: as `first_not_before`; the log is offline.
        """
        self.write_pending()
        return first_not_before(self.segments, self.start_offset, timestamp, unpacking)

    def offset_of_max_timestamp(self, unpacking: Unpacking | None = None) -> FoundTimestamp | None:
        """The first with the greatest of all; None of an empty log. Raises as the one for a time."""
        self.write_pending()
        return newest(self.segments, self.start_offset, unpacking)

    def end_offset_for_epoch(self, epoch: int) -> tuple[int, int]:
        """The largest epoch not above `epoch` and its end offset; (-1, -1) if it is too new."""
        return self.epochs.end_offset(epoch, self.end_offset)

    # --- Rolling and flushing -----------------------------------------------------------------

    def roll(self, now_ms: int) -> Segment:
        """Begin a new segment at the end offset; the old one goes to stable storage meanwhile.

        Raises:
            StorageError: the log is offline.
        """
        self.write_pending()
        old = self.segments.active
        if not old.size:
            return old
        try:
            old.seal()
            snapshots = self._write_snapshot()
            segment = Segment(self.disk, self.directory, self.end_offset, self.config)
            segment.create(now_ms)
            self.flushing.begin(self.segments, self.file_end, snapshots, now_ms)
        except StorageError as error:
            self.fail(error)
            raise
        self.segments.add(segment)
        self.snapshot_offset = self.end_offset
        self._recent.clear()
        return segment

    def _write_snapshot(self) -> list[str]:
        """Write down what is known of the producers; gives the paths of what is to be synced."""
        if self.config.byte_positions:
            return []  # Its messages have no producers.
        return [write_snapshot(self.disk, self.directory, self.end_offset, self.producers)]

    def begin_flush(self, now_ms: int) -> None:
        """Start to bring all that is written to stable storage; `poll_syncs` learns of its end."""
        self.write_pending()
        if not self.flushing.busy and self.recovery_point < self.file_end:
            self.flushing.begin(self.segments, self.file_end, [], now_ms)

    def poll_syncs(self) -> None:
        """Take note of syncs that ended.

        Raises:
            StorageError: one failed; the log is offline from now on.
        """
        try:
            self.flushing.poll()
        except StorageError as error:
            self.fail(error)
            raise

    def flush(self) -> None:
        """Return when all records are on stable storage.

        Raises:
            StorageError: the log is offline from now on.
        """
        self.write_pending()
        try:
            self.flushing.finish(self.segments, self.file_end)
        except StorageError as error:
            self.fail(error)
            raise
        self.written_end = self.file_end

    # --- Cutting and closing ------------------------------------------------------------------

    def delete_before(self, offset: int) -> None:
        """Let the log start at `offset`; segments wholly before it go at the next maintenance.

        Raises:
            RefusedRecords: OFFSET_OUT_OF_RANGE: the offset is behind the end.
        """
        if offset > self.written_end:
            raise RefusedRecords(
                ErrorCode.OFFSET_OUT_OF_RANGE,
                f"{offset} is behind the high watermark {self.written_end}",
            )
        if offset > self.start_offset:
            self.start_offset = offset
            self.epochs.truncate_start(offset)

    def cut_to(self, offset: int) -> None:
        """Know that the files end at `offset` now; `truncation` has seen to them."""
        self.end_offset = self.written_end = self.file_end = offset
        self.start_offset = min(self.start_offset, offset)
        self.flushing.recovery_point = min(self.recovery_point, offset)
        self.snapshot_offset = min(self.snapshot_offset, self.recovery_point)
        self._touched = True
        self._recent.clear()
        self._hints.clear()

    def close(self, *, clean: bool) -> None:
        """Give all files back; if `clean`, everything is on stable storage before.

        Raises:
            StorageError: the log is offline, so it cannot be closed cleanly.
        """
        if clean:
            if self.failure is not None:
                raise self.offline()
            self.begin_close()
            self.flush()
        self._queue.clear()
        for segment in self.segments:
            segment.close()

    def forget_places(self) -> None:
        """Know of no place in a segment: some of them are others now."""
        self._hints.clear()

    def begin_close(self) -> None:
        """Write all that is still to be written and start to sync it; `close` waits for that.

        Raises:
            StorageError: the log is offline.
        """
        self.write_pending()
        snapshots: list[str] = []
        if self.snapshot_offset < self.end_offset:
            snapshots = self._write_snapshot()
            self.snapshot_offset = self.end_offset
        if self._touched:
            self.segments.active.seal()
            self._touched = False
            self.flushing.begin(self.segments, self.file_end, snapshots, 0)

    # --- Failure ------------------------------------------------------------------------------

    def fail(self, error: StorageError) -> None:
        """Take the log offline: what its files hold is not what its memory says."""
        self.failure = error
        self._queue.clear()

    def offline(self) -> LogDirFailed:
        """What to raise while it is offline."""
        return LogDirFailed(f"the log of {self.directory} is offline: {self.failure}")
