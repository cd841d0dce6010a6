"""AlterPartition (key 56): a leader asks the controller to change who is in sync (KIP-497).

Between brokers.

Versions: 1 recovery state (KIP-704) · 2 topic ids (KIP-841) · 3 epochs of the brokers (KIP-903)
"""

from __future__ import annotations

from barnabas.wire.schema import (
    NO_UUID,
    Array,
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


@message(key=56, versions="0-3", flexible="0+")
class AlterPartitionRequest:
    """What the leader wants."""

    broker_id: Int32
    broker_epoch: Int64 = on(default=-1)
    topics: Array[AlterPartitionRequestTopic]


@struct
class AlterPartitionRequestTopic:
    """Partitions of one topic."""

    topic_name: String = on("0-1", default="")
    topic_id: Uuid = on("2+", default=NO_UUID)
    partitions: Array[AlterPartitionRequestPartition]


@struct
class AlterPartitionRequestPartition:
    """The replicas in sync, as the leader has them from this partition epoch."""

    partition_index: Int32
    leader_epoch: Int32
    new_isr: Array[Int32] = on("0-2", factory=list)
    new_isr_with_epochs: Array[BrokerState] = on("3+", factory=list)
    leader_recovery_state: Int8 = on("1+", default=0)
    partition_epoch: Int32


@struct
class BrokerState:
    """A replica in sync, and the epoch of its broker that the leader saw."""

    broker_id: Int32
    broker_epoch: Int64 = on(default=-1)


@message(key=56, versions="0-3", flexible="0+")
class AlterPartitionResponse:
    """What is so now."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
    topics: Array[AlterPartitionResponseTopic]


@struct
class AlterPartitionResponseTopic:
    """Partitions of one topic."""

    topic_name: String = on("0-1", default="")
    topic_id: Uuid = on("2+", default=NO_UUID)
    partitions: Array[AlterPartitionResponsePartition]


@struct
class AlterPartitionResponsePartition:
    """Leader and replicas in sync, or why they were not changed."""

    partition_index: Int32
    error_code: Int16
    leader_id: Int32
    leader_epoch: Int32
    isr: Array[Int32]
    leader_recovery_state: Int8 = on("1+", default=0)
    partition_epoch: Int32
