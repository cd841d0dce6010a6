"""SharePartition: what a share group has in hand of one partition: locks, acknowledgements, deliveries.

Offsets below `start` are done with, from `end` on nothing was ever delivered. No clock, no log: batches
are what the caller read, times are milliseconds that it brings.
Source: KIP-932; Kafka's SharePartition.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from itertools import pairwise
from typing import NamedTuple

from barnabas.coordinators.share_partition.acquiring import Acquiring, Batch, Limits, Most
from barnabas.coordinators.share_partition.spans import DONE, Delivery, Span, Spans, joined
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
            if span.state is Delivery.AVAILABLE:
                return span.first
        return self.end

    def has_room(self, limits: Limits) -> bool:
        """Whether more may be acquired besides what is in flight or waits for redelivery."""
        return self.next_offset() < self.end or self.end - self.start < limits.records

    def acquire(
        self, member: str, batches: Sequence[Batch], most: Most, limits: Limits, now: int
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
                state=Delivery.ACQUIRED,
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

    def _reach(self, batches: Iterable[Batch], limits: Limits) -> None:
        """Turn offsets of new batches into spans, as long as there is space."""
        for batch in batches:
            if batch.last >= self.end and self.end - self.start < limits.records:
                self.spans.add(Span(self.end, batch.last))
                self.end = batch.last + 1

    def _forget_new(self) -> None:
        """What is behind all that was delivered is not known, as before it was read."""
        while (span := self.spans.last) is not None:
            if span.lot is not None or span.state is not Delivery.AVAILABLE:
                break
            self.spans.drop_last()
            self.end = span.first

    def _give_up(self, batches: Iterable[Batch], at: int, end: int) -> None:
        """What was aborted, and what waits to be delivered again and is no more in the log."""
        for batch in batches:
            self._archive(at, min(batch.first, end) - 1)
            if batch.aborted:
                self._archive(batch.first, batch.last)
            at = batch.last + 1

    def _archive(self, first: int, last: int) -> None:
        first, last = max(first, self.start), min(last, self.end - 1)
        for span in self.spans.within(first, last) if first <= last else ():
            if span.state is Delivery.AVAILABLE:
                self.spans.put(replace(span, state=Delivery.ARCHIVED))

    def acknowledge(
        self, member: str, batches: Sequence[Acknowledged], limits: Limits, now: int
    ) -> ErrorCode:
        """Apply a member's acknowledgements: all of them or, if it does not hold all, none."""
        if any(after.first < batch.first for batch, after in pairwise(batches)):
            return ErrorCode.INVALID_REQUEST
        if any(after.first <= batch.last for batch, after in pairwise(batches)):
            return ErrorCode.INVALID_RECORD_STATE
        wanted: list[Span] = []
        for batch in batches:
            code, spans = self._acknowledge(member, batch, limits, now)
            if code:
                return code
            wanted += spans
        for span in wanted:
            self.spans.put(span)
        self._advance()
        return ErrorCode.NONE

    def _acknowledge(
        self, member: str, batch: Acknowledged, limits: Limits, now: int
    ) -> tuple[ErrorCode, list[Span]]:
        first, last, kinds = batch
        count = last - first + 1
        known = set(Acknowledge) if limits.renews else set(Acknowledge) - {Acknowledge.RENEW}
        if first < 0 or count <= 0 or len(kinds) not in {1, count} or not set(kinds) <= known:
            return ErrorCode.INVALID_REQUEST, []
        if first < self.start and last < self.start:
            return ErrorCode.NONE, []
        if last >= self.end:
            return ErrorCode.INVALID_REQUEST, []
        spans = []
        for begin, end, kind in _runs(max(first, self.start), batch):
            for span in self.spans.within(begin, end):
                if span.state is not Delivery.ACQUIRED or span.member != member:
                    return ErrorCode.INVALID_RECORD_STATE, []
                spans.append(_after(span, Acknowledge(kind), limits, now))
        return ErrorCode.NONE, spans

    def release(self, member: str, limits: Limits) -> None:
        """A member is gone: what it had is available again."""
        for span in self.spans:
            if span.state is Delivery.ACQUIRED and span.member == member:
                self.spans.put(_released(span, limits))
        self._advance()

    def on_time(self, limits: Limits, now: int) -> bool:
        """Take back what locks have ended for; whether there was any."""
        late = [
            span for span in self.spans if span.state is Delivery.ACQUIRED and span.until_ms <= now
        ]
        for span in late:
            self.spans.put(_released(span, limits))
        self._advance()
        return bool(late)

    def has_any(self, member: str) -> bool:
        """Whether a member has something in hand."""
        return any(one.member == member for one in self.spans)

    def done(self) -> int:
        """How many records behind `start` are done with already."""
        return sum(len(one) for one in self.spans if one.state in DONE)

    def deadline(self) -> int | None:
        """When the next lock ends."""
        locked = (one.until_ms for one in self.spans if one.state is Delivery.ACQUIRED)
        return min(locked, default=None)

    def log_starts_at(self, offset: int) -> None:
        """Records below are gone: they are done with, whoever has them."""
        if offset <= self.start:
            return
        if offset >= self.end:
            self.spans = Spans()
            self.start = self.end = offset
            return
        for span in self.spans.within(self.start, offset - 1):
            self.spans.put(replace(span, state=Delivery.ARCHIVED, member="", until_ms=0))
        self._advance()

    def kept(self) -> list[Span]:
        """What must be stored: records in flight count as available, as before.

        The part at the end that was never delivered is omitted.
        """
        spans = joined(replace(_unlocked(span), lot=None) for span in self.spans)
        while spans and not spans[-1].count and spans[-1].state is Delivery.AVAILABLE:
            spans.pop()
        return spans

    def _advance(self) -> None:
        """Move `start` over all that is done."""
        while (first := self.spans.first) is not None and first.state in DONE:
            self.spans.drop_first()
            self.start = first.last + 1
        self.spans.join()


def _runs(begin: int, batch: Acknowledged) -> Iterable[tuple[int, int, int]]:
    """Neighbouring offsets of one kind, from `begin` on."""
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


def _after(span: Span, kind: Acknowledge, limits: Limits, now: int) -> Span:
    match kind:
        case Acknowledge.ACCEPT:
            return replace(span, state=Delivery.ACKNOWLEDGED, member="", until_ms=0)
        case Acknowledge.REJECT | Acknowledge.GAP:
            return replace(span, state=Delivery.ARCHIVED, member="", until_ms=0)
        case Acknowledge.RENEW:
            return replace(span, until_ms=now + limits.lock_ms)
        case Acknowledge.RELEASE:
            return _released(span, limits)


def _released(span: Span, limits: Limits) -> Span:
    """Available again, unless it was delivered too often."""
    is_over = span.count >= limits.deliveries
    state = Delivery.ARCHIVED if is_over else Delivery.AVAILABLE
    return replace(span, state=state, member="", until_ms=0)


def _unlocked(span: Span) -> Span:
    if span.state is not Delivery.ACQUIRED:
        return span
    return replace(
        span, state=Delivery.AVAILABLE, count=max(span.count - 1, 0), member="", until_ms=0
    )
