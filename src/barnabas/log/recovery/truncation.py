"""Truncate a log, as a follower does when its leader has other records."""

from collections.abc import Sequence

from barnabas.log.file_names import DELETED
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.partition.producer_recovery import rebuild_aborted, restore_producers
from barnabas.log.segments.segment import Segment, new_segment, remove_segments


def truncate_log(log: PartitionLog, offset: int) -> None:
    """Drop `offset` and all that follows; a batch that holds it goes whole.

    Raises:
        StorageError: the log is offline.
    """
    log.write_pending()
    log.flushing.wait()
    if offset >= log.end_offset:
        return
    if offset <= log.segments.first.base_offset:
        start_anew(log, max(offset, 0))
        return
    _take_out(log, log.segments.remove_from(offset))
    segment = log.segments.active
    found = segment.find(offset)
    if found is not None:
        segment.truncate(found.position, found.base_offset)
    if segment.aborted.fault:
        rebuild_aborted(log, segment, segment.aborted.fault)
    # Behind a gap that is less than `offset`, and what the next start will find.
    _forget_from(log, segment.next_offset())


def start_anew(log: PartitionLog, offset: int) -> None:
    """Drop all records; the log starts and ends at `offset`.

    Raises:
        StorageError: the log is offline.
    """
    log.write_pending()
    log.flushing.wait()
    _take_out(log, list(log.segments))
    segment = new_segment(log.disk, log.directory, offset, log.config)
    log.segments.replace_all(segment)
    # Before what was taken out is removed: a start that finds neither takes the log for damaged.
    log.disk.sync_directory(log.directory)
    _forget_from(log, offset)
    log.start_offset = log.high_watermark = offset


def begin_with(log: PartitionLog, base_offset: int) -> None:
    """Have an empty log begin with a batch whose first records are deleted where it is copied from.

    Source: Kafka's Partition, UnexpectedAppendOffsetException.

    Raises:
        StorageError: the log is offline.
    """
    if base_offset < log.end_offset:
        start, watermark = log.start_offset, log.high_watermark
        start_anew(log, base_offset)
        log.start_offset, log.high_watermark = start, watermark


def skip_to(log: PartitionLog, offset: int, now_ms: int) -> None:
    """Let the next record have a later offset than the one that follows the last.

    Raises:
        StorageError: the log is offline.
    """
    log.write_pending()
    log.end_offset = log.file_end = log.written_end = log.high_watermark = offset
    if log.segments.active.size:
        log.roll(now_ms)
        return
    empty = log.segments.active
    segment = Segment(log.disk, log.directory, offset, log.config)
    segment.create(now_ms)
    if len(log.segments) == 1:
        log.segments.replace_all(segment)
        log.start_offset = offset
    else:
        log.segments.remove_from(empty.base_offset)
        log.segments.add(segment)
    remove_segments(log.disk, [empty])


def _take_out(log: PartitionLog, segments: Sequence[Segment]) -> None:
    """Rename segments for maintenance to remove: a start before that must see that they were cut off.

    The last one first: a kill in between leaves the beginning of the log, and no gap.
    """
    for segment in reversed(segments):
        segment.close()
        segment.rename_to(DELETED)
        log.cut_off.append(segment)


def _forget_from(log: PartitionLog, offset: int) -> None:
    log.epochs.truncate_end(offset)
    log.cut_to(offset)
    restore_producers(log)
