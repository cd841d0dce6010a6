"""What a client of Kafka 0.7 gets of a partition: bytes from any position."""

from barnabas.broker.replicas.fetch_rows import Fetched, Read
from barnabas.broker.replicas.partition import Partition
from barnabas.errors import ErrorCode
from barnabas.log.partition.byte_reading import region_from


def read_region(partition: Partition, read: Read) -> Fetched:
    """What is in the log from a byte on, cut where `max_bytes` or the segment ends.

    Source: seed 000 "Fetch".
    """
    log, asked = partition.log, read.asked
    code, region = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, None
    if log.config.byte_positions:
        code, region = region_from(log, asked.fetch_offset, asked.partition_max_bytes)
    data = partition.data(region, log.high_watermark)
    data.error_code = code
    return Fetched(read.topic, read.topic_id, data)
