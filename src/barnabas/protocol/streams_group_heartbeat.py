"""StreamsGroupHeartbeat (key 88): a member of a Kafka Streams group says that it lives (KIP-1071).

Versions: 1 the lag as int64, topology description asked for (KIP-1331)
"""

from __future__ import annotations

from barnabas.wire.schema import (
    Array,
    Bool,
    Int8,
    Int16,
    Int32,
    Int64,
    String,
    Uint16,
    message,
    on,
    struct,
)


@message(key=88, versions="0-1", flexible="0+")
class StreamsGroupHeartbeatRequest:
    """Join with epoch 0, leave with -1 (static: -2); None: as before."""

    group_id: String
    member_id: String
    member_epoch: Int32
    endpoint_information_epoch: Int32
    instance_id: String | None = on(default=None)
    rack_id: String | None = on(default=None)
    rebalance_timeout_ms: Int32 = on(default=-1)
    topology: Topology | None = on(default=None)
    active_tasks: Array[TaskIds] | None = on(default=None)
    standby_tasks: Array[TaskIds] | None = on(default=None)
    warmup_tasks: Array[TaskIds] | None = on(default=None)
    process_id: String | None = on(default=None)
    user_endpoint: Endpoint | None = on(default=None)
    client_tags: Array[KeyValue] | None = on(default=None)
    task_offsets: Array[TaskOffset] | None = on(default=None)
    task_end_offsets: Array[TaskOffset] | None = on(default=None)
    shutdown_application: Bool = on(default=False)


@struct
class Topology:
    """What the application does, as subtopologies; its epoch grows when it changes."""

    epoch: Int32
    subtopologies: Array[Subtopology]


@struct
class Subtopology:
    """A part whose tasks are assigned: the topics that it reads, writes and keeps state in."""

    subtopology_id: String
    source_topics: Array[String]
    source_topic_regex: Array[String]
    state_changelog_topics: Array[TopicInfo]
    repartition_sink_topics: Array[String]
    repartition_source_topics: Array[TopicInfo]
    copartition_groups: Array[CopartitionGroup]


@struct
class TopicInfo:
    """A topic that the group makes for itself; 0 partitions: worked out."""

    name: String
    partitions: Int32
    replication_factor: Int16
    topic_configs: Array[KeyValue]


@struct
class KeyValue:
    """A name and its value."""

    key: String
    value: String


@struct
class CopartitionGroup:
    """Topics that must have as many partitions, as indexes into the lists of the subtopology."""

    source_topics: Array[Int16]
    source_topic_regex: Array[Int16]
    repartition_source_topics: Array[Int16]


@struct
class TaskIds:
    """Tasks of one subtopology, by partition."""

    subtopology_id: String
    partitions: Array[Int32]


@struct
class Endpoint:
    """Where other members reach this one for queries."""

    host: String
    port: Uint16


@struct
class TaskOffset:
    """How far the state of one task is."""

    subtopology_id: String
    partition: Int32
    offset: Int64


@message(key=88, versions="0-1", flexible="0+")
class StreamsGroupHeartbeatResponse:
    """The tasks that it is to do, if they changed."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
    error_message: String | None = on(default=None)
    member_id: String
    member_epoch: Int32
    heartbeat_interval_ms: Int32
    acceptable_recovery_lag_legacy: Int32 = on("0", default=0)
    task_offset_interval_ms: Int32
    acceptable_recovery_lag: Int64 = on("1+", default=-1)
    status: Array[Status] | None
    active_tasks: Array[TaskIds] | None = on(default=None)
    standby_tasks: Array[TaskIds] | None = on(default=None)
    warmup_tasks: Array[TaskIds] | None = on(default=None)
    topology_description_required: Bool = on("1+", default=False)
    endpoint_information_epoch: Int32
    partitions_by_user_endpoint: Array[EndpointToPartitions] | None = on(default=None)


@struct
class Status:
    """Something that the member is to know: its number, and why."""

    status_code: Int8
    status_detail: String


@struct
class EndpointToPartitions:
    """The partitions whose state is at one endpoint."""

    user_endpoint: Endpoint
    active_partitions: Array[TopicPartition]
    standby_partitions: Array[TopicPartition]


@struct
class TopicPartition:
    """Partitions of one topic."""

    topic: String
    partitions: Array[Int32]
