"""UpdateMetadata (key 6): the controller tells a broker what to answer clients that ask Metadata.

Between brokers of clusters with ZooKeeper only; gone in 4.0.

Versions: 1 several endpoints with security protocols · 2 rack (KIP-36) · 3 listener names (KIP-103)
    · 4 offline replicas (KIP-112) · 5 broker epoch (KIP-380), grouped by topic · 6 flexible · 7
    topic ids (KIP-516) · 8 from a KRaft controller (KIP-866)
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


@message(key=6, versions="0-8", flexible="6+")
class UpdateMetadataRequest:
    """States of partitions, and all brokers that live.

    Type: 0 unknown, 1 some partitions, 2 all that there are.
    """

    controller_id: Int32
    is_kraft_controller: Bool = on("8+", default=False)
    type: Int8 = on("8+", default=0, tag=0)
    controller_epoch: Int32
    ungrouped_partition_states: Array[UpdateMetadataPartitionState] = on("0-4", factory=list)
    broker_epoch: Int64 = on("5+", default=-1)
    topic_states: Array[UpdateMetadataTopicState] = on("5+", factory=list)
    live_brokers: Array[UpdateMetadataBroker]


@struct
class UpdateMetadataPartitionState:
    """One partition; `topic_name` to version 4, then the topic is around it."""

    topic_name: String = on("0-4", default="")
    partition_index: Int32
    controller_epoch: Int32
    leader: Int32
    leader_epoch: Int32
    isr: Array[Int32]
    zk_version: Int32
    replicas: Array[Int32]
    offline_replicas: Array[Int32] = on("4+", factory=list)


@struct
class UpdateMetadataTopicState:
    """Partitions of one topic, since version 5."""

    topic_name: String
    topic_id: Uuid = on("7+", default=NO_UUID)
    partition_states: Array[UpdateMetadataPartitionState]


@struct
class UpdateMetadataBroker:
    """A broker that lives; `v0_host` and `v0_port` in version 0 alone, then endpoints."""

    id: Int32
    v0_host: String = on("0", default="")
    v0_port: Int32 = on("0", default=0)
    endpoints: Array[UpdateMetadataEndpoint] = on("1+", factory=list)
    rack: String | None = on("2+", default=None)


@struct
class UpdateMetadataEndpoint:
    """Where a broker is reached by one listener."""

    port: Int32
    host: String
    listener: String = on("3+", default="")
    security_protocol: Int16


@message(key=6, versions="0-8", flexible="6+")
class UpdateMetadataResponse:
    """Whether it was taken."""

    error_code: Int16
