"""TxnOffsetCommit (key 28): save positions of a group as part of a transaction (KIP-98).

Versions: 2 leader epochs · 3 flexible, membership (KIP-447) · 4 TRANSACTION_ABORTABLE · 5
    implicit addition (KIP-890) · 6 topic ids
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


@message(key=28, versions="0-6", flexible="3+")
class TxnOffsetCommitRequest:
    """Save positions when the transaction commits."""

    transactional_id: String
    group_id: String
    producer_id: Int64
    producer_epoch: Int16
    generation_id_or_member_epoch: Int32 = on("3+", default=-1)
    member_id: String = on("3+", default="")
    group_instance_id: String | None = on("3+", default=None)
    topics: Array[TxnOffsetCommitRequestTopic]


@struct
class TxnOffsetCommitRequestTopic:
    """Partitions of one topic."""

    name: String = on("0-5", default="")
    topic_id: Uuid = on("6+", default=NO_UUID)
    partitions: Array[TxnOffsetCommitRequestPartition]


@struct
class TxnOffsetCommitRequestPartition:
    """The position of one partition: the offset of the next record to read."""

    partition_index: Int32
    committed_offset: Int64
    committed_leader_epoch: Int32 = on("2+", default=-1)
    committed_metadata: String | None


@message(key=28, versions="0-6", flexible="3+")
class TxnOffsetCommitResponse:
    """What became of each position."""

    throttle_time_ms: Int32 = on(default=0)
    topics: Array[TxnOffsetCommitResponseTopic]


@struct
class TxnOffsetCommitResponseTopic:
    """Partitions of one topic."""

    name: String = on("0-5", default="")
    topic_id: Uuid = on("6+", default=NO_UUID)
    partitions: Array[TxnOffsetCommitResponsePartition]


@struct
class TxnOffsetCommitResponsePartition:
    """One partition."""

    partition_index: Int32
    error_code: Int16
