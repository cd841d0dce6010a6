"""Recover a log after an unclean stop: check segments after the recovery point, truncate, index.

As in Kafka's LogLoader, it removes everything after a segment's last whole batch with a right CRC, and
then all later segments, and any segment that begins before its predecessor ends.

Offsets missing between two whole segments are no reason to cut. Compaction leaves such gaps, whatever
the topic's policy is now, and the records after a gap were acknowledged. A power cut may leave a gap
as well, if the part of a segment that reached the disk ends with a batch, and a later segment was
written. The remaining records are valid, so they stay, as in Kafka; the gap is logged unless the topic
is compacted. Records that must survive a power cut need `flush.messages`.
"""

from typing import NamedTuple

from barnabas.log.partition.leader_epochs import LeaderEpochs
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.segments.batch_file import BatchesEnd
from barnabas.log.segments.segment import Segment, remove_segments


class Recovered(NamedTuple):
    """The segments that stay, the first offset of those that were checked, the end of the log.

    `newest_epoch` is the highest of a batch in those; -1 if they have none.
    """

    segments: list[Segment]
    checked: int
    end: int
    newest_epoch: int


def recover(log: PartitionLog, segments: list[Segment], recovery_point: int) -> Recovered:
    """Check the segments from the one with the recovery point on; `log.losses` lists what was removed.

    Raises:
        StorageError: they cannot be read, or truncated.
    """
    first = len(segments) - 1
    while first > 0 and segments[first].base_offset > recovery_point:
        first -= 1
    checked = end = segments[first].base_offset
    newest = -1
    gaps: list[tuple[int, int]] = []
    stay = len(segments)
    for number in range(first, len(segments)):
        segment = segments[number]
        why = _why_not_behind(segment, end, counts_bytes=log.config.byte_positions)
        if why:
            stay = number
            log.losses.removed(segments[stay:], why)
            break
        if segment.base_offset > end:
            # An empty segment is part of the gap.
            start = gaps.pop()[0] if gaps and gaps[-1][1] == end else end
            gaps.append((start, segment.base_offset))
        position, end, epoch = _recover_segment(segment, log.epochs)
        newest = max(newest, epoch)
        if position < segment.size:
            stay = number + 1
            log.losses.cut(segment, position, end)
            segment.file.truncate(position)
            segment.size = segment.written = position
            log.losses.removed(segments[stay:], "what is before that was truncated")
            break
    if "compact" not in log.config.cleanup_policy:
        log.losses.missing(gaps)
    remove_segments(log.disk, segments[stay:])
    return Recovered(segments[:stay], checked, end, newest)


def _why_not_behind(segment: Segment, end: int, *, counts_bytes: bool) -> str:
    """Why a segment cannot follow one that ends at `end`; empty if it can."""
    if segment.base_offset < end:
        return f"it begins before {end}, where the one before it ends"
    if segment.base_offset > end and counts_bytes:
        # Nothing is ever taken out of a log of Kafka 0.7, which would not open this one.
        return f"the bytes from {end} on are missing before it"
    return ""


def _recover_segment(segment: Segment, epochs: LeaderEpochs) -> BatchesEnd:
    """Make the indexes of a segment again, up to its last right batch.

    Returns: the position and the offset after that batch, and the highest leader epoch up to there.
    """
    segment.start_rebuild()
    segment.aborted.replace((), segment.base_offset)
    valid, after, newest = 0, segment.base_offset, -1
    for found in segment.scan(0):
        header = found.header
        if header.base_offset < after:
            break
        if header.leader_epoch > epochs.latest:
            epochs.assign(header.leader_epoch, header.base_offset)
        segment.index(header.position, header)
        valid, after = header.end, header.next_offset
        newest = max(newest, header.leader_epoch)
    segment.seal()
    return BatchesEnd(valid, after, newest)
