"""Which of the oldest segments may be deleted: by log start, size or time.

Source: Kafka's UnifiedLog.deleteOldSegments, which tries the three in this order.
"""

from barnabas.log.file_names import SNAPSHOT
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.segments.segment import Segment

_NO_LIMIT = -1


SEGMENTS_A_STEP = 16
"""How many go at a time: each has up to five files to be renamed or removed, and a log may have 100,000."""


def expired_segments(log: PartitionLog, now_ms: int) -> int:
    """How many of the oldest segments should go; may be all of them, the active one too."""
    segments = list(log.segments)
    count = _before_start(log, segments)
    if log.config.deletes:
        count = max(count, _over_size(log, segments), _too_old(log, segments, now_ms))
    if log.on_counted is not None:
        # A follower may still need what is not committed.
        ends = [*(later.base_offset for later in segments[1:]), log.end_offset]
        count = min(count, sum(end <= log.high_watermark for end in ends))
    if count == len(segments) and not segments[-1].size:
        return count - 1
    return count


def _before_start(log: PartitionLog, segments: list[Segment]) -> int:
    return min(log.segments.number_of(log.start_offset), len(segments) - 1)


def _over_size(log: PartitionLog, segments: list[Segment]) -> int:
    limit = log.config.retention_bytes
    if limit == _NO_LIMIT:
        return 0
    excess = log.size - limit
    count = 0
    for segment in segments:
        excess -= segment.size
        if excess < 0:
            break
        count += 1
    return count


def _too_old(log: PartitionLog, segments: list[Segment], now_ms: int) -> int:
    limit = log.config.retention_ms
    if limit == _NO_LIMIT:
        return 0
    count = 0
    for segment in segments:
        newest = segment.max_timestamp
        if newest < 0:
            newest = segment.modified_ms()
        if now_ms - newest <= limit:
            break
        count += 1
    return count


def drop_expired(log: PartitionLog, now_ms: int, most: int = SEGMENTS_A_STEP) -> list[Segment]:
    """Remove the oldest expired segments from a log, at most `most`; it then starts at or after the next one.

    Their files still exist, for the caller to rename and remove: readers may have them open.

    Raises:
        StorageError: the log is offline.
    """
    count = min(expired_segments(log, now_ms), most)
    if not count:
        return []
    if count == len(log.segments):
        log.roll(now_ms)
    removed = log.segments.remove_first(count)
    first = log.segments.first.base_offset
    if log.start_offset < first:
        log.start_offset = first
        log.epochs.truncate_start(first)
    log.forget_places()
    for segment in removed:
        log.disk.remove(segment.stem + SNAPSHOT)
    return removed
