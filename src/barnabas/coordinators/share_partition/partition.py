"""SharePartition: what a share group has acquired of one partition: locks, acknowledgements, deliveries.

Offsets below `start` are done; nothing from `end` on was ever delivered. It has no clock and no
log: the caller passes the batches that it read, and times in milliseconds. Source: KIP-932; Kafka's
SharePartition.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from itertools import pairwise
from typing import NamedTuple

from barnabas.coordinators.share_partition.acquiring import (
    AcquireLimits,
    AcquireMaximum,
    Acquiring,
    LogBatch,
)
from barnabas.coordinators.share_partition.spans import DONE, DeliveryState, Span, Spans, joined
from barnabas.errors import ErrorCode


class Acknowledge(IntEnum):
    """A member's acknowledgement of a record, as numbered in the protocol."""

    GAP = 0
    """There is no record."""
    ACCEPT = 1
    """It is done."""
    RELEASE = 2
    """Deliver it to another member."""
    REJECT = 3
    """Nobody shall have it."""
    RENEW = 4
    """It needs more time (KIP-1222)."""


_KINDS = frozenset(Acknowledge)
_WITHOUT_RENEW = _KINDS - {Acknowledge.RENEW}


class Acknowledged(NamedTuple):
    """Offsets with one kind for each, or one for all."""

    first: int
    last: int
    kinds: Sequence[int]


@dataclass(slots=True)
class SharePartition:
    """One partition of one group."""

    start: int
    end: int
    spans: Spans = field(default_factory=Spans)

    def next_offset(self) -> int:
        """Where to read for the next acquisition."""
        for span in self.spans:
            if span.state is DeliveryState.AVAILABLE:
                return span.first
        return self.end

    def has_room(self, limits: AcquireLimits) -> bool:
        """Whether more may be acquired besides what is in flight or waits for redelivery."""
        return self.next_offset() < self.end or self.end - self.start < limits.records

    def acquire(
        self,
        member: str,
        batches: Sequence[LogBatch],
        most: AcquireMaximum,
        limits: AcquireLimits,
        now: int,
    ) -> list[Span]:
        """Lock what is available of these batches, which start at `next_offset`, for a member."""
        if not batches:
            return []
        at, end = self.next_offset(), self.end
        self._reach(batches, limits)
        self._give_up(batches, at, end)
        acquiring = Acquiring(self.spans, batches, most, limits)
        if (last := min(batches[-1].last, self.end - 1)) >= at:
            acquiring.look(at, last)
        got = [
            replace(
                span,
                state=DeliveryState.ACQUIRED,
                count=span.count + 1,
                member=member,
                until_ms=now + limits.lock_ms,
            )
            for span in acquiring.found
        ]
        for span in got:
            self.spans.put(span)
        self._forget_new()
        self._advance()
        return joined(got)

    def _reach(self, batches: Iterable[LogBatch], limits: AcquireLimits) -> None:
        """Turn offsets of new batches into spans, as long as there is room."""
        for batch in batches:
            if batch.last >= self.end and self.end - self.start < limits.records:
                self.spans.add(Span(self.end, batch.last))
                self.end = batch.last + 1

    def _forget_new(self) -> None:
        """Drop spans behind everything that was delivered: they are unknown again."""
        while (span := self.spans.last) is not None:
            if span.lot is not None or span.state is not DeliveryState.AVAILABLE:
                break
            self.spans.drop_last()
            self.end = span.first

    def _give_up(self, batches: Iterable[LogBatch], at: int, end: int) -> None:
        """Archive aborted records, and those awaiting redelivery that the log no longer has."""
        for batch in batches:
            self._archive(at, min(batch.first, end) - 1)
            if batch.aborted:
                self._archive(batch.first, batch.last)
            at = batch.last + 1

    def _archive(self, first: int, last: int) -> None:
        first, last = max(first, self.start), min(last, self.end - 1)
        for span in self.spans.within(first, last) if first <= last else ():
            if span.state is DeliveryState.AVAILABLE:
                self.spans.put(replace(span, state=DeliveryState.ARCHIVED))

    def acknowledge(
        self,
        member: str,
        batches: Sequence[Acknowledged],
        limits: AcquireLimits,
        now: int,
        fits: Callable[[int], bool] = lambda _more: True,
    ) -> ErrorCode:
        """Apply a member's acknowledgements: all of them or, if it does not hold all, none.

        `fits`: whether there may be so many spans more; if not, COORDINATOR_NOT_AVAILABLE.
        """
        before = len(self.spans)
        if any(after.first < batch.first for batch, after in pairwise(batches)):
            return ErrorCode.INVALID_REQUEST
        if any(after.first <= batch.last for batch, after in pairwise(batches)):
            return ErrorCode.INVALID_RECORD_STATE
        wanted: dict[int, Span] = {}
        for batch in batches:
            code, spans = self._acknowledge(member, batch, limits, now)
            if code:
                self.spans.join()
                return code
            wanted |= {span.first: span for span in spans}
        after = Spans(joined(wanted.get(span.first, span) for span in self.spans))
        if not fits(len(after) - before):
            self.spans.join()
            return ErrorCode.COORDINATOR_NOT_AVAILABLE
        self.spans = after
        self._advance()
        return ErrorCode.NONE

    def _acknowledge(
        self, member: str, batch: Acknowledged, limits: AcquireLimits, now: int
    ) -> tuple[ErrorCode, list[Span]]:
        first, last, kinds = batch
        count = last - first + 1
        known = _KINDS if limits.renews else _WITHOUT_RENEW
        if first < 0 or count <= 0 or len(kinds) not in {1, count} or not known.issuperset(kinds):
            return ErrorCode.INVALID_REQUEST, []
        if first < self.start and last < self.start:
            return ErrorCode.NONE, []
        if last >= self.end:
            return ErrorCode.INVALID_REQUEST, []
        spans = []
        for begin, end, kind in _runs(max(first, self.start), batch):
            for span in self.spans.within(begin, end):
                if span.state is not DeliveryState.ACQUIRED or span.member != member:
                    return ErrorCode.INVALID_RECORD_STATE, []
                spans.append(_after(span, Acknowledge(kind), limits, now))
        return ErrorCode.NONE, spans

    def release(self, member: str, limits: AcquireLimits) -> None:
        """Make a member's records available again: it left."""
        for span in self.spans:
            if span.state is DeliveryState.ACQUIRED and span.member == member:
                self.spans.put(_released(span, limits))
        self._advance()

    def on_time(self, limits: AcquireLimits, now: int) -> bool:
        """Release expired locks; return whether there were any."""
        late = [
            span
            for span in self.spans
            if span.state is DeliveryState.ACQUIRED and span.until_ms <= now
        ]
        for span in late:
            self.spans.put(_released(span, limits))
        self._advance()
        return bool(late)

    def has_any(self, member: str) -> bool:
        """Whether a member has acquired any records."""
        return any(one.member == member for one in self.spans)

    def done(self) -> int:
        """The number of records after `start` that are done."""
        return sum(len(one) for one in self.spans if one.state in DONE)

    def deadline(self) -> int | None:
        """When the next lock ends."""
        locked = (one.until_ms for one in self.spans if one.state is DeliveryState.ACQUIRED)
        return min(locked, default=None)

    def log_starts_at(self, offset: int) -> None:
        """Archive the records below this offset: the log no longer has them."""
        if offset <= self.start:
            return
        if offset >= self.end:
            self.spans = Spans()
            self.start = self.end = offset
            return
        for span in self.spans.within(self.start, offset - 1):
            self.spans.put(replace(span, state=DeliveryState.ARCHIVED, member="", until_ms=0))
        self._advance()

    def kept(self) -> list[Span]:
        """What must be stored: records in flight count as available, as before.

        The part at the end that was never delivered is omitted.
        """
        spans = joined(replace(_unlocked(span), lot=None) for span in self.spans)
        while spans and not spans[-1].count and spans[-1].state is DeliveryState.AVAILABLE:
            spans.pop()
        return spans

    def _advance(self) -> None:
        """Move `start` over all that is done."""
        while (first := self.spans.first) is not None and first.state in DONE:
            self.spans.drop_first()
            self.start = first.last + 1
        self.spans.join()


