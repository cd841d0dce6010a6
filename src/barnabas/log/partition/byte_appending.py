"""Append messages to a log of Kafka 0.7's format: their positions are their offsets.

Source: seed 000 "Ground Rules"; Kafka 0.7.2's Log.append, maybeRoll.
"""

from collections.abc import Iterator

from barnabas.kernels import layout
from barnabas.log.append_results import AppendInfo
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.types import NO_TIMESTAMP

_INT32_MAX = (1 << 31) - 1
_RUN_BYTES = 64 << 10
"""A look-up reads message by message after an entry of the index: 7,000 of nine bytes."""


def append_messages(
    log: PartitionLog, messages: memoryview, *, now_ms: int, rolls: bool = True
) -> AppendInfo:
    """Queue whole messages that were checked, as they are; they must not change until written.

    A segment ends when it has more than `segment.bytes` or is too old, so that it is longer than
    that by up to one set: a set is never split. Without `rolls` it ends only where it must, and otherwise
    with a later set.

    Raises:
        StorageError: the log is offline, or its disk is full.
    """
    if log.refusal is not None:
        raise log.refused()
    base, size = log.end_offset, len(messages)
    if log.segments.active.size + size > _INT32_MAX or (rolls and _ends(log, now_ms)):
        log.roll(now_ms)
    segment = log.segments.active
    segment.created_ms = segment.created_ms or now_ms
    for run in _runs(messages):
        log.queue_set(run, log.end_offset + len(run) - 1, NO_TIMESTAMP)
    return AppendInfo(base, base + size - 1, NO_TIMESTAMP, log.start_offset, duplicate=False)


def _runs(messages: memoryview) -> Iterator[memoryview]:
    """The set in parts of whole messages, each of which may have an entry in the index."""
    if len(messages) <= _RUN_BYTES:
        if messages:
            yield messages
        return
    # Imported late: most sets are short.
    from barnabas.records.messages07.message07 import tables

    start = 0
    for table, count, _ in tables(messages, 0, len(messages), check_crcs=False):
        for at in table[layout.BYTE_START : count * layout.BYTE_WIDTH : layout.BYTE_WIDTH]:
            if at - start >= _RUN_BYTES:
                yield messages[start:at]
                start = at
    yield messages[start:]


def _ends(log: PartitionLog, now_ms: int) -> bool:
    segment, config = log.segments.active, log.config
    if not segment.size:
        segment.created_ms = now_ms
        return False
    age = now_ms - (segment.created_ms or now_ms)
    return (
        segment.size > config.segment_bytes
        or age > config.longest_segment_ms - segment.jitter_ms
        or (segment.room <= 0 and segment.index_is_full(config.segment_index_bytes))
    )
