"""The state of one partition's log in memory: files, start and end, whether it is offline.

What appends, rolls and closes is `stored_log`; recovery of producers and of unwritten batches work on this.
"""

from collections.abc import Callable

from barnabas.errors import LogDirFailed, StorageError
from barnabas.log.partition.flushing import Flushing
from barnabas.log.partition.leader_epochs import LeaderEpochs
from barnabas.log.partition.reading import ReadHints
from barnabas.log.partition.recovery_losses import RecoveryLosses
from barnabas.log.producers.producer_state import ProducerState
from barnabas.log.segments.log_config import LogConfig
from barnabas.log.segments.recent_batches import RecentBatches
from barnabas.log.segments.segment import Segment
from barnabas.log.segments.segments import Segments
from barnabas.ports import Disk
from barnabas.types import Buffer, TopicPartition


class LogState:
    """The files of one partition on one disk.

    Invariant: start_offset <= high_watermark <= written_end <= file_end <= end_offset, and
    recovery_point <= written_end.
    """

    __slots__ = (
        "_hints", "_touched", "config", "cut_off", "directory", "disk", "end_offset",
        "epochs", "failure", "file_end", "flushing", "high_watermark", "losses", "on_counted", "on_cut",
        "producers", "queue", "recent", "recovered_watermark", "refusal", "segments", "snapshot_offset",
        "start_offset", "topic_id", "topic_partition", "written_end",
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
        """The offset of the next record, including queued ones."""
        self.written_end = 0
        """The end of what counts as written on this broker: what followers may copy."""
        self.high_watermark = 0
        """The end of what consumers may see: what all replicas in sync have written."""
        self.recovered_watermark = 0
        """The high watermark that the broker's last stop, or its last checkpoint, left."""
        self.on_counted: Callable[[int], None] | None = None
        """With other replicas: is called with each new `written_end`, and moves the high watermark."""
        self.on_cut: Callable[[int], None] | None = None
        """While the log is copied to another directory: is called with the offset that it is cut to."""
        self.file_end = 0
        """The end of the file; less counts as written if records must be synced first."""
        self.flushing = Flushing(disk, directory)
        self.losses = RecoveryLosses()
        self.failure: StorageError | None = None
        """Why the log is offline; it stays so until the broker starts again."""
        self.refusal: StorageError | None = None
        """Why the log takes no records: `failure`, or that its disk is full."""
        self.cut_off: list[Segment] = []
        """Segments that a truncation has renamed, for maintenance to remove."""
        self.queue: list[Buffer] = []
        self.recent = RecentBatches()
        self._hints = ReadHints()
        self.snapshot_offset = 0
        """The newest snapshot of the producers holds what they did before it."""
        self._touched = False

    def opened(self, segments: Segments, start_offset: int, end_offset: int, flushed: int) -> None:
        """Begin to serve what `opening` found: all is written, up to `flushed` also synced."""
        self.segments = segments
        self.start_offset = start_offset
        self.end_offset = self.written_end = self.file_end = end_offset
        self.high_watermark = self.recovered_watermark = end_offset
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

    def sync(self) -> None:
        """Return when all that is written is on stable storage.

        Raises:
            StorageError: it cannot be synced; the log is offline from now on.
        """
        try:
            self.flushing.finish(self.segments, self.file_end)
        except StorageError as error:
            self.fail(error)
            raise
        self.count_to(self.file_end)

    def count_to(self, end: int) -> None:
        """Let all before `end` count as written; without other replicas consumers see it, too."""
        self.written_end = end
        if self.on_counted is None:
            self.high_watermark = end
        else:
            self.on_counted(end)

    def cut_to(self, offset: int) -> None:
        """Know that the files end at `offset` now; `truncation` has seen to them."""
        self.end_offset = self.written_end = self.file_end = offset
        self.start_offset = min(self.start_offset, offset)
        self.high_watermark = min(self.high_watermark, offset)
        self.flushing.recovery_point = min(self.recovery_point, offset)
        self.snapshot_offset = min(self.snapshot_offset, self.recovery_point)
        self._touched = True
        self.recent.clear()
        self._hints.clear()
        if self.on_cut is not None:
            self.on_cut(offset)

    def take_files(self, found: "LogState") -> list[Segment]:
        """Serve the same records from the files of `found`; returns the segments that were served before.

        The log object stays the same for its role, readers and waiting requests. All is written in both.

        Raises:
            StorageError: the leader epochs cannot be written there; nothing has changed.
        """
        assert found.end_offset == self.end_offset, "both have the same records"
        self.epochs.move_to(found.epochs.path)
        before = list(self.segments)
        self.directory, self.segments, self.flushing = (
            found.directory, found.segments, found.flushing,
        )  # fmt: skip
        self.snapshot_offset = found.snapshot_offset
        self.cut_off = []
        self.recent.clear()
        self._hints.clear()
        return before

    def fail(self, error: StorageError) -> None:
        """Take the log offline: its files and its memory disagree."""
        self.failure = self.refusal = error
        self.queue.clear()

    def refused(self) -> StorageError:
        """What to raise while it takes no records."""
        if self.failure is not None:
            return self.offline()
        return StorageError(f"the log of {self.directory} takes no records: {self.refusal}")

    def offline(self) -> LogDirFailed:
        """What to raise while it is offline."""
        return LogDirFailed(f"the log of {self.directory} is offline: {self.failure}")
