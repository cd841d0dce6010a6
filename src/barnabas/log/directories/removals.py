"""Files to be removed later: readers may still send from them (`file.delete.delay.ms`)."""

import heapq
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from barnabas.errors import StorageError
from barnabas.log.segments.segment import Segment
from barnabas.ports import Disk

_FILES_A_STEP = 64


class _Removal(NamedTuple):
    paths: Sequence[str]
    segments: Sequence[Segment]
    of_inventory: bool


class Removals:
    """Paths with the time from which they may go."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._waiting: list[tuple[int, int, _Removal]] = []
        self._named: list[str] = []
        """What is empty and goes when the inventory has been written."""
        self._added = 0
        self._seen_ms = 0

    def add(
        self,
        now_ms: int,
        delay_ms: int,
        paths: Sequence[str],
        segments: Sequence[Segment] = (),
        *,
        of_inventory: bool = False,
    ) -> None:
        """Remove `paths` after `delay_ms`, when the segments that read them are closed.

        `of_inventory`: only once the inventory was written that may have them.
        """
        if paths:
            self._see(now_ms)
            self._added += 1
            removal = _Removal(paths, segments, of_inventory)
            heapq.heappush(self._waiting, (now_ms + delay_ms, self._added, removal))

    def needs_inventory(self, now_ms: int) -> bool:
        """Whether something is due that the inventory may have."""
        return any(due <= now_ms and removal.of_inventory for due, _, removal in self._waiting)

    def run(self, now_ms: int, *, stale: bool = False) -> Iterator[StorageError | None]:
        """Remove what is due, one by one; return failures. The next start tries again.

        `stale`: the inventory could not be written. Files that it may contain are emptied, and keep
        their names.
        """
        self._see(now_ms)
        if not stale:
            named, self._named = self._named, []
            self.add(now_ms, 0, named)
        while self._waiting and self._waiting[0][0] <= now_ms:
            _due, _number, removal = heapq.heappop(self._waiting)
            try:
                for _ in self._removed(removal, empty=stale and removal.of_inventory):
                    yield None
            except StorageError as error:
                yield error
            else:
                yield None

    def close(self) -> None:
        """Give descriptors back; what still waits is found and removed at the next start."""
        for _due, _number, removal in self._waiting:
            for segment in removal.segments:
                segment.close()
        self._waiting.clear()

    def _see(self, now_ms: int) -> None:
        back_ms = self._seen_ms - now_ms
        self._seen_ms = now_ms
        if back_ms > 0:
            # The clock was set back, and what waits must not wait for longer.
            self._waiting = [
                (due_ms - back_ms, number, removal) for due_ms, number, removal in self._waiting
            ]

    def _removed(self, removal: _Removal, *, empty: bool) -> Iterator[None]:
        """Remove one thing after the other: a directory may have 100,000 files."""
        for segment in removal.segments:
            segment.close()
        for number, path in enumerate(removal.paths, 1):
            if not empty:
                while not self._disk.remove_part(path, _FILES_A_STEP):
                    yield
            elif self._disk.exists(path):
                file = self._disk.open(path)
                file.truncate(0)
                file.close()
                self._named.append(path)
            if number % _FILES_A_STEP == 0:
                yield
