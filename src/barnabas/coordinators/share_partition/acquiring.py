"""Acquiring: which records of a share partition a member gets at once.

Records first delivered together form a lot. A lot that returns repeatedly may contain a record that
crashes its consumers. So from half of its deliveries on, a lot is delivered alone, half as many
records each time, and a record alone the last time: then only that one is given up. Source:
KIP-932; Kafka's SharePartition.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from barnabas.coordinators.share_partition.spans import DeliveryState, Span, Spans


class LogBatch(NamedTuple):
    """The offsets of one batch of the log; `aborted`: its transaction is, so nobody gets it."""

    first: int
    last: int
    aborted: bool = False


@dataclass(frozen=True, slots=True)
class AcquireLimits:
    """How many records may be acquired at once, how often one is delivered, how long a lock lasts."""

    records: int
    deliveries: int
    lock_ms: int
    renews: bool = True

    @property
    def suspect_from(self) -> int:
        """The number of deliveries after which a record is suspect."""
        return max(2, (self.deliveries + 1) // 2)

    def is_last(self, count: int) -> bool:
        """Whether a record that was delivered so often is delivered for the last time, alone."""
        return 2 < self.deliveries <= count + 1


class AcquireMaximum(NamedTuple):
    """The number of records to acquire; `strict`: an exact maximum, otherwise whole batches.

    `lot`: the minimum number delivered together, if there are more. Strict ones are all taken
    together.
    """

    records: int
    strict: bool
    lot: int


class Acquiring:
    """One acquisition. `found`: available spans, in order, that are to be locked."""

    def __init__(
        self, spans: Spans, batches: Sequence[LogBatch], most: AcquireMaximum, limits: AcquireLimits
    ) -> None:
        self.found: list[Span] = []
        self._spans = spans
        self._batches = batches
        self._most = most
        self._limits = limits
        self._left = most.records

    def look(self, first: int, last: int) -> None:
        """Find what is available among these offsets."""
        for lot, spans in groupby(self._spans.within(first, last), key=attrgetter("lot")):
            there = list(spans)
            free = [one for one in there if one.state is DeliveryState.AVAILABLE]
            if not free:
                continue
            if lot is None:
                self._take_new(there[0].first, there[-1].last)
            else:
                self._take_again(free, lot[1] - lot[0] + 1)
            if self._left <= 0:
                break

    def _take_new(self, first: int, last: int) -> None:
        for lot in self._lots(first, last):
            for span in self._spans.within(*lot):
                self._spans.put(replace(span, lot=lot))
            self._take(self._spans.within(*lot))

    def _lots(self, first: int, last: int) -> list[tuple[int, int]]:
        """As many batches as needed; a gap that compaction left after a batch belongs to it."""
        lots: list[tuple[int, int]] = []
        left = self._left
        for batch in self._batches:
            if batch.last < first:
                continue
            if batch.first > last or left <= 0:
                break
            end = min(batch.last, last)
            begin = max(batch.first, first) if lots else first
            if lots:
                lots[-1] = lots[-1][0], begin - 1
            if lots and (self._most.strict or begin - lots[-1][0] < self._most.lot):
                lots[-1] = lots[-1][0], end
            else:
                lots.append((begin, end))
            left -= 0 if batch.aborted else end - begin + 1
        return lots

    def _take_again(self, free: Sequence[Span], size: int) -> None:
        """Acquire from a lot that was delivered before, with this many records in all."""
        is_suspect = any(one.count >= self._limits.suspect_from for one in free)
        if not is_suspect:
            self._take(free)
            return
        if not self.found:
            self._take(self._portion(free, size))
        self._left = 0

    def _portion(self, free: Sequence[Span], size: int) -> list[Span]:
        """How much of a suspect lot is delivered at once: less each time, in the end one record."""
        limits, most = self._limits, None
        got: list[Span] = []
        count = 0
        for span in free:
            is_last = limits.is_last(span.count)
            if is_last and got:
                break
            if most is None and span.count >= limits.suspect_from:
                most = max(1, size >> (span.count - limits.suspect_from + 1))
            wanted = len(span)
            if is_last:
                wanted = 1
            elif most is not None and most > count:
                wanted = min(wanted, most - count)
            got.append(self._spans.within(span.first, span.first + wanted - 1)[0])
            count += wanted
            if is_last or count == most:
                break
        return got

    def _take(self, spans: Sequence[Span]) -> None:
        for span in spans:
            if span.state is not DeliveryState.AVAILABLE:
                continue
            got = span
            if self._most.strict:
                if self._left <= 0:
                    break
                if len(span) > self._left:
                    got = self._spans.within(span.first, span.first + self._left - 1)[0]
            self.found.append(got)
            self._left -= len(got)
