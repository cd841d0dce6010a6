"""Read logs of Kafka 0.7's format: as bytes from any position, or as batches."""

from barnabas.errors import ErrorCode
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.wire.send import FileSlice, HeldRecords


def region_from(
    log: PartitionLog, offset: int, max_bytes: int
) -> tuple[ErrorCode, FileSlice | None]:
    """The bytes from `offset` on, at most `max_bytes`, of one segment; cut where they happen to end.

    Nobody looks at what they are: an offset inside a message gives the rest of it. Source: seed 000
    "Fetch", "Normal, but possibly unexpected behavior".
    """
    if log.failure is not None:
        return ErrorCode.KAFKA_STORAGE_ERROR, None
    end = log.high_watermark
    if not log.start_offset <= offset <= end:
        return ErrorCode.OFFSET_OUT_OF_RANGE, None
    segment = log.segments[log.segments.number_of(offset)]
    position = offset - segment.base_offset
    if position >= segment.written and offset < end:
        # A file is missing: nothing, as at the end, would have the reader wait there for ever.
        return ErrorCode.OFFSET_OUT_OF_RANGE, None
    size = min(max_bytes, segment.written - position, end - offset)
    if size <= 0:
        return ErrorCode.NONE, None
    return ErrorCode.NONE, FileSlice(segment.file, position, size)


def message_start(log: PartitionLog, offset: int) -> int:
    """Where the message that holds the byte `offset` begins; the end, after all of them.

    Raises:
        StorageError: the log cannot be read.
    """
    if offset <= log.start_offset or offset >= log.high_watermark:
        return offset
    number = log.segments.number_of(offset)
    place = log.segments[number].find(offset)
    if place is None:
        # Its bytes are missing.
        return log.segments[number + 1].base_offset
    return place.base_offset


def batches_from(
    log: PartitionLog, offset: int, max_bytes: int, *, min_one: bool
) -> HeldRecords | None:
    """As `PartitionLog.read`, from the message that holds `offset` on, as batches of today.

    Raises:
        CorruptRecord: the first message is damaged.
        StorageError: the log is offline or cannot be read.
    """
    # Imported late: most brokers have no such topic.
    from barnabas.records.batches.unpacking import unpacked_bytes_max
    from barnabas.records.messages07.from_message07 import batches_of

    at, end = offset, log.high_watermark
    while at < end:
        region = log.read(at, max_bytes, max_offset=end, min_one=min_one).records
        if region is None:
            return None
        base = log.segments[log.segments.number_of(at)].base_offset
        data = region.read()
        limit = unpacked_bytes_max(len(data))
        made = batches_of(data, base + region.position, offset, limit=limit)
        if made.data:
            return HeldRecords(made.data)
        # All of it was before `offset`: what follows may be in another segment.
        assert made.next_offset > at, "a region has a whole message"
        at = made.next_offset
    return None
