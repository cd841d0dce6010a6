"""What the start of a log found to be missing: bytes that it cut off, offsets that are not there."""

from collections.abc import Sequence

from barnabas.log.segments.segment import Segment


class Losses:
    """`notes` tell an operator of each; `bytes` are those that were cut off.

    `evidence` are files of segments that were taken out on purpose, which the inventory still has.
    """

    __slots__ = ("bytes", "evidence", "notes")

    def __init__(self) -> None:
        self.bytes = 0
        self.evidence: list[str] = []
        self.notes: list[str] = []

    def cut(self, segment: Segment, position: int, end: int) -> None:
        """A segment will be cut at `position`; the log ends at `end` then."""
        count = segment.size - position
        self.bytes += count
        self.notes.append(
            f"recovered: {count} bytes behind {end} were cut off, from byte {position} of"
            f" {_name(segment)} on: no whole batch with a right CRC is there"
        )

    def removed(self, segments: Sequence[Segment], why: str) -> None:
        """Whole segments will be removed."""
        count = sum(segment.size for segment in segments)
        self.bytes += count
        if count:
            what = "a segment" if len(segments) == 1 else f"{len(segments)} segments"
            self.notes.append(
                f"recovered: {what} of {count} bytes removed, from {_name(segments[0])} on: {why}"
            )

    def ends_early(self, end: int, known: int) -> None:
        """A log that was closed in order ends at `end`, and had its records up to `known` then."""
        self.notes.append(
            f"recovered: the log ends at {end}, and its broker had stopped in order with all up to"
            f" {known} on the disk: what is between is gone, unless its files can be had from a copy"
        )

    def start_not_used(self, start: int, first: int, end: int) -> None:
        """A checkpoint lets the log start behind its end, so it starts with its first segment."""
        self.notes.append(
            f"log-start-offset-checkpoint says that the log starts at {start}, and it ends at {end}:"
            f" it starts at {first}. Where records are there again that were deleted, delete them again"
        )

    def point_not_used(self, point: int, end: int) -> None:
        """A checkpoint says that more was on the disk than there ever was, so far as anybody knows."""
        self.notes.append(
            f"recovery-point-offset-checkpoint says that all up to {point} was on the disk, and the log"
            f" ends at {end}: what that file says is not used"
        )

    def continues_at(self, start: int, end: int) -> None:
        """What is left ends before the start of the log, and new records get offsets from there on."""
        self.notes.append(
            f"recovered: the log ends at {end}, and both checkpoints say that it had more, and started at"
            f" {start}: it goes on from there"
        )

    def missing(self, gaps: Sequence[tuple[int, int]]) -> None:
        """The offsets of these gaps, from one up to another, are in none of the segments."""
        if gaps:
            first, behind = gaps[0]
            others = f" (the first of {len(gaps)} gaps)" if len(gaps) > 1 else ""
            self.notes.append(
                f"recovered: offsets {first} to {behind - 1}{others} are not there, between segments"
                " that are whole: compaction has removed them once, or a power cut took them"
            )

    def missing_bytes(self, holes: Sequence[tuple[int, int]]) -> None:
        """The same of a log whose offsets are bytes, each of which some segment must have."""
        for first, behind in holes:
            self.notes.append(
                f"the bytes {first} to {behind - 1} are not there: the segment that begins with them"
                " is missing, and who reads there is told that the offset is out of range"
            )


def _name(segment: Segment) -> str:
    return segment.path.rpartition("/")[2]
