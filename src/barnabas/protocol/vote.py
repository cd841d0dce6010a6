"""Vote (key 52): a controller that wants to lead the metadata quorum asks for votes (KIP-595).

Versions: 1 directories of the voters, endpoints (KIP-853) · 2 asked before it stands (KIP-996)
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
    Uint16,
    Uuid,
    message,
    on,
    struct,
)


@message(key=52, versions="0-2", flexible="0+")
class VoteRequest:
    """Give me your vote."""

    cluster_id: String | None = on(default=None)
    voter_id: Int32 = on("1+", default=-1)
    topics: Array[VoteRequestTopic]


@struct
class VoteRequestTopic:
    """Partitions of one topic; there is one only, of the metadata."""

    topic_name: String
    partitions: Array[VoteRequestPartition]


@struct
class VoteRequestPartition:
    """A candidate for an epoch, and the end of its log."""

    partition_index: Int32
    replica_epoch: Int32
    replica_id: Int32
    replica_directory_id: Uuid = on("1+", default=NO_UUID)
    voter_directory_id: Uuid = on("1+", default=NO_UUID)
    last_offset_epoch: Int32
    last_offset: Int64
    pre_vote: Bool = on("2+", default=False)


@message(key=52, versions="0-2", flexible="0+")
class VoteResponse:
    """Whether it is given."""

    error_code: Int16
    topics: Array[VoteResponseTopic]
    node_endpoints: Array[NodeEndpoint] = on("1+", factory=list, tag=0)


@struct
class VoteResponseTopic:
    """Partitions of one topic."""

    topic_name: String
    partitions: Array[VoteResponsePartition]


@struct
class VoteResponsePartition:
    """The answer, and who leads as far as the voter knows."""

    partition_index: Int32
    error_code: Int16
    leader_id: Int32
    leader_epoch: Int32
    vote_granted: Bool


@struct
class NodeEndpoint:
    """Where to reach a controller that is named."""

    node_id: Int32
    host: String
    port: Uint16
