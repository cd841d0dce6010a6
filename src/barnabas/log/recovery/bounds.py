"""The start and end of a log, from its files and its directory's checkpoints.

A checkpoint saves work, and may be damaged: it counts as far as the files support it. Nothing is
removed because of a checkpoint.
"""

from typing import NamedTuple

from barnabas.log.directories.checkpoints import Checkpoint
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.recovery.recovery import recover
from barnabas.log.segments.segment import Segment, new_segment


class Bounds(NamedTuple):
    """What stays of a log, [start, end) of it for readers.

    `rebuilt`: from there on everything was read and indexed again; None: nothing was. `newest_epoch`: that
    of the last batch, as far as it was looked at.
    """

    segments: list[Segment]
    start: int
    end: int
    rebuilt: int | None
    newest_epoch: int


def find_bounds(log: PartitionLog, segments: list[Segment], checkpoint: Checkpoint) -> Bounds:
    """Find where a log starts and ends; after an unclean stop it is recovered first.

    Raises:
        StorageError: the files cannot be read, or cut.
        DamagedFile: a segment does not hold what it must where it was looked at.
    """
    found = _end_of_clean(log, segments, checkpoint) if checkpoint.clean else None
    if found is None:
        found = _end_of_recovered(log, segments, checkpoint)
    first = found.segments[0].base_offset
    start = max(checkpoint.start_offset, first)
    if found.end >= start:
        return found._replace(start=start)
    seen = max(checkpoint.recovery_point, checkpoint.high_watermark)
    if found.rebuilt is None or seen < start:
        log.losses.start_not_used(start, first, found.end)
        return found._replace(start=first)
    # Two files show that there was more, which is lost. Its offsets are not assigned again.
    log.losses.continues_at(start, found.end)
    following = new_segment(log.disk, log.directory, start, log.config)
    return found._replace(segments=[*found.segments, following], start=start, end=start)


def _end_of_clean(
    log: PartitionLog, segments: list[Segment], checkpoint: Checkpoint
) -> Bounds | None:
    """The bounds of a log that is as its broker left it; None if it is not."""
    last = segments[-1].whole_end()
    if last is None:
        return None
    if last.offset < checkpoint.recovery_point:
        if last.offset != checkpoint.high_watermark:
            return None
        log.losses.point_not_used(checkpoint.recovery_point, last.offset)
    newest = last.leader_epoch
    if log.epochs.latest < 0 and not segments[-1].size and len(segments) > 1:
        before = segments[-2].whole_end()
        newest = -1 if before is None else before.leader_epoch
    return Bounds(segments, 0, last.offset, None, newest)


def _end_of_recovered(log: PartitionLog, segments: list[Segment], checkpoint: Checkpoint) -> Bounds:
    point = checkpoint.recovery_point
    found = recover(log, segments, point)
    if found.end < point:
        if checkpoint.clean:
            log.losses.ends_early(found.end, point)
        elif found.checked > found.segments[0].base_offset:
            # It claims that everything before it was on disk. Since that is wrong, it is ignored.
            log.losses.point_not_used(point, found.end)
            found = recover(log, found.segments, 0)
    return Bounds(found.segments, 0, found.end, found.checked, found.newest_epoch)
