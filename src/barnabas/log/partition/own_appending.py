"""Appends of the broker itself: neither size nor timestamps nor sequences are checked.

A log that cannot hold such records, for example in Kafka 0.7's format, stores nothing, and reports
no bytes.
"""

from barnabas.errors import StorageError
from barnabas.kernels.batches.objects import RecordAppender
from barnabas.log.partition.limits import needs_new_segment
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.records.batches.builder import NO_PRODUCER, build
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.records.checksums import crc32c
from barnabas.records.codecs.compression import Codec

_MAGIC = 2
"""Of today's record format."""


def append_batch(log: PartitionLog, batch: bytearray, leader_epoch: int, now_ms: int) -> int:
    """Queue a batch; gives the bytes that are queued."""
    made = memoryview(batch)
    try:
        if log.config.magic < _MAGIC:
            # Imported late: a broker starts faster without it, and most never need it.
            from barnabas.log.partition.set_appending import append_set

            info, made = append_set(log, made, now_ms=now_ms, internal=True)
        else:
            info = log.append(made, leader_epoch=leader_epoch, now_ms=now_ms, internal=True)
    except (RefusedRecords, StorageError):
        return 0
    assert not info.duplicate, "the broker's own batches have no sequence"
    return len(made)


def append_records(
    log: PartitionLog,
    records: RecordAppender,
    leader_epoch: int,
    now_ms: int,
    codec: Codec = Codec.NONE,
) -> int:
    """Queue records of no producer as one batch; gives the bytes that are queued."""
    config = log.config
    if codec is Codec.ZSTD and config.magic < _MAGIC:
        codec = Codec.NONE  # which that format does not have
    if codec or config.magic < _MAGIC:
        return append_batch(log, build(records, codec, None), leader_epoch, now_ms)
    size, newest, base = records.size, records.max_timestamp, log.end_offset
    last = base + records.count - 1
    segment = log.segments.active
    try:
        if log.refusal is not None:
            return 0
        if not segment.surely_takes(size, last, newest, config) and needs_new_segment(
            segment, config, (size, last, newest), now_ms
        ):
            log.roll(now_ms)
        if leader_epoch > log.epochs.latest:
            log.begin_epoch(leader_epoch, base)
    except StorageError:
        return 0
    batch = records.finish(base, leader_epoch, Codec.NONE, *NO_PRODUCER, crc32c)
    log.queue_batch(batch, size, last, newest)
    return size
