"""FetchSnapshot (key 59): read a snapshot of the metadata, a piece at a time (KIP-630).

Versions: 1 directory of the replica, endpoints (KIP-853)
"""

from __future__ import annotations

from barnabas.wire.schema import (
    NO_UUID,
    Array,
    Int16,
    Int32,
    Int64,
    Records,
    String,
    Uint16,
    Uuid,
    message,
    on,
    struct,
)


@message(key=59, versions="0-1", flexible="0+")
class FetchSnapshotRequest:
    """Which snapshot, and from which byte."""

    cluster_id: String | None = on(default=None, tag=0)
    replica_id: Int32 = on(default=-1)
    max_bytes: Int32 = on(default=2**31 - 1)
    topics: Array[FetchSnapshotRequestTopic]


@struct
class FetchSnapshotRequestTopic:
    """Partitions of one topic; there is one only, of the metadata."""

    name: String
    partitions: Array[FetchSnapshotRequestPartition]


@struct
class FetchSnapshotRequestPartition:
    """The snapshot of one partition."""

    partition: Int32
    current_leader_epoch: Int32
    snapshot_id: SnapshotId
    position: Int64
    replica_directory_id: Uuid = on("1+", default=NO_UUID, tag=0)


@struct
class SnapshotId:
    """A snapshot: the offset and epoch at which it ends."""

    end_offset: Int64
    epoch: Int32


@message(key=59, versions="0-1", flexible="0+")
class FetchSnapshotResponse:
    """A piece of it."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
    topics: Array[FetchSnapshotResponseTopic]
    node_endpoints: Array[NodeEndpoint] = on("1+", factory=list, tag=0)


@struct
class FetchSnapshotResponseTopic:
    """Partitions of one topic."""

    name: String
    partitions: Array[FetchSnapshotResponsePartition]


@struct
class FetchSnapshotResponsePartition:
    """A piece, which may begin or end inside a batch; `size` is that of the whole."""

    index: Int32
    error_code: Int16
    snapshot_id: SnapshotId
    current_leader: LeaderIdAndEpoch | None = on(default=None, tag=0)
    size: Int64
    position: Int64
    unaligned_records: Records


@struct
class LeaderIdAndEpoch:
    """Which controller leads now, and since which epoch."""

    leader_id: Int32
    leader_epoch: Int32


@struct
class NodeEndpoint:
    """Where to reach a controller that is named."""

    node_id: Int32
    host: String
    port: Uint16
