"""AlterShareGroupOffsets (key 91): let a share group go on elsewhere (KIP-932)."""

from __future__ import annotations

from barnabas.wire.schema import Array, Int16, Int32, Int64, String, Uuid, message, on, struct


@message(key=91, versions="0", flexible="0+")
class AlterShareGroupOffsetsRequest:
    """Where; the group must be empty."""

    group_id: String
    topics: Array[AlterShareGroupOffsetsRequestTopic]


@struct
class AlterShareGroupOffsetsRequestTopic:
    """Partitions of one topic."""

    topic_name: String
    partitions: Array[AlterShareGroupOffsetsRequestPartition]


@struct
class AlterShareGroupOffsetsRequestPartition:
    """One partition."""

    partition_index: Int32
    start_offset: Int64


@message(key=91, versions="0", flexible="0+")
class AlterShareGroupOffsetsResponse:
    """What became of each."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
    error_message: String | None = on(default=None)
    responses: Array[AlterShareGroupOffsetsResponseTopic]


@struct
class AlterShareGroupOffsetsResponseTopic:
    """Partitions of one topic."""

    topic_name: String
    topic_id: Uuid
    partitions: Array[AlterShareGroupOffsetsResponsePartition]


@struct
class AlterShareGroupOffsetsResponsePartition:
    """One partition."""

    partition_index: Int32
    error_code: Int16
    error_message: String | None = on(default=None)
