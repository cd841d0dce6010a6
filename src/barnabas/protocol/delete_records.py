"""DeleteRecords (key 21): move the first offset of partitions up (KIP-107).

Versions: 2 flexible
"""

from __future__ import annotations

from barnabas.wire.schema import (
    Array,
    Int16,
    Int32,
    Int64,
    String,
    message,
    on,
    struct,
)


@message(key=21, versions="0-2", flexible="2+")
class DeleteRecordsRequest:
    """Delete what is before an offset."""

    topics: Array[DeleteRecordsTopic]
    timeout_ms: Int32


@struct
class DeleteRecordsTopic:
    """Partitions of one topic."""

    name: String
    partitions: Array[DeleteRecordsPartition]


@struct
class DeleteRecordsPartition:
    """One partition and its new first offset; -1: the high watermark."""

    partition_index: Int32
    offset: Int64


@message(key=21, versions="0-2", flexible="2+")
class DeleteRecordsResponse:
    """What became of each partition."""

    throttle_time_ms: Int32 = on(default=0)
    topics: Array[DeleteRecordsTopicResult]


@struct
class DeleteRecordsTopicResult:
    """Partitions of one topic."""

    name: String
    partitions: Array[DeleteRecordsPartitionResult]


@struct
class DeleteRecordsPartitionResult:
    """One partition and the first offset that it has now."""

    partition_index: Int32
    low_watermark: Int64
    error_code: Int16
