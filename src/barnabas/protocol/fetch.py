"""Fetch (key 1): read record sets from partitions, waiting for some to arrive.

Versions: 1 throttle time · 2 magic up to 1 · 3 limit on the whole response (KIP-74) · 4 magic 2,
    isolation · 5 log start offset · 7 sessions (KIP-227) · 9 current leader epoch (KIP-320) · 10
    zstd · 11 rack, preferred replica (KIP-392) · 12 flexible, diverging epochs (KIP-595) · 13
    topic ids (KIP-516) · 14 tiered storage error · 15 replica state (KIP-903) · 16 node endpoints
    (KIP-951) · 17 replica directory · 18 high watermark of the follower (KIP-1166)
"""

from __future__ import annotations

from barnabas.wire.schema import (
    NO_UUID,
    Array,
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


@message(key=1, versions="0-18", flexible="12+")
class FetchRequest:
    """Read from partitions, or continue with a session.

    `replica_id` is -1 for consumers. `isolation_level`: 0 read uncommitted, 1 read committed.
    `session_epoch`: -1 no session, 0 a new one, else the next of session `session_id`.
    """

    cluster_id: String | None = on("12+", default=None, tag=0)
    replica_id: Int32 = on("0-14", default=-1)
    replica_state: ReplicaState | None = on("15+", default=None, tag=1)
    max_wait_ms: Int32
    min_bytes: Int32
    max_bytes: Int32 = on("3+", default=2**31 - 1)
    isolation_level: Int8 = on("4+", default=0)
    session_id: Int32 = on("7+", default=0)
    session_epoch: Int32 = on("7+", default=-1)
    topics: Array[FetchTopic]
    forgotten_topics_data: Array[ForgottenTopic] = on("7+", factory=list)
    rack_id: String = on("11+", default="")


@struct
class ReplicaState:
    """The follower that fetches, since version 15."""

    replica_id: Int32 = on(default=-1)
    replica_epoch: Int64 = on(default=-1)


@struct
class FetchTopic:
    """Partitions of one topic."""

    topic: String = on("0-12", default="")
    topic_id: Uuid = on("13+", default=NO_UUID)
    partitions: Array[FetchPartition]


@struct
class FetchPartition:
    """Where to read one partition from, and how much at most."""

    partition: Int32
    current_leader_epoch: Int32 = on("9+", default=-1)
    fetch_offset: Int64
    last_fetched_epoch: Int32 = on("12+", default=-1)
    log_start_offset: Int64 = on("5+", default=-1)
    partition_max_bytes: Int32
    replica_directory_id: Uuid = on("17+", default=NO_UUID, tag=0)
    high_watermark: Int64 = on("18+", default=2**63 - 1, tag=1)


@struct
class ForgottenTopic:
    """Partitions to take out of the session."""

    topic: String = on("7-12", default="")
    topic_id: Uuid = on("13+", default=NO_UUID)
    partitions: Array[Int32]


@message(key=1, versions="0-18", flexible="12+")
class FetchResponse:
    """Records by partition; in a session only of the partitions where something changed."""

    throttle_time_ms: Int32 = on("1+", default=0)
    error_code: Int16 = on("7+", default=0)
    session_id: Int32 = on("7+", default=0)
    responses: Array[FetchableTopicResponse]
    node_endpoints: Array[NodeEndpoint] = on("16+", factory=list, tag=0)


@struct
class FetchableTopicResponse:
    """Partitions of one topic."""

    topic: String = on("0-12", default="")
    topic_id: Uuid = on("13+", default=NO_UUID)
    partitions: Array[PartitionData]


@struct
class PartitionData:
    """One partition's records and offsets, or why there are none."""

    partition_index: Int32
    error_code: Int16
    high_watermark: Int64
    last_stable_offset: Int64 = on("4+", default=-1)
    log_start_offset: Int64 = on("5+", default=-1)
    diverging_epoch: EpochEndOffset | None = on("12+", default=None, tag=0)
    current_leader: LeaderIdAndEpoch | None = on("12+", default=None, tag=1)
    snapshot_id: SnapshotId | None = on("12+", default=None, tag=2)
    aborted_transactions: Array[AbortedTransaction] | None = on("4+", default=None)
    preferred_read_replica: Int32 = on("11+", default=-1)
    records: Records | None


@struct
class EpochEndOffset:
    """The greatest epoch both logs know and where it ends: the follower must truncate to it."""

    epoch: Int32 = on(default=-1)
    end_offset: Int64 = on(default=-1)


@struct
class LeaderIdAndEpoch:
    """Which broker leads now, and since which leader epoch."""

    leader_id: Int32 = on(default=-1)
    leader_epoch: Int32 = on(default=-1)


@struct
class SnapshotId:
    """The snapshot to fetch instead, when the log no longer goes back so far."""

    end_offset: Int64 = on(default=-1)
    epoch: Int32 = on(default=-1)


@struct
class AbortedTransaction:
    """A transaction to leave out when reading committed, from `first_offset` to its marker."""

    producer_id: Int64
    first_offset: Int64


@struct
class NodeEndpoint:
    """Where to reach a broker that a partition points to."""

    node_id: Int32
    host: String
    port: Int32
    rack: String | None = on(default=None)
