"""Files to be removed later: readers may still send from them (`file.delete.delay.ms`)."""

import heapq
from collections.abc import Sequence

from barnabas.log.segment import Segment
from barnabas.ports import Disk


class Removals:
    """Paths with the time from which they may go."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._waiting: list[tuple[int, int, Sequence[str], Sequence[Segment]]] = []
        self._added = 0

    def add(self, due_ms: int, paths: Sequence[str], segments: Sequence[Segment] = ()) -> None:
        """Remove `paths` at `due_ms`, after closing the segments that read them."""
        self._added += 1
        heapq.heappush(self._waiting, (due_ms, self._added, paths, segments))

    def run(self, now_ms: int) -> None:
        """Remove what is due."""
        while self._waiting and self._waiting[0][0] <= now_ms:
            self._remove(heapq.heappop(self._waiting))

    def close(self) -> None:
        """Give descriptors back; what still waits is found and removed at the next start."""
        for _due, _number, _paths, segments in self._waiting:
            for segment in segments:
                segment.close()
        self._waiting.clear()

    def _remove(self, waiting: tuple[int, int, Sequence[str], Sequence[Segment]]) -> None:
        _due, _number, paths, segments = waiting
        for segment in segments:
            segment.close()
        for path in paths:
            self._disk.remove(path)
