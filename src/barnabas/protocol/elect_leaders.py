"""ElectLeaders (key 43): let partitions choose their leader again (KIP-183).

Versions: 1 also an unclean one (KIP-460) · 2 flexible
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Int8, Int16, Int32, String, message, on, struct


@message(key=43, versions="0-2", flexible="2+")
class ElectLeadersRequest:
    """Which partitions, or all (None).

    Type: 0 the preferred replica, 1 one that is not in sync if it must be.
    """

    election_type: Int8 = on("1+", default=0)
    topic_partitions: Array[TopicPartitions] | None
    timeout_ms: Int32 = on(default=60000)


@struct
class TopicPartitions:
    """Partitions of one topic."""

    topic: String
    partitions: Array[Int32]


@message(key=43, versions="0-2", flexible="2+")
class ElectLeadersResponse:
    """What became of each."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16 = on("1+", default=0)
    replica_election_results: Array[ReplicaElectionResult]


@struct
class ReplicaElectionResult:
    """Partitions of one topic."""

    topic: String
    partition_result: Array[PartitionResult]


@struct
class PartitionResult:
    """One partition."""

    partition_id: Int32
    error_code: Int16
    error_message: String | None = on(default=None)
