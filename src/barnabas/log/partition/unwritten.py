"""Undo appended batches that a full disk did not write."""

from contextlib import suppress

from barnabas.errors import DiskFull
from barnabas.log.partition.log_state import LogState
from barnabas.log.partition.producer_recovery import restore_producers
from barnabas.log.segments.segment import Segment, remove_segments


def undo_unwritten(log: LogState) -> None:
    """Reset a log to the contents of its files, after queued batches could not be written.

    Raises:
        StorageError: the files cannot be read or truncated.
    """
    seen, committed, segment = log.written_end, log.high_watermark, log.segments.active
    unmade = Segment(log.disk, log.directory, log.end_offset, log.config)
    if unmade.base_offset > segment.base_offset:
        # One that was to follow, and is half made.
        remove_segments(log.disk, [unmade])
    segment.truncate(segment.written, log.file_end)
    # There may be no room to write down which epochs went. One that began at the end is the leader's.
    log.epochs.hold()
    log.epochs.truncate_end(log.file_end + 1)
    with suppress(DiskFull):
        log.epochs.save()
    log.cut_to(log.file_end)
    restore_producers(log)
    log.written_end, log.high_watermark = seen, committed
