"""OffsetFetch (key 9): saved positions of groups.

Versions: 0 from ZooKeeper · 1 from the topic · 2 all topics by null, group errors · 3 throttle
    time · 5 leader epochs · 6 flexible · 7 only stable offsets (KIP-447) · 8 several groups
    (KIP-709) · 9 consumer groups (KIP-848) · 10 topic ids
"""

from __future__ import annotations

from barnabas.wire.schema import (
    NO_UUID,
    Array,
    Bool,
    Int16,
    Int32,
    Int64,
    String,
    Uuid,
    message,
    on,
    struct,
)


@message(key=9, versions="0-10", flexible="6+")
class OffsetFetchRequest:
    """Ask for positions of one group, since version 8 of several. Topics None: all."""

    group_id: String = on("0-7", default="")
    topics: Array[OffsetFetchRequestTopic] | None = on("0-7", default=None, nullable="2-7")
    groups: Array[OffsetFetchRequestGroup] = on("8+", factory=list)
    require_stable: Bool = on("7+", default=False)


@struct
class OffsetFetchRequestTopic:
    """Partitions of one topic, to version 7."""

    name: String
    partition_indexes: Array[Int32]


@struct
class OffsetFetchRequestGroup:
    """One group, since version 8."""

    group_id: String
    member_id: String | None = on("9+", default=None)
    member_epoch: Int32 = on("9+", default=-1)
    topics: Array[OffsetFetchRequestTopics] | None


@struct
class OffsetFetchRequestTopics:
    """Partitions of one topic, since version 8."""

    name: String = on("8-9", default="")
    topic_id: Uuid = on("10+", default=NO_UUID)
    partition_indexes: Array[Int32]


@message(key=9, versions="0-10", flexible="6+")
class OffsetFetchResponse:
    """The positions."""

    throttle_time_ms: Int32 = on("3+", default=0)
    topics: Array[OffsetFetchResponseTopic] = on("0-7", factory=list)
    error_code: Int16 = on("2-7", default=0)
    groups: Array[OffsetFetchResponseGroup] = on("8+", factory=list)


@struct
class OffsetFetchResponseTopic:
    """Partitions of one topic, to version 7."""

    name: String
    partitions: Array[OffsetFetchResponsePartition]


@struct
class OffsetFetchResponsePartition:
    """One partition, to version 7; offset -1: none is saved."""

    partition_index: Int32
    committed_offset: Int64
    committed_leader_epoch: Int32 = on("5-7", default=-1)
    metadata: String | None
    error_code: Int16


@struct
class OffsetFetchResponseGroup:
    """One group, since version 8."""

    group_id: String
    topics: Array[OffsetFetchResponseTopics]
    error_code: Int16 = on(default=0)


@struct
class OffsetFetchResponseTopics:
    """Partitions of one topic, since version 8."""

    name: String = on("8-9", default="")
    topic_id: Uuid = on("10+", default=NO_UUID)
    partitions: Array[OffsetFetchResponsePartitions]


@struct
class OffsetFetchResponsePartitions:
    """One partition, since version 8; offset -1: none is saved."""

    partition_index: Int32
    committed_offset: Int64
    committed_leader_epoch: Int32 = on(default=-1)
    metadata: String | None
    error_code: Int16