def _runs(begin: int, batch: Acknowledged) -> Iterable[tuple[int, int, int]]:
    """Adjacent offsets with the same acknowledgement, from `begin` on."""
    if len(batch.kinds) == 1:
        yield begin, batch.last, batch.kinds[0]
        return
    at = begin
    while at <= batch.last:
        kind, end = batch.kinds[at - batch.first], at
        while end < batch.last and batch.kinds[end + 1 - batch.first] == kind:
            end += 1
        yield at, end, kind
        at = end + 1


def _after(span: Span, kind: Acknowledge, limits: AcquireLimits, now: int) -> Span:
    match kind:
        case Acknowledge.ACCEPT:
            return replace(span, state=DeliveryState.ACKNOWLEDGED, member="", until_ms=0)
        case Acknowledge.REJECT | Acknowledge.GAP:
            return replace(span, state=DeliveryState.ARCHIVED, member="", until_ms=0)
        case Acknowledge.RENEW:
            return replace(span, until_ms=now + limits.lock_ms)
        case Acknowledge.RELEASE:
            return _released(span, limits)


def _released(span: Span, limits: AcquireLimits) -> Span:
    """Available again, unless it was delivered too often."""
    is_over = span.count >= limits.deliveries
    state = DeliveryState.ARCHIVED if is_over else DeliveryState.AVAILABLE
    return replace(span, state=state, member="", until_ms=0)


def _unlocked(span: Span) -> Span:
    if span.state is not DeliveryState.ACQUIRED:
        return span
    return replace(
        span, state=DeliveryState.AVAILABLE, count=max(span.count - 1, 0), member="", until_ms=0
    )
