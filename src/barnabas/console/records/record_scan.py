"""Read records of several partitions within limits of number and time.

Forward from places, or backward from them. The order of a partition stays; between partitions
the timestamps decide.
"""

import heapq
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from barnabas.aio import Consumer
from barnabas.console.records.scan_budget import ScanBudget
from barnabas.console.records.start_position import Bounds
from barnabas.errors import CorruptRecord
from barnabas.records.columns.record import Record

_AT_ONCE: Final = 1000
"""Records between two looks at the clock; other pages are served in between."""

_POLL_S: Final = 0.2
_WIDEN: Final = 8
_USUAL_BYTES: Final = 200
"""Of a message, to begin with, where offsets are byte positions."""


@dataclass(frozen=True, slots=True)
class ScannedRecords:
    """The records in order of time.

    `following`: where the next page begins, by partition; those at their end are not in it.
    `scanned`: how many were looked at. `problem`: what ended the reading early.
    """

    records: list[Record]
    following: Mapping[int, int]
    scanned: int
    problem: str = ""


@dataclass(slots=True)
class _Window:
    """The progress in a partition: read up to `reached`; to be read up to `end`."""

    reached: int
    end: int
    found: list[Record] = field(default_factory=list)


class RecordScan:
    """Reads records of one topic; `chosen` are those that are kept.

    `counts_bytes`: offsets are byte positions, as in Kafka 0.7, and the start of the message
    after the last one is unknown: the end is reached when no more records arrive.
    """

    def __init__(
        self,
        consumer: Consumer,
        topic: str,
        chosen: Callable[[Sequence[Record]], Awaitable[Sequence[bool]]],
        budget: ScanBudget,
        *,
        counts_bytes: bool = False,
    ) -> None:
        self._consumer = consumer
        self._counts_bytes = counts_bytes
        self._topic = topic
        self._chosen = chosen
        self._budget = budget
        self._problem = ""

    async def forward(
        self, places: Mapping[int, int], bounds: Bounds, count: int
    ) -> ScannedRecords:
        """The first `count` records from these offsets on."""
        windows = {
            one: _Window(max(at, bounds[one][0]), bounds[one][1])
            for one, at in places.items()
            if at < bounds[one][1]
        }
        await self._read(windows, count)
        merged = heapq.merge(*(each.found for each in windows.values()), key=_time)
        shown = list(islice(merged, count))
        following = {one: each.reached for one, each in windows.items()}
        taken = Counter(record.partition for record in shown)
        for one, each in windows.items():
            left = each.found[taken[one] :]
            if left:
                following[one] = left[0].offset
        return self._scanned(
            shown, {one: at for one, at in following.items() if at < windows[one].end}
        )

    async def backward(
        self, places: Mapping[int, int], bounds: Bounds, count: int, width: int
    ) -> ScannedRecords:
        """The last `count` records before these offsets; `width`: how many offsets to try first."""
        lows = {one: min(at, bounds[one][1]) for one, at in places.items()}
        found: dict[int, list[Record]] = {one: [] for one in lows}
        width *= _USUAL_BYTES if self._counts_bytes else 1
        while self._budget.left and not self._problem:
            windows = {
                one: _Window(max(bounds[one][0], low - width), low)
                for one, low in lows.items()
                if low > bounds[one][0] and len(found[one]) < count
            }
            if not windows:
                break
            firsts = {one: each.reached for one, each in windows.items()}
            await self._read(windows, None)
            whole = {one: each for one, each in windows.items() if each.reached >= each.end}
            for one, each in whole.items():
                found[one][:0] = each.found
                lows[one] = firsts[one]
            if not whole and not any(found.values()) and width > 1:
                # Records are so large that fewer must do.
                self._budget.renew()
                width = 1
                continue
            if width > count and sum(map(len, found.values())) >= count:
                break
            width *= _WIDEN
        newest = heapq.merge(*(reversed(each) for each in found.values()), key=_age)
        shown = list(islice(newest, count))
        taken = Counter(record.partition for record in shown)
        for one, kept in found.items():
            left = len(kept) - taken[one]
            if left:
                lows[one] = kept[left].offset if left < len(kept) else kept[-1].offset + 1
        return self._scanned(
            shown[::-1], {one: low for one, low in lows.items() if low > bounds[one][0]}
        )

    def _scanned(self, records: list[Record], following: Mapping[int, int]) -> ScannedRecords:
        return ScannedRecords(records, following, self._budget.scanned, self._problem)

    async def _read(self, windows: dict[int, _Window], count: int | None) -> None:
        """Read each window to its end, or until `count` records of it are kept."""
        open_ones = dict(windows)
        self._consumer.assign([(self._topic, one) for one in open_ones])
        for one, window in open_ones.items():
            self._consumer.seek((self._topic, one), window.reached)
        try:
            while open_ones and self._budget.left:
                polled = await self._consumer.poll(_POLL_S, _AT_ONCE)
                self._budget.take(polled)
                self._sort_in(
                    zip(polled, await self._chosen(polled), strict=True), open_ones, count
                )
                for one, window in list(open_ones.items()):
                    # Offsets may be missing at its end: markers, or what compaction removed.
                    position = await self._consumer.position((self._topic, one))
                    if self._counts_bytes and not polled:
                        position = window.end
                    window.reached = max(window.reached, min(position, window.end))
                    if window.reached >= window.end:
                        self._close(open_ones, one)
        except CorruptRecord as error:
            self._problem = str(error)
        finally:
            self._consumer.assign([])

    def _sort_in(
        self,
        polled: Iterable[tuple[Record, bool]],
        open_ones: dict[int, _Window],
        count: int | None,
    ) -> None:
        for record, is_kept in polled:
            window = open_ones.get(record.partition)
            if window is None:
                continue
            if record.offset >= window.end:
                window.reached = window.end
                self._close(open_ones, record.partition)
                continue
            window.reached = record.offset + 1
            if is_kept:
                window.found.append(record)
                if count is not None and len(window.found) >= count:
                    self._close(open_ones, record.partition)

    def _close(self, open_ones: dict[int, _Window], one: int) -> None:
        del open_ones[one]
        self._consumer.pause((self._topic, one))


def _time(record: Record) -> int:
    return record.timestamp


def _age(record: Record) -> int:
    return -record.timestamp
