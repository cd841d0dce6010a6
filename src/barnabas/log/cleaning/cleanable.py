"""Which part of a log may be compacted, and how urgent it is. Pure.

Source: Kafka's LogCleanerManager (cleanableOffsets, maxCompactionDelay, calculateCleanableBytes).
"""

from collections.abc import Sequence
from typing import NamedTuple

from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.segments.segment import Segment


class Cleanable(NamedTuple):
    """A log as the cleaner sees it: offsets [first_dirty, end) were never compacted and may be."""

    first_dirty: int
    end: int
    clean_bytes: int
    dirty_bytes: int
    overdue: bool
    """Something in it is older than `max.compaction.lag.ms`."""

    @property
    def dirty_ratio(self) -> float:
        """The share of what may be compacted that never was."""
        return self.dirty_bytes / max(self.clean_bytes + self.dirty_bytes, 1)

    def is_due(self, least_ratio: float) -> bool:
        """Whether it should be compacted now."""
        if not self.dirty_bytes:
            return False
        return self.overdue or self.dirty_ratio > least_ratio


def find_cleanable(log: PartitionLog, checkpoint: int | None, now_ms: int) -> Cleanable:
    """What may be compacted of a log that was compacted up to `checkpoint` (None: never).

    Raises:
        StorageError: a segment cannot be read.
    """
    first_dirty = log.start_offset if checkpoint is None else checkpoint
    if not log.start_offset <= first_dirty <= log.end_offset:
        first_dirty = log.start_offset  # the log was cut at either end since
    active = log.segments.active
    dirty = [each for each in log.segments.from_offset(first_dirty) if each is not active]
    end = log.segments[log.segments.number_of(_first_fixed(log, dirty, now_ms))].base_offset
    times = [time for time in (each.first_timestamp for each in dirty) if time > 0]
    return Cleanable(
        first_dirty,
        max(first_dirty, end),
        sum(each.size for each in log.segments if each.base_offset < first_dirty),
        sum(each.size for each in dirty if each.base_offset < end),
        overdue=min(times, default=now_ms) < now_ms - log.config.max_compaction_lag_ms,
    )


def _first_fixed(log: PartitionLog, dirty: Sequence[Segment], now_ms: int) -> int:
    """The first offset that must not change.

    That is the first of an open transaction, of the active segment, of records not yet on stable
    storage or not committed, or of a segment younger than `min.compaction.lag.ms`.
    """
    fixed = min(log.segments.active.base_offset, log.recovery_point, log.high_watermark)
    transaction = log.producers.first_open_transaction()
    if transaction is not None:
        fixed = min(fixed, transaction)
    lag = log.config.min_compaction_lag_ms
    if lag > 0:
        young = (each.base_offset for each in dirty if each.max_timestamp > now_ms - lag)
        fixed = min(fixed, next(young, fixed))
    return fixed
