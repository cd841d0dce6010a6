"""ShareFetch (key 78): a member of a share group acquires and acknowledges records (KIP-932).

Versions: 0 early access in 4.0, gone since · 1 limit on records instead of bytes for a partition ·
    2 strict limit (KIP-1206), renewed locks (KIP-1222)
"""

from __future__ import annotations

from barnabas.wire.schema import (
    Array,
    Bool,
    Int8,
    Int16,
    Int32,
    Int64,
    Records,
    String,
    Uuid,
    message,
    on,
    struct,
)


@message(key=78, versions="0-2", flexible="0+")
class ShareFetchRequest:
    """Acquire records, going on with a session.

    Epoch: 0 opens the session, -1 closes it. Modes: 0 whole batches, 1 never above the limit.
    """

    group_id: String | None = on(default=None)
    member_id: String | None
    share_session_epoch: Int32
    max_wait_ms: Int32
    min_bytes: Int32
    max_bytes: Int32 = on(default=2**31 - 1)
    max_records: Int32 = on("1+", default=0)
    batch_size: Int32 = on("1+", default=0)
    share_acquire_mode: Int8 = on("2+", default=0)
    is_renew_ack: Bool = on("2+", default=False)
    topics: Array[FetchTopic]
    forgotten_topics_data: Array[ForgottenTopic]


@struct
class FetchTopic:
    """Partitions of one topic."""

    topic_id: Uuid
    partitions: Array[FetchPartition]


@struct
class FetchPartition:
    """One partition, and what is acknowledged there."""

    partition_index: Int32
    partition_max_bytes: Int32 = on("0", default=0)
    acknowledgement_batches: Array[AcknowledgementBatch]


@struct
class AcknowledgementBatch:
    """Offsets, with one kind for each or one for all.

    Kinds: 0 a gap, 1 accept, 2 release, 3 reject, 4 renew.
    """

    first_offset: Int64
    last_offset: Int64
    acknowledge_types: Array[Int8]


@struct
class ForgottenTopic:
    """Partitions to take out of the session."""

    topic_id: Uuid
    partitions: Array[Int32]


@message(key=78, versions="0-2", flexible="0+")
class ShareFetchResponse:
    """Records by partition; the lock on them ends after a time."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
    error_message: String | None = on(default=None)
    acquisition_lock_timeout_ms: Int32 = on("1+", default=0)
    responses: Array[ShareFetchableTopicResponse]
    node_endpoints: Array[NodeEndpoint]


@struct
class ShareFetchableTopicResponse:
    """Partitions of one topic."""

    topic_id: Uuid
    partitions: Array[PartitionData]


@struct
class PartitionData:
    """One partition's records, of which those are acquired that are named."""

    partition_index: Int32
    error_code: Int16
    error_message: String | None = on(default=None)
    acknowledge_error_code: Int16
    acknowledge_error_message: String | None = on(default=None)
    current_leader: LeaderIdAndEpoch
    records: Records | None = on(nullable="0")
    acquired_records: Array[AcquiredRecords]


@struct
class LeaderIdAndEpoch:
    """Which broker leads now, and since which leader epoch."""

    leader_id: Int32
    leader_epoch: Int32


@struct
class AcquiredRecords:
    """Offsets that are acquired, and how often they have been delivered."""

    first_offset: Int64
    last_offset: Int64
    delivery_count: Int16


@struct
class NodeEndpoint:
    """Where to reach a broker that a partition points to."""

    node_id: Int32
    host: String
    port: Int32
    rack: String | None = on(default=None)
