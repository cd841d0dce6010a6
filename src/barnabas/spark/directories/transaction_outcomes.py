"""How transactions ended, from their markers in the log: for `read_committed`.

A producer has at most one open transaction in a partition, so the producer's next marker after a batch
decides it. Without such a marker, the transaction was still open at the end of the log. `.txnindex` files are
not used, because a missing one could not be detected. Source: KIP-98.
"""

import logging
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from barnabas.log.segments.scan import scan_batches
from barnabas.ports import Disk
from barnabas.records.batches.batch import walk
from barnabas.records.batches.control import read_marker
from barnabas.records.columns.kinds import are_plain
from barnabas.spark.directories.chunks import Chunk
from barnabas.spark.directories.errors import UnreadableLog, damaged
from barnabas.spark.directories.inventory import log_files
from barnabas.spark.directories.segment_range import SegmentRange

_log = logging.getLogger(__name__)

_COMMITTED: Final = 1
"""The lowest bit of a stored marker; the other bits are its offset. Together they take 8 bytes."""


class Outcomes:
    """The outcomes of the transactions in one task's batches. Reads ahead in the log as far as needed."""

    def __init__(self, disk: Disk, task: SegmentRange) -> None:
        self._disk = disk
        self._task = task
        self._ahead: Iterator[tuple[int, int, bool]] | None = None
        self._markers: dict[int, array[int]] = {}
        self._open: set[int] = set()

    def withheld(self, chunk: Chunk) -> list[tuple[int, int]]:
        """(producer id, first offset) of the transactions in a chunk that did not commit.

        Chunks must come in order.

        Raises:
            UnreadableLog: the log is damaged between a batch and its marker.
        """
        self._forget(chunk.next_offset)
        if are_plain(chunk.data):
            return []
        undecided: dict[int, int] = {}
        found: list[tuple[int, int]] = []
        for header in walk(chunk.data):
            if not header.transactional:
                continue
            producer = header.producer_id
            if not header.control:
                undecided.setdefault(producer, header.base_offset)
            elif producer in undecided:
                marker = read_marker(chunk.data[header.position : header.end])
                if marker is None:
                    continue
                first = undecided.pop(producer)
                if not marker.committed:
                    found.append((producer, first))
        found += [
            (producer, first)
            for producer, first in undecided.items()
            if not self._commits(producer, chunk)
        ]
        return found

    def _commits(self, producer: int, chunk: Chunk) -> bool:
        """Whether the producer's next marker after a chunk commits; False: no marker."""
        if self._ahead is None:
            self._ahead = self._markers_from(chunk)
        while not (known := self._markers.get(producer)):
            marker = next(self._ahead, None)
            if marker is None:
                self._warn_of_open(producer)
                return False
            self._keep(*marker, chunk.next_offset)
        return bool(known[0] & _COMMITTED)

    def _keep(self, producer: int, offset: int, committed: bool, after: int) -> None:  # noqa: FBT001
        """Keep a marker that may be the next one after this chunk, or after a later one."""
        known = self._markers.setdefault(producer, array("q"))
        # After the task's own batches, only the first marker of each producer matters.
        if offset >= after and (not known or known[-1] >> 1 < self._task.behind):
            known.append(offset << 1 | committed)

    def _forget(self, before: int) -> None:
        """Drop the markers below an offset."""
        for producer, known in list(self._markers.items()):
            del known[: bisect_left(known, before << 1)]
            if not known:
                del self._markers[producer]

    def _warn_of_open(self, producer: int) -> None:
        if producer not in self._open:
            self._open.add(producer)
            _log.warning(
                "%s-%d: producer %d had a transaction open when the log ended: its records are left "
                "out",
                self._task.topic, self._task.partition, producer,
            )  # fmt: skip

    def _markers_from(self, chunk: Chunk) -> Iterator[tuple[int, int, bool]]:
        """Producer id, offset and outcome of all markers after a chunk, up to the end of the log."""
        task, position, after = self._task, chunk.end, chunk.next_offset
        directory = str(Path(task.path).parent)
        for each in log_files(self._disk, directory).segments:
            if each.base_offset < task.base_offset or after >= task.log_end:
                continue
            start = position if each.base_offset == task.base_offset else 0
            after = max(after, each.base_offset)
            with closing(self._disk.open(each.path)) as file:
                end, at = file.size(), start
                # All CRCs are checked: a flipped bit could make a marker look like an ordinary batch, and the
                # next marker would then decide.
                for header, data in scan_batches(file, start, end):
                    at, after = header.end, header.next_offset
                    if header.base_offset >= task.log_end:
                        return
                    marker = read_marker(data) if header.control else None
                    if marker is not None:
                        yield header.producer_id, header.base_offset, marker.committed
                if at != end and after < task.log_end:
                    raise damaged(each.path, at, "there is something else, or it is cut off")
        if after < task.log_end:
            raise UnreadableLog(
                f"{directory} has records up to offset {after}, and had some up to {task.log_end} "
                "when the query was planned: plan it again with load()"
            )
