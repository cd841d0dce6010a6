"""EndQuorumEpoch (key 54): the leader of the metadata quorum steps down (KIP-595).

Versions: 1 flexible, directories of the voters, endpoints (KIP-853)
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Int16, Int32, String, Uint16, Uuid, message, on, struct


@message(key=54, versions="0-1", flexible="1+")
class EndQuorumEpochRequest:
    """I stop leading."""

    cluster_id: String | None = on(default=None)
    topics: Array[EndQuorumEpochRequestTopic]
    leader_endpoints: Array[LeaderEndpoint] = on("1+", factory=list)


@struct
class EndQuorumEpochRequestTopic:
    """Partitions of one topic; there is one only, of the metadata."""

    topic_name: String
    partitions: Array[EndQuorumEpochRequestPartition]


@struct
class EndQuorumEpochRequestPartition:
    """The leader of an epoch, and its preferred successors, best first."""

    partition_index: Int32
    leader_id: Int32
    leader_epoch: Int32
    preferred_successors: Array[Int32] = on("0", factory=list)
    preferred_candidates: Array[ReplicaInfo] = on("1+", factory=list)


@struct
class ReplicaInfo:
    """A voter that might be next."""

    candidate_id: Int32
    candidate_directory_id: Uuid


@struct
class LeaderEndpoint:
    """Where to reach the leader."""

    name: String
    host: String
    port: Uint16


@message(key=54, versions="0-1", flexible="1+")
class EndQuorumEpochResponse:
    """Whether that is so."""

    error_code: Int16
    topics: Array[EndQuorumEpochResponseTopic]
    node_endpoints: Array[NodeEndpoint] = on("1+", factory=list, tag=0)


@struct
class EndQuorumEpochResponseTopic:
    """Partitions of one topic."""

    topic_name: String
    partitions: Array[EndQuorumEpochResponsePartition]


@struct
class EndQuorumEpochResponsePartition:
    """The leader that the voter knows."""

    partition_index: Int32
    error_code: Int16
    leader_id: Int32
    leader_epoch: Int32


@struct
class NodeEndpoint:
    """Where to reach a controller that is named."""

    node_id: Int32
    host: String
    port: Uint16
