"""Limits on batches, and when a batch needs a new segment. Pure."""

from barnabas.errors import ErrorCode
from barnabas.log.segments.log_config import LogConfig
from barnabas.log.segments.segment import Segment
from barnabas.records.batches.batch import BatchHeader
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.types import Buffer

_INT64_MIN, _INT64_MAX = -(1 << 63), (1 << 63) - 1
_INT32_MAX = (1 << 31) - 1

Entry = tuple[int, int, int]


def refuse_if_beyond(batch: BatchHeader, records: Buffer, config: LogConfig, now_ms: int) -> None:
    """Refuse a batch that is too large, or has records that the topic does not take.

    The greatest timestamp is the one that the header states.

    Raises:
        RefusedRecords: MESSAGE_TOO_LARGE, INVALID_TIMESTAMP, INVALID_RECORD or
            RECORD_LIST_TOO_LARGE.
    """
    if batch.size > config.max_message_bytes:
        raise RefusedRecords(
            ErrorCode.MESSAGE_TOO_LARGE,
            f"the batch has {batch.size} bytes, max.message.bytes is {config.max_message_bytes}",
        )
    refuse_records(records, batch.max_timestamp, config, now_ms)
    refuse_beyond_segment(batch.size, config)


def refuse_beyond_segment(size: int, config: LogConfig) -> None:
    """Refuse what would not go into a segment of its own.

    Raises:
        RefusedRecords: RECORD_LIST_TOO_LARGE.
    """
    if size > config.segment_bytes:
        raise RefusedRecords(
            ErrorCode.RECORD_LIST_TOO_LARGE,
            f"the records have {size} bytes, segment.bytes is {config.segment_bytes}",
        )


def refuse_records(records: Buffer, newest: int, config: LogConfig, now_ms: int) -> None:
    """Refuse what has records that the topic does not take; `newest` is the time it states.

    Raises:
        RefusedRecords: INVALID_TIMESTAMP or INVALID_RECORD.
    """
    if config.log_append_time or not config.magic:
        earliest, latest = _INT64_MIN, _INT64_MAX
    else:
        earliest = now_ms - config.message_timestamp_before_max_ms
        latest = now_ms + config.message_timestamp_after_max_ms
    if config.judges_records or newest > latest:
        # Imported late: a broker starts faster without it.
        from barnabas.records.record_rules import RecordRules

        RecordRules(config.compacts, earliest, latest).check(records)
        if newest > latest:
            words = f"the batch states a time of {newest}, but has no such record"
            raise RefusedRecords(ErrorCode.INVALID_TIMESTAMP, words)


def needs_new_segment(segment: Segment, config: LogConfig, entry: Entry, now_ms: int) -> bool:
    """Whether a batch does not go into the active segment: its size, last offset, newest time.

    Source: Kafka's LogSegment.shouldRoll.
    """
    size = segment.size
    batch_size, last_offset, newest = entry
    # One that was opened is as old as its first use.
    segment.created_ms = segment.created_ms or now_ms
    if size:
        if size + batch_size > config.segment_bytes:
            return True
        first = segment.first_timestamp
        if first < 0:
            age = now_ms - segment.created_ms
        elif config.message_timestamp_type == "CreateTime":
            age = newest - first
        else:
            age = now_ms - first
        if age > config.longest_segment_ms - segment.jitter_ms:
            return True
    return last_offset - segment.base_offset > _INT32_MAX or segment.index_is_full(
        config.segment_index_bytes
    )
