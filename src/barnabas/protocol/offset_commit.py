"""OffsetCommit (key 8): save positions of a group.

Versions: 0 kept in ZooKeeper · 1 kept in a topic, membership, timestamps · 2 retention instead of
    timestamps · 3 throttle time · 5 no retention (KIP-211) · 6 leader epochs · 7 static members
    (KIP-345) · 8 flexible · 9 consumer groups (KIP-848) · 10 topic ids
"""

from __future__ import annotations

from barnabas.wire.schema import (
    NO_UUID,
    Array,
    Int16,
    Int32,
    Int64,
    String,
    Uuid,
    message,
    on,
    struct,
)


@message(key=8, versions="0-10", flexible="8+")
class OffsetCommitRequest:
    """Save positions.

    Generation -1 with an empty member id: from outside of the group's membership.
    """

    group_id: String
    generation_id_or_member_epoch: Int32 = on("1+", default=-1)
    member_id: String = on("1+", default="")
    retention_time_ms: Int64 = on("2-4", default=-1)
    group_instance_id: String | None = on("7+", default=None)
    topics: Array[OffsetCommitRequestTopic]


@struct
class OffsetCommitRequestTopic:
    """Partitions of one topic."""

    name: String = on("0-9", default="")
    topic_id: Uuid = on("10+", default=NO_UUID)
    partitions: Array[OffsetCommitRequestPartition]


@struct
class OffsetCommitRequestPartition:
    """The position of one partition: the offset of the next record to read."""

    partition_index: Int32
    committed_offset: Int64
    commit_timestamp: Int64 = on("1", default=-1)
    committed_leader_epoch: Int32 = on("6+", default=-1)
    committed_metadata: String | None


@message(key=8, versions="0-10", flexible="8+")
class OffsetCommitResponse:
    """What became of each position."""

    throttle_time_ms: Int32 = on("3+", default=0)
    topics: Array[OffsetCommitResponseTopic]


@struct
class OffsetCommitResponseTopic:
    """Partitions of one topic."""

    name: String = on("0-9", default="")
    topic_id: Uuid = on("10+", default=NO_UUID)
    partitions: Array[OffsetCommitResponsePartition]


@struct
class OffsetCommitResponsePartition:
    """One partition."""

    partition_index: Int32
    error_code: Int16
