"""What opening a log found to be missing: truncated bytes, missing offsets."""

from collections.abc import Sequence

from barnabas.log.segments.segment import Segment


class RecoveryLosses:
    """`notes` report each to an operator; `bytes` is the number of truncated bytes.

    `evidence` are files of segments that were removed on purpose, and that the inventory still has.
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
            f"recovered: the log ends at {end}, but its broker had stopped cleanly with "
            f"everything up to {known} on disk: the records in between are lost, unless you can "
            "copy its files from elsewhere"
        )

    def start_not_used(self, start: int, first: int, end: int) -> None:
        """A checkpoint lets the log start behind its end, so it starts with its first segment."""
        self.notes.append(
            f"log-start-offset-checkpoint says that the log starts at {start}, but it ends at "
            f"{end}: it starts at {first}. If deleted records are back, delete them again"
        )

    def point_not_used(self, point: int, end: int) -> None:
        """A checkpoint claims more records on disk than there ever were, as far as is known."""
        self.notes.append(
            f"recovery-point-offset-checkpoint says that everything up to {point} was on disk, "
            f"but the log ends at {end}: that file is ignored"
        )

    def continues_at(self, start: int, end: int) -> None:
        """What is left ends before the start of the log, and new records get offsets from there on."""
        self.notes.append(
            f"recovered: the log ends at {end}, but both checkpoints say that it had more, and "
            f"started at {start}: it continues from there"
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
        """The same for a log whose offsets are bytes, each of which must be in some segment."""
        for first, behind in holes:
            self.notes.append(
                f"the bytes {first} to {behind - 1} are missing: so is the segment that starts "
                "with them; fetches there get OFFSET_OUT_OF_RANGE"
            )


def _name(segment: Segment) -> str:
    return segment.path.rpartition("/")[2]
