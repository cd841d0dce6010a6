"""From a timestamp to the record that has it.

The time index says where to begin, headers of batches say which batch, and only that one batch is
decoded. Source: KIP-79, KIP-734; Kafka's UnifiedLog.fetchOffsetByTimestamp.
"""

from collections.abc import Callable

from barnabas.errors import DecodeError, StorageError
from barnabas.log.outcomes import FoundTimestamp
from barnabas.log.segment import Segment
from barnabas.log.segments import Segments
from barnabas.records.batch import BatchHeader


def first_not_before(segments: Segments, start: int, timestamp: int) -> FoundTimestamp | None:
    """The first record from offset `start` on whose timestamp is at least `timestamp`."""
    for segment in segments.from_offset(start):
        if segment.max_timestamp < timestamp:
            continue
        position = segment.offsets.position_for(segment.times.offset_before(timestamp))
        found = _search(segment, position, start, lambda time: time >= timestamp)
        if found is not None:
            return found
    return None


def newest(segments: Segments, start: int) -> FoundTimestamp | None:
    """The first record from offset `start` on that has the greatest timestamp."""
    candidates = segments.from_offset(start)
    segment = max(candidates, key=lambda each: each.max_timestamp)
    greatest = segment.max_timestamp
    if greatest < 0:
        return None
    position = segment.offsets.position_for(segment.max_timestamp_offset)
    return _search(segment, position, start, lambda time: time >= greatest)


def _search(
    segment: Segment, position: int, start: int, fits: Callable[[int], bool]
) -> FoundTimestamp | None:
    try:
        for header in segment.headers(position):
            if fits(header.max_timestamp) and header.last_offset >= start:
                found = _search_batch(segment, header, start, fits)
                if found is not None:
                    return found
    except DecodeError as error:
        raise StorageError(f"{segment.stem}: {error}") from error
    return None


def _search_batch(
    segment: Segment, header: BatchHeader, start: int, fits: Callable[[int], bool]
) -> FoundTimestamp | None:
    if header.control or (header.log_append_time and header.magic == 2):
        offset = max(header.base_offset, start)
        return FoundTimestamp(header.max_timestamp, offset, header.leader_epoch)
    # Imported late: a broker starts faster without it, and few are asked for times at once.
    from barnabas.records.columns import Wanted, decode_columns

    data = segment.file.read(header.position, header.size)
    columns = decode_columns([data], wanted=Wanted.OFFSET | Wanted.TIMESTAMP, start=start)
    assert columns.timestamps is not None
    assert columns.offsets is not None
    for offset, timestamp in zip(columns.offsets, columns.timestamps, strict=True):
        if fits(timestamp):
            return FoundTimestamp(timestamp, offset, header.leader_epoch)
    return None
