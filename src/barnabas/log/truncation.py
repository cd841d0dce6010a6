"""Cut the end of a log off, as a follower does when its leader has other records there."""

from barnabas.log.partition_log import PartitionLog
from barnabas.log.producer_recovery import rebuild_aborted, restore_producers
from barnabas.log.recovery import remove_segments
from barnabas.log.segment import new_segment


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
    remove_segments(log.disk, log.segments.remove_from(offset))
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
    remove_segments(log.disk, list(log.segments))
    segment = new_segment(log.disk, log.directory, offset, log.config)
    log.segments.replace_all(segment)
    _forget_from(log, offset)


def _forget_from(log: PartitionLog, offset: int) -> None:
    log.epochs.truncate_end(offset)
    log.cut_to(offset)
    restore_producers(log)
