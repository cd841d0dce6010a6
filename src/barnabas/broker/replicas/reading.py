"""What consumers read of a partition: up to the high watermark, or only committed transactions."""

from typing import Protocol

from barnabas.broker.replicas.fetch_rows import Fetched, Read, failed
from barnabas.broker.replicas.partition import Partition
from barnabas.errors import ErrorCode, StorageError
from barnabas.log.partition.last_stable_offset import aborted_in, stable_end
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.protocol.fetch import AbortedTransaction, EpochEndOffset, PartitionData
from barnabas.types import new_tuple
from barnabas.wire.schema import maker
from barnabas.wire.send import FileSlice, HeldRecords

_CONVERTED_BYTES_MAX = 4 << 20
"""What is read at once of a log whose messages are converted, as the loop waits for it meanwhile."""

_NONE = ErrorCode.NONE
_data = maker(PartitionData)


class ReadOne(Protocol):
    """Reads one partition for a fetch, like `read_records`."""

    def __call__(
        self, partition: Partition, read: Read, max_bytes: int, /, *, min_one: bool
    ) -> Fetched:
        """Read at most `max_bytes`; with `min_one` the first batch comes whole."""
        ...


def read_records(
    partition: Partition,
    read: Read,
    max_bytes: int,
    *,
    min_one: bool,
    committed_only: bool = False,
    from_follower: bool = False,
) -> Fetched:
    """Read from an offset up to the high watermark, at most `max_bytes`.

    With `min_one` the first batch comes whole, however large. With `committed_only` the last stable
    offset is the end, and the aborted transactions before it are listed (KIP-98). With `from_follower`
    a follower is read, too (KIP-392).
    """
    topic, topic_id, asked = read
    log, offset = partition.log, asked.fetch_offset
    epoch = asked.current_leader_epoch
    if (epoch >= 0 or partition.role is not None or log.failure is not None) and (
        code := partition.check_epoch(epoch, from_follower=from_follower)
    ):
        return failed(read, code)
    if asked.last_fetched_epoch >= 0:
        diverging = _divergence(partition, read)
        if diverging is not None:
            return diverging
    if not log.start_offset <= offset <= log.written_end:
        # Kafka returns no offsets with it either: the reader requests them.
        return failed(read, ErrorCode.OFFSET_OUT_OF_RANGE)
    watermark = log.high_watermark
    stable = stable_end(log) if log.producers.open_transactions else watermark
    end = stable if committed_only else watermark
    records: FileSlice | HeldRecords | None = None
    aborted = None
    try:
        if offset < end and (max_bytes > 0 or min_one):
            if log.config.byte_positions:
                records = _read_converted(log, offset, max_bytes, min_one=min_one)
            else:
                records = log.read(offset, max_bytes, max_offset=end, min_one=min_one)[0]
        if committed_only:
            aborted = _aborted_in(log, offset, records, stable)
    except StorageError as error:
        return failed(read, error.code)
    data = partition_data(partition, records, stable)
    if aborted is not None:
        data.aborted_transactions = aborted
    return new_tuple(Fetched, (topic, topic_id, data))


def read_region(partition: Partition, read: Read) -> Fetched:
    """Read bytes for a client of Kafka 0.7, from any position, cut at `max_bytes` or the segment's end.

    Source: seed 000 "Fetch".
    """
    # Imported late: most brokers have no such topic.
    from barnabas.log.partition.byte_reading import region_from

    log, asked = partition.log, read.asked
    code, region = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, None
    if log.config.byte_positions:
        code, region = region_from(log, asked.fetch_offset, asked.partition_max_bytes)
    data = partition_data(partition, region, log.high_watermark)
    data.error_code = code
    return Fetched(read.topic, read.topic_id, data)


def partition_data(
    partition: Partition, records: FileSlice | HeldRecords | None, stable: int
) -> PartitionData:
    """The part of a Fetch response for one partition; `stable` is its last stable offset."""
    log = partition.log
    return _data(
        partition_index=partition.index,
        error_code=_NONE,
        high_watermark=log.high_watermark,
        last_stable_offset=stable,
        log_start_offset=log.start_offset,
        records=b"" if records is None else records,
    )


def _divergence(partition: Partition, read: Read) -> Fetched | None:
    """KIP-595: whether the reader's log went another way than this one before its offset."""
    log, asked = partition.log, read.asked
    epoch, end = log.end_offset_for_epoch(asked.last_fetched_epoch)
    if epoch < 0 or end < 0:
        return failed(read, ErrorCode.OFFSET_OUT_OF_RANGE)
    if epoch == asked.last_fetched_epoch and end >= asked.fetch_offset:
        return None
    data = partition_data(partition, None, log.high_watermark)
    data.diverging_epoch = EpochEndOffset(epoch=epoch, end_offset=end)
    return Fetched(read.topic, read.topic_id, data)


def _aborted_in(
    log: PartitionLog, offset: int, records: FileSlice | HeldRecords | None, stable: int
) -> list[AbortedTransaction]:
    """The aborted transactions that these records from `offset` on may belong to."""
    aborted = aborted_in(log, offset, records, stable) if isinstance(records, FileSlice) else ()
    return [
        AbortedTransaction(producer_id=one.producer_id, first_offset=one.first_offset)
        for one in aborted
    ]


def _read_converted(
    log: PartitionLog, offset: int, max_bytes: int, *, min_one: bool
) -> HeldRecords | None:
    """Messages of Kafka 0.7 as batches of today."""
    # Imported late: most brokers have no such topic.
    from barnabas.log.partition.byte_reading import batches_from

    return batches_from(log, offset, min(max_bytes, _CONVERTED_BYTES_MAX), min_one=min_one)
