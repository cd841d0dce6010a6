"""Files to be removed later: readers may still send from them (`file.delete.delay.ms`)."""

import heapq
from collections.abc import Iterator, Sequence

from barnabas.log.segment import Segment
from barnabas.ports import Disk


class Removals:
    """Paths with the time from which they may go."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._waiting: list[tuple[int, int, Sequence[str], Sequence[Segment]]] = []
        self._added = 0
        self._seen_ms = 0

    def add(
        self,
        now_ms: int,
        delay_ms: int,
        paths: Sequence[str],
        segments: Sequence[Segment] = (),
    ) -> None:
        """Remove `paths` after `delay_ms`, when the segments that read them are closed."""
        self._see(now_ms)
        self._added += 1
        heapq.heappush(self._waiting, (now_ms + delay_ms, self._added, paths, segments))

    def run(self, now_ms: int) -> Iterator[None]:
        """Remove what is due, one after another."""
        self._see(now_ms)
        while self._waiting and self._waiting[0][0] <= now_ms:
            self._remove(heapq.heappop(self._waiting))
            yield

    def close(self) -> None:
        """Give descriptors back; what still waits is found and removed at the next start."""
        for _due, _number, _paths, segments in self._waiting:
            for segment in segments:
                segment.close()
        self._waiting.clear()

    def _see(self, now_ms: int) -> None:
        back_ms = self._seen_ms - now_ms
        self._seen_ms = now_ms
        if back_ms > 0:
            # The clock was set back, and what waits must not wait for longer.
            self._waiting = [
                (due_ms - back_ms, number, paths, segments)
                for due_ms, number, paths, segments in self._waiting
            ]

    def _remove(self, waiting: tuple[int, int, Sequence[str], Sequence[Segment]]) -> None:
        _due, _number, paths, segments = waiting
        for segment in segments:
            segment.close()
        for path in paths:
            self._disk.remove(path)
