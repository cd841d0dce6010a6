"""AlterPartitionReassignments (key 45): move partitions to other brokers (KIP-455).

Versions: 1 may the number of replicas change (KIP-860)
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Bool, Int16, Int32, String, message, on, struct


@message(key=45, versions="0-1", flexible="0+")
class AlterPartitionReassignmentsRequest:
    """Where the replicas are to be."""

    timeout_ms: Int32 = on(default=60000)
    allow_replication_factor_change: Bool = on("1+", default=True)
    topics: Array[ReassignableTopic]


@struct
class ReassignableTopic:
    """Partitions of one topic."""

    name: String
    partitions: Array[ReassignablePartition]


@struct
class ReassignablePartition:
    """One partition; None calls off what is going on."""

    partition_index: Int32
    replicas: Array[Int32] | None = on(default=None)


@message(key=45, versions="0-1", flexible="0+")
class AlterPartitionReassignmentsResponse:
    """What became of each; the moves go on in the background."""

    throttle_time_ms: Int32 = on(default=0)
    allow_replication_factor_change: Bool = on("1+", default=True)
    error_code: Int16
    error_message: String | None = on(default=None)
    responses: Array[ReassignableTopicResponse]


@struct
class ReassignableTopicResponse:
    """Partitions of one topic."""

    name: String
    partitions: Array[ReassignablePartitionResponse]


@struct
class ReassignablePartitionResponse:
    """One partition."""

    partition_index: Int32
    error_code: Int16
    error_message: String | None = on(default=None)
