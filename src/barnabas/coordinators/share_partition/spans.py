"""Spans: runs of offsets with the same state, in the order of the log."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from operator import attrgetter


class DeliveryState(IntEnum):
    """The state of a record. The numbers are those in stored records."""

    AVAILABLE = 0
    """It can be delivered, for the first time or again."""
    ACQUIRED = 1
    """A member has it, until its lock ends."""
    ACKNOWLEDGED = 2
    """A member is done with it."""
    ARCHIVED = 4
    """It is delivered no more: it was rejected, delivered too often, or is no record."""


DONE = frozenset({DeliveryState.ACKNOWLEDGED, DeliveryState.ARCHIVED})


@dataclass(frozen=True, slots=True)
class Span:
    """The offsets `first` to `last`, inclusive. `count`: the number of their deliveries.

    If acquired, `member` has them until `until_ms`. `lot`: first and last offset of those that were
    first delivered together; None: never delivered.
    """

    first: int
    last: int
    state: DeliveryState = DeliveryState.AVAILABLE
    count: int = 0
    member: str = ""
    until_ms: int = 0
    lot: tuple[int, int] | None = None

    def __len__(self) -> int:
        return self.last - self.first + 1

    def at(self, first: int, last: int) -> "Span":
        """The same state of other offsets. Quicker than `replace`, for thousands of records one by one."""
        return Span(first, last, self.state, self.count, self.member, self.until_ms, self.lot)

    def is_like(self, other: "Span") -> bool:
        """Whether the other span, which starts where this one ends, can be merged with it."""
        mine = self.state, self.count, self.member, self.until_ms, self.lot
        theirs = other.state, other.count, other.member, other.until_ms, other.lot
        return self.last + 1 == other.first and mine == theirs


_first_of = attrgetter("first")


class Spans:
    """Spans without gaps or overlaps, sorted."""

    __slots__ = ("_spans",)

    def __init__(self, spans: Iterable[Span] = ()) -> None:
        self._spans = list(spans)

    def __iter__(self) -> Iterator[Span]:
        return iter(tuple(self._spans))

    def __len__(self) -> int:
        return len(self._spans)

    @property
    def first(self) -> Span | None:
        """The span with the lowest offsets."""
        return self._spans[0] if self._spans else None

    @property
    def last(self) -> Span | None:
        """The span with the highest offsets."""
        return self._spans[-1] if self._spans else None

    def add(self, span: Span) -> None:
        """Append a span after all others."""
        self._spans.append(span)

    def drop_first(self) -> None:
        """Remove the span with the lowest offsets."""
        del self._spans[0]

    def drop_last(self) -> None:
        """Remove the span with the highest offsets."""
        del self._spans[-1]

    def within(self, first: int, last: int) -> list[Span]:
        """The spans of these offsets, split at both ends."""
        self._cut(first)
        self._cut(last + 1)
        return self._spans[self._at(first) : bisect_right(self._spans, last, key=_first_of)]

    def put(self, span: Span) -> None:
        """Replace the span with exactly these offsets."""
        index = self._at(span.first)
        was = self._spans[index]
        assert (was.first, was.last) == (span.first, span.last), "spans are cut before"
        self._spans[index] = span

    def join(self) -> None:
        """Merge adjacent spans that are alike."""
        self._spans = joined(self._spans)

    def _cut(self, at: int) -> None:
        """Split the span that contains an offset, so that one begins there."""
        index = self._at(at)
        if index < 0 or index >= len(self._spans):
            return
        span = self._spans[index]
        if span.first < at <= span.last:
            self._spans[index : index + 1] = [span.at(span.first, at - 1), span.at(at, span.last)]

    def _at(self, offset: int) -> int:
        """The index of the span that contains an offset, or of the last one before it."""
        return max(bisect_right(self._spans, offset, key=_first_of) - 1, 0)


def joined(spans: Iterable[Span]) -> list[Span]:
    """Merge adjacent spans that are alike."""
    found: list[Span] = []
    for span in spans:
        if found and found[-1].is_like(span):
            found[-1] = span.at(found[-1].first, span.last)
        else:
            found.append(span)
    return found
