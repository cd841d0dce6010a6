"""Offsets as requested before 0.10.1: the start offsets of segments.

Source: seed 002 "Offset API"; Kafka's UnifiedLog.legacyFetchOffsetsBefore.
"""

from barnabas.log.partition.partition_log import PartitionLog

_LATEST, _EARLIEST = -1, -2


def offsets_by_segment(
    log: PartitionLog, timestamp: int, most: int, now_ms: int | None
) -> list[int]:
    """Return at most `most` offsets, greatest first: the log's end and the start of each segment.

    `timestamp`: -1 counts from the log's end, -2 gives the earliest, any other time (ms) counts
    from the last segment that was not changed after it. The end counts as changed at `now_ms`, or
    with that segment if that is None.

    Raises:
        StorageError: the modification time of a segment's file cannot be read.
    """
    segments = list(log.segments)
    if timestamp == _EARLIEST:
        del segments[1:]
    elif timestamp != _LATEST:
        while segments and segments[-1].modified_ms() > timestamp:
            segments.pop()
    found = {max(one.base_offset, log.start_offset) for one in segments}
    active = log.segments.active
    if active.size and timestamp != _EARLIEST:
        changed_ms = active.modified_ms() if now_ms is None else now_ms
        if timestamp == _LATEST or changed_ms <= timestamp:
            found.add(log.end_offset)
    return sorted((min(one, log.high_watermark) for one in found), reverse=True)[: max(most, 0)]
