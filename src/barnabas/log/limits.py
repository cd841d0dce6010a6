"""Which batch a log refuses, and when a batch needs a new segment: from the numbers alone."""

from barnabas.errors import ErrorCode
from barnabas.log.config import LogConfig
from barnabas.log.segment import Segment
from barnabas.records.batch import BatchHeader
from barnabas.records.refused import RefusedRecords

_INT32_MAX = (1 << 31) - 1


def refuse_if_beyond(batch: BatchHeader, config: LogConfig, now_ms: int) -> None:
    """Refuse a batch that is too large or, unless the broker stamps it, too far from its clock.

    The oldest timestamp is taken to be the first record's: the header does not tell the others.

    Raises:
        RefusedRecords: MESSAGE_TOO_LARGE or INVALID_TIMESTAMP.
    """
    if batch.size > config.max_message_bytes:
        raise RefusedRecords(
            ErrorCode.MESSAGE_TOO_LARGE,
            f"the batch has {batch.size} bytes, max.message.bytes is {config.max_message_bytes}",
        )
    if config.message_timestamp_type == "CreateTime" and (
        batch.max_timestamp - now_ms > config.message_timestamp_after_max_ms
        or now_ms - batch.base_timestamp > config.message_timestamp_before_max_ms
    ):
        raise RefusedRecords(
            ErrorCode.INVALID_TIMESTAMP,
            f"timestamps {batch.base_timestamp} to {batch.max_timestamp} are too far from the"
            f" broker's time {now_ms} (message.timestamp.before.max.ms and .after.max.ms)",
        )


def needs_new_segment(
    segment: Segment, config: LogConfig, batch: BatchHeader, last_offset: int, now_ms: int
) -> bool:
    """Whether a batch that would end with `last_offset` does not go into the active segment.

    Source: Kafka's LogSegment.shouldRoll.
    """
    size = segment.size
    if size:
        if size + batch.size > config.segment_bytes:
            return True
        first = segment.first_timestamp
        if first < 0:
            age = now_ms - segment.created_ms
        elif config.message_timestamp_type == "CreateTime":
            age = batch.max_timestamp - first
        else:
            age = now_ms - first
        if age > config.segment_ms:
            return True
    return last_offset - segment.base_offset > _INT32_MAX or segment.index_is_full(
        config.segment_index_bytes
    )
