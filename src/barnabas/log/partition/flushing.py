"""Flushes of a log: the offset up to which it is on stable storage."""

from collections.abc import Callable, Sequence

from barnabas.log.segments.segments import Segments
from barnabas.ports import Disk, Sync


class Flushing:
    """The recovery point of one log: all records before it survive a power failure.

    So do the aborted transactions before it, because nothing searches for them there again. The
    other indexes of a segment are covered by the sync that starts when the segment ends
    (`sure_point`).
    """

    __slots__ = (
        "_directory",
        "_disk",
        "_syncs",
        "begun_ms",
        "named_to",
        "recovery_point",
        "unsynced",
    )

    def __init__(self, disk: Disk, directory: str) -> None:
        self._disk = disk
        self._directory = directory
        self._syncs: list[tuple[int, int, Sync]] = []
        self.recovery_point = 0
        self.named_to = -1
        """The segment with this base, and those before it, have names on stable storage; -1: none has."""
        self.begun_ms = 0
        """When a sync was last begun."""
        self.unsynced: set[str] = set()
        """Files beside the segments that the next sync includes."""

    @property
    def busy(self) -> bool:
        """Whether a sync is under way."""
        return bool(self._syncs)

    @property
    def sure_point(self) -> int:
        """Where a start has to begin its checks: like `recovery_point`, but before what is being synced.

        A segment that ends at the recovery point is checked until its indexes are synced, too.
        """
        return max(min([self.recovery_point, *(end - 1 for end, _, _ in self._syncs)]), 0)

    def begin(
        self,
        segments: Segments,
        end: int,
        paths: Sequence[str],
        now_ms: int,
        on_over: Callable[[], None] | None = None,
    ) -> None:
        """Start to sync what is written up to `end`, and `paths` with it."""
        files = []
        wanted = [*paths, *self._take_unsynced(), self._directory]
        for segment in segments.from_offset(self._begun()):
            segment.flush_aborted()
            files.append(segment.file)
            # By their names: one that somebody has removed is made again by the next start.
            wanted += segment.index_paths()
        sync = self._disk.begin_sync(files, wanted, on_over)
        self._syncs.append((end, segments.active.base_offset, sync))
        self.begun_ms = now_ms

    def _take_unsynced(self) -> list[str]:
        taken = sorted(self.unsynced)
        self.unsynced.clear()
        return taken

    def _begun(self) -> int:
        """All before it is synced or being synced."""
        return self._syncs[-1][0] if self._syncs else self.recovery_point

    def poll(self) -> None:
        """Move the recovery point by the syncs that ended.

        Raises:
            StorageError: one failed.
        """
        while self._syncs and self._syncs[0][2].poll():
            self._end_first()

    def finish(self, segments: Segments, end: int) -> None:
        """Return when all that is written, up to `end`, is on stable storage.

        Raises:
            StorageError: it is not.
        """
        self.wait()
        if self.recovery_point >= end:
            return
        for segment in segments.from_offset(self.recovery_point):
            segment.flush_indexes()
            for file in segment.files():
                file.sync()
        if self.unsynced:
            self._disk.begin_sync([], self._take_unsynced()).wait()
        self._disk.sync_directory(self._directory)
        self.recovery_point = end
        self.named_to = segments.active.base_offset

    def wait(self) -> None:
        """Return when no sync is under way; raises as `poll`."""
        while self._syncs:
            self._syncs[0][2].wait()
            self._end_first()

    def _end_first(self) -> None:
        end, named_to, _ = self._syncs.pop(0)
        self.recovery_point = max(self.recovery_point, end)
        self.named_to = max(self.named_to, named_to)
