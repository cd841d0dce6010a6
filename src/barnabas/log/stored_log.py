"""One partition's files: what is queued is written, segments follow each other, all is synced and closed.

What is *not* here: what may be queued, and reading (`partition_log`).
"""

from barnabas.errors import DiskFull, LogDirFailed, StorageError
from barnabas.log.config import LogConfig
from barnabas.log.flushing import Flushing
from barnabas.log.leader_epochs import LeaderEpochs
from barnabas.log.losses import Losses
from barnabas.log.producer_snapshot import write_snapshot
from barnabas.log.producer_state import ProducerState
from barnabas.log.reading import ReadHints
from barnabas.log.recent_batches import RecentBatches
from barnabas.log.seen_end import SeenEnd
from barnabas.log.segment import Segment
from barnabas.log.segments import Segments
from barnabas.ports import Disk
from barnabas.types import Buffer, TopicPartition


class StoredLog:
    """The files of one partition on one disk.

    Invariant: start_offset <= written_end <= end_offset, and recovery_point <= written_end.
    """

    __slots__ = (
        "_hints", "_queue", "_recent", "_touched", "config", "directory", "disk", "end_offset",
        "epochs", "failure", "file_end", "flushing", "losses", "producers", "refusal", "seen",
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
        self.refusal: StorageError | None = None
        """Why the log takes no records: `failure`, or that its disk is full."""
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

    def write_pending(self) -> None:
        """Write all queued batches, in one call; from here on readers see them.

        With `flush.messages` reached readers see them when they are on stable storage: where
        somebody listens to `seen` a sync begins, whose end it is told; else this returns after it.

        Raises:
            StorageError: none of the queued batches counts, and the log is offline from now on; on a
                full disk it only takes no more records.
        """
        if self.failure is not None:
            raise self.offline()
        if not self._queue:
            return
        segment = self.segments.active
        try:
            segment.file.write(segment.written, self._queue)
        except StorageError as error:
            self.drop_queued(error)
            raise
        self._queue = []
        self._touched = True
        segment.written = segment.size
        self.file_end = self.end_offset
        self.seen.wrote()

    # --- Rolling and flushing -----------------------------------------------------------------

    def roll(self, now_ms: int) -> Segment:
        """Begin a new segment at the end offset; the old one goes to stable storage meanwhile.

        Raises:
            StorageError: the log takes no more records.
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
            self.drop_queued(error)
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

    def cut_to(self, offset: int) -> None:
        """Know that the files end at `offset` now; `truncation` has seen to them."""
        self.end_offset = self.written_end = self.file_end = offset
        self.start_offset = min(self.start_offset, offset)
        self.flushing.recovery_point = min(self.recovery_point, offset)
        self.snapshot_offset = min(self.snapshot_offset, self.recovery_point)
        self._touched = True
        self._recent.clear()
        self._hints.clear()

    def begin_close(self) -> None:
        """Write all that is still to be written and start to sync it; `close` waits for that.

        Raises:
            StorageError: the log is offline.
        """
        self.write_pending()
        self.epochs.save()
        snapshots: list[str] = []
        if self.snapshot_offset < self.end_offset:
            snapshots = self._write_snapshot()
            self.snapshot_offset = self.end_offset
        if self._touched:
            self.segments.active.seal()
            self._touched = False
            self.flushing.begin(self.segments, self.file_end, snapshots, 0)

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

    # --- Failure ------------------------------------------------------------------------------

    def fail(self, error: StorageError) -> None:
        """Take the log offline: what its files hold is not what its memory says."""
        self.failure = self.refusal = error
        self._queue.clear()

    def drop_queued(self, error: StorageError) -> None:
        """Count nothing of what is queued and could not be written.

        On a full disk that can be undone: what is written is served on. Else the log is offline.
        """
        self._queue.clear()
        if not isinstance(error, DiskFull):
            self.fail(error)
            return
        # Imported late: it opens logs, and disks are seldom full.
        from barnabas.log.truncation import undo_unwritten

        self.refusal = error
        try:
            undo_unwritten(self)
        except StorageError as failure:
            self.fail(failure)

    def refused(self) -> StorageError:
        """What to raise while it takes no records."""
        if self.failure is not None:
            return self.offline()
        return StorageError(f"the log of {self.directory} takes no records: {self.refusal}")

    def offline(self) -> LogDirFailed:
        """What to raise while it is offline."""
        return LogDirFailed(f"the log of {self.directory} is offline: {self.failure}")
