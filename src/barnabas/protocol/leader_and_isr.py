"""LeaderAndIsr (key 4): the controller tells a broker which partitions to lead or to follow.

Between brokers of clusters with ZooKeeper only; gone in 4.0.

Versions: 1 new replicas · 2 broker epoch (KIP-380), grouped by topic · 3 reassignment (KIP-455) · 4
    flexible · 5 topic ids, kind of request (KIP-516) · 6 recovery state (KIP-704) · 7 from a KRaft
    controller (KIP-866)
"""

from __future__ import annotations

from barnabas.wire.schema import (
    NO_UUID,
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


@message(key=4, versions="0-7", flexible="4+")
class LeaderAndIsrRequest:
    """States of partitions, and the brokers that lead any of them.

    Type: 0 unknown, 1 some partitions, 2 all that the broker has; it may then delete others.
    """

    controller_id: Int32
    is_kraft_controller: Bool = on("7+", default=False)
    controller_epoch: Int32
    ungrouped_partition_states: Array[LeaderAndIsrPartitionState] = on("0-1", factory=list)
    broker_epoch: Int64 = on("2+", default=-1)
    type: Int8 = on("5+", default=0)
    topic_states: Array[LeaderAndIsrTopicState] = on("2+", factory=list)
    live_leaders: Array[LeaderAndIsrLiveLeader]


@struct
class LeaderAndIsrPartitionState:
    """One partition; `topic_name` to version 1, then the topic is around it."""

    topic_name: String = on("0-1", default="")
    partition_index: Int32
    controller_epoch: Int32
    leader: Int32
    leader_epoch: Int32
    isr: Array[Int32]
    partition_epoch: Int32
    replicas: Array[Int32]
    adding_replicas: Array[Int32] = on("3+", factory=list)
    removing_replicas: Array[Int32] = on("3+", factory=list)
    is_new: Bool = on("1+", default=False)
    leader_recovery_state: Int8 = on("6+", default=0)


@struct
class LeaderAndIsrTopicState:
    """Partitions of one topic, since version 2."""

    topic_name: String
    topic_id: Uuid = on("5+", default=NO_UUID)
    partition_states: Array[LeaderAndIsrPartitionState]


@struct
class LeaderAndIsrLiveLeader:
    """A broker that leads some of these partitions, and its address for brokers."""

    broker_id: Int32
    host_name: String
    port: Int32


@message(key=4, versions="0-7", flexible="4+")
class LeaderAndIsrResponse:
    """What became of each partition."""

    error_code: Int16
    partition_errors: Array[LeaderAndIsrPartitionError] = on("0-4", factory=list)
    topics: Array[LeaderAndIsrTopicError] = on("5+", factory=list)


@struct
class LeaderAndIsrPartitionError:
    """One partition; `topic_name` to version 4, then the topic is around it."""

    topic_name: String = on("0-4", default="")
    partition_index: Int32
    error_code: Int16


@struct
class LeaderAndIsrTopicError:
    """Partitions of one topic, since version 5."""

    topic_id: Uuid
    partition_errors: Array[LeaderAndIsrPartitionError]
