"""Compare a log's files with the segments that the inventory of its directory has."""

from collections.abc import Container, Iterable, Sequence
from itertools import pairwise

from barnabas.errors import SegmentsMissing
from barnabas.log.directories.inventory import KnownLog, KnownSegment
from barnabas.log.file_names import DELETED, LOG, OLD_LOG, SWAP, parse_uuid, segment_name
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.segments.segment import Segment

_TAKEN_OUT = (DELETED, SWAP)


def known_of(log: PartitionLog, known: KnownLog | None) -> list[KnownSegment]:
    """The segments in the inventory, if it has this log and not an earlier one."""
    if known is not None and log.topic_id == bytes(16):
        log.topic_id = parse_uuid(known.topic_id)  # Its file is not there, or torn.
    return known.known_segments if known is not None and known.is_of(log.topic_id) else []


def check_names(log: PartitionLog, names: set[str], known: Iterable[KnownSegment]) -> None:
    """Whether each segment is there that the inventory has, or was taken out on purpose.

    Raises:
        SegmentsMissing: one is not.
    """
    stems = {each.base: segment_name(each.base) for each in known}
    missing = [
        base
        for base, stem in stems.items()
        if stem + log.config.scheme.suffix not in names and not _is_taken_out(names, stem)
    ]
    if missing:
        first = f"{log.directory}/{stems[missing[0]]}{log.config.scheme.suffix}"
        others = f" and {len(missing) - 1} more segments are" if len(missing) > 1 else " is"
        raise SegmentsMissing(f"{first}{others} missing, although its records were not deleted")


def _is_taken_out(names: Container[str], stem: str) -> bool:
    """Whether a segment was removed on purpose: by retention, compaction or truncation."""
    return any(stem + kind + suffix in names for kind in (LOG, OLD_LOG) for suffix in _TAKEN_OUT)


def check_sizes(
    log: PartitionLog, segments: Sequence[Segment], known: Sequence[KnownSegment]
) -> None:
    """Whether segments before the last are as long as the inventory has it.

    What compaction or truncation has changed is not compared: until the inventory is written, the old
    files are there, of the segment itself or of the one that followed it.

    Raises:
        SegmentsMissing: one is shorter.
    """
    found = {segment.base_offset: segment for segment in segments}
    evidence = {path.rpartition("/")[2] for path in log.losses.evidence}
    for each, following in pairwise(known):
        segment = found.get(each.base)
        if segment is None or segment.size >= each.size:
            continue
        if not any(_is_taken_out(evidence, segment_name(one.base)) for one in (each, following)):
            raise SegmentsMissing(
                f"{segment.path} has {segment.size} bytes instead of {each.size}: records are missing,"
                " although they were not deleted"
            )


def expect_aborted(segments: Iterable[Segment], known: Iterable[KnownSegment]) -> None:
    """Have indexes of aborted transactions made again that have fewer entries than the inventory knows.

    Truncation and compaction leave fewer, too: it is made again once then, and is the same.
    """
    entries = {each.base: each.aborted for each in known}
    for segment in segments:
        segment.expect_aborted(entries.get(segment.base_offset, 0))
