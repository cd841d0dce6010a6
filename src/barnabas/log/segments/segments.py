"""The segments of one log, in order of their base offsets."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from barnabas.log.segments.segment import Segment


class Segments:
    """At least one segment; the last one is active, the others never grow."""

    __slots__ = ("_bases", "_segments", "active")

    def __init__(self, segments: Sequence[Segment]) -> None:
        self._segments = list(segments)
        self._bases = [segment.base_offset for segment in segments]
        self.active = self._segments[-1]

    def __iter__(self) -> Iterator[Segment]:
        return iter(self._segments)

    def __len__(self) -> int:
        return len(self._segments)

    @property
    def first(self) -> Segment:
        """The oldest one."""
        return self._segments[0]

    @property
    def size(self) -> int:
        """Bytes in all of them."""
        return sum(segment.size for segment in self._segments)

    def from_offset(self, offset: int) -> list[Segment]:
        """The one that `offset` belongs to and all after it."""
        return self._segments[self.number_of(offset) :]

    def number_of(self, offset: int) -> int:
        """Which one, counted from the oldest, `offset` belongs to."""
        return max(bisect_right(self._bases, offset) - 1, 0)

    def bases_before(self, offset: int) -> list[int]:
        """The base offsets that are less than this."""
        return self._bases[: bisect_left(self._bases, offset)]

    def __getitem__(self, number: int) -> Segment:
        return self._segments[number]

    def add(self, segment: Segment) -> None:
        """Append a new active segment."""
        assert segment.base_offset > self._bases[-1], "segments grow"
        self._segments.append(segment)
        self._bases.append(segment.base_offset)
        self.active = segment

    def remove_first(self, count: int) -> list[Segment]:
        """Take out the oldest ones; one must stay."""
        assert count < len(self._segments), "a log has at least one segment"
        removed = self._segments[:count]
        del self._segments[:count]
        del self._bases[:count]
        return removed

    def remove_from(self, offset: int) -> list[Segment]:
        """Remove those whose base offset is `offset` or more; one must remain."""
        keep = bisect_right(self._bases, offset - 1)
        assert keep, "a log has at least one segment"
        removed = self._segments[keep:]
        del self._segments[keep:]
        del self._bases[keep:]
        self.active = self._segments[-1]
        return removed

    def replace(self, number: int, count: int, segment: Segment) -> None:
        """Put one segment in the place of `count` from `number` on, none of them the active one."""
        assert number + count < len(self._segments), "the active segment stays"
        self._segments[number : number + count] = [segment]
        self._bases[number : number + count] = [segment.base_offset]

    def replace_all(self, segment: Segment) -> list[Segment]:
        """Put one segment in the place of all."""
        removed = self._segments
        self._segments = [segment]
        self._bases = [segment.base_offset]
        self.active = segment
        return removed
