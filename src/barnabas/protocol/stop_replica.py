"""StopReplica (key 5): the controller tells a broker to stop following partitions, or delete them.

Between brokers of clusters with ZooKeeper only; gone in 4.0.

Versions: 1 broker epoch (KIP-380), grouped by topic · 2 flexible · 3 leader epochs, deletion per partition
    for each partition (KIP-570) · 4 from a KRaft controller (KIP-866)
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Bool, Int16, Int32, Int64, String, message, on, struct


@message(key=5, versions="0-4", flexible="2+")
class StopReplicaRequest:
    """Stop these replicas; to version 2 all are deleted or none."""

    controller_id: Int32
    is_kraft_controller: Bool = on("4+", default=False)
    controller_epoch: Int32
    broker_epoch: Int64 = on("1+", default=-1)
    delete_partitions: Bool = on("0-2", default=False)
    ungrouped_partitions: Array[StopReplicaPartitionV0] = on("0", factory=list)
    topics: Array[StopReplicaTopicV1] = on("1-2", factory=list)
    topic_states: Array[StopReplicaTopicState] = on("3+", factory=list)


@struct
class StopReplicaPartitionV0:
    """One partition, in version 0."""

    topic_name: String
    partition_index: Int32


@struct
class StopReplicaTopicV1:
    """Partitions of one topic, in versions 1 and 2."""

    name: String
    partition_indexes: Array[Int32]


@struct
class StopReplicaTopicState:
    """Partitions of one topic, since version 3."""

    topic_name: String
    partition_states: Array[StopReplicaPartitionState]


@struct
class StopReplicaPartitionState:
    """One partition; leader epoch -1: not checked, -2: the topic is being deleted."""

    partition_index: Int32
    leader_epoch: Int32 = on(default=-1)
    delete_partition: Bool


@message(key=5, versions="0-4", flexible="2+")
class StopReplicaResponse:
    """What became of each partition."""

    error_code: Int16
    partition_errors: Array[StopReplicaPartitionError]


@struct
class StopReplicaPartitionError:
    """One partition."""

    topic_name: String
    partition_index: Int32
    error_code: Int16
