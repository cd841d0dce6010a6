"""DescribeShareGroupOffsets (key 90): where share groups are (KIP-932).

Versions: 1 lag (KIP-1226)
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Int16, Int32, Int64, String, Uuid, message, on, struct


@message(key=90, versions="0-1", flexible="0+")
class DescribeShareGroupOffsetsRequest:
    """Which groups."""

    groups: Array[DescribeShareGroupOffsetsRequestGroup]


@struct
class DescribeShareGroupOffsetsRequestGroup:
    """One group; None: all topics that it has read."""

    group_id: String
    topics: Array[DescribeShareGroupOffsetsRequestTopic] | None


@struct
class DescribeShareGroupOffsetsRequestTopic:
    """Partitions of one topic."""

    topic_name: String
    partitions: Array[Int32]


@message(key=90, versions="0-1", flexible="0+")
class DescribeShareGroupOffsetsResponse:
    """The groups."""

    throttle_time_ms: Int32 = on(default=0)
    groups: Array[DescribeShareGroupOffsetsResponseGroup]


@struct
class DescribeShareGroupOffsetsResponseGroup:
    """One group, or why it is not described."""

    group_id: String
    topics: Array[DescribeShareGroupOffsetsResponseTopic]
    error_code: Int16
    error_message: String | None = on(default=None)


@struct
class DescribeShareGroupOffsetsResponseTopic:
    """Partitions of one topic."""

    topic_name: String
    topic_id: Uuid
    partitions: Array[DescribeShareGroupOffsetsResponsePartition]


@struct
class DescribeShareGroupOffsetsResponsePartition:
    """One partition; -1: not known."""

    partition_index: Int32
    start_offset: Int64
    leader_epoch: Int32
    lag: Int64 = on("1+", default=-1)
    error_code: Int16
    error_message: String | None = on(default=None)
