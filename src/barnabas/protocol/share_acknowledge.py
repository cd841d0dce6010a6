"""ShareAcknowledge (key 79): a member of a share group says what became of records (KIP-932).

Versions: 0 early access in 4.0, gone since · 1 the same layout · 2 renewed locks (KIP-1222)
"""

from __future__ import annotations

from barnabas.wire.schema import (
    Array,
    Bool,
    Int8,
    Int16,
    Int32,
    Int64,
    String,
    Uuid,
    message,
    on,
    struct,
)


@message(key=79, versions="0-2", flexible="0+")
class ShareAcknowledgeRequest:
    """Acknowledge, going on with a session; epoch -1 closes it."""

    group_id: String | None = on(default=None)
    member_id: String | None
    share_session_epoch: Int32
    is_renew_ack: Bool = on("2+", default=False)
    topics: Array[AcknowledgeTopic]


@struct
class AcknowledgeTopic:
    """Partitions of one topic."""

    topic_id: Uuid
    partitions: Array[AcknowledgePartition]


@struct
class AcknowledgePartition:
    """One partition."""

    partition_index: Int32
    acknowledgement_batches: Array[AcknowledgementBatch]


@struct
class AcknowledgementBatch:
    """Offsets, with one kind for each or one for all.

    Kinds: 0 a gap, 1 accept, 2 release, 3 reject, 4 renew.
    """

    first_offset: Int64
    last_offset: Int64
    acknowledge_types: Array[Int8]


@message(key=79, versions="0-2", flexible="0+")
class ShareAcknowledgeResponse:
    """What became of each partition."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
    error_message: String | None = on(default=None)
    acquisition_lock_timeout_ms: Int32 = on("2+", default=0)
    responses: Array[ShareAcknowledgeTopicResponse]
    node_endpoints: Array[NodeEndpoint]


@struct
class ShareAcknowledgeTopicResponse:
    """Partitions of one topic."""

    topic_id: Uuid
    partitions: Array[PartitionData]


@struct
class PartitionData:
    """One partition."""

    partition_index: Int32
    error_code: Int16
    error_message: String | None = on(default=None)
    current_leader: LeaderIdAndEpoch


@struct
class LeaderIdAndEpoch:
    """Which broker leads now, and since which leader epoch."""

    leader_id: Int32
    leader_epoch: Int32


@struct
class NodeEndpoint:
    """Where to reach a broker that a partition points to."""

    node_id: Int32
    host: String
    port: Int32
    rack: String | None = on(default=None)
