"""StreamsGroupDescribe (key 89): the members and topologies of Kafka Streams groups (KIP-1071).

Versions: 1 topology descriptions, name of the assignor (KIP-1331)
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


@message(key=89, versions="0-1", flexible="0+")
class StreamsGroupDescribeRequest:
    """Describe these groups."""

    group_ids: Array[String]
    include_authorized_operations: Bool
    include_topology_description: Bool = on("1+", default=False)


@message(key=89, versions="0-1", flexible="0+")
class StreamsGroupDescribeResponse:
    """Each group, or why it is not described."""

    throttle_time_ms: Int32 = on(default=0)
    groups: Array[DescribedGroup]


@struct
class DescribedGroup:
    """One group. Authorised operations are a bit field; the least int32 where none were asked."""

    error_code: Int16
    error_message: String | None = on(default=None)
    group_id: String
    group_state: String
    group_epoch: Int32
    assignment_epoch: Int32
    topology: Topology | None = on(default=None)
    members: Array[Member]
    authorized_operations: Int32 = on(default=-(2**31))
    topology_description: TopologyDescription | None = on("1+", default=None)
    topology_description_status: Int8 = on("1+", default=0)
    assignor_name: String | None = on("1+", default=None)


@struct
class Topology:
    """What the application does, as subtopologies; None where it is not known yet."""

    epoch: Int32
    subtopologies: Array[Subtopology] | None = on(default=None)


@struct
class Subtopology:
    """A part whose tasks are assigned: the topics that it reads, writes and keeps state in."""

    subtopology_id: String
    source_topics: Array[String]
    repartition_sink_topics: Array[String]
    state_changelog_topics: Array[TopicInfo]
    repartition_source_topics: Array[TopicInfo]


@struct
class TopicInfo:
    """A topic that the group makes for itself."""

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
class Member:
    """One member: its tasks, those that it is to have, and how far it is."""

    member_id: String
    member_epoch: Int32
    instance_id: String | None = on(default=None)
    rack_id: String | None = on(default=None)
    client_id: String
    client_host: String
    topology_epoch: Int32
    process_id: String
    user_endpoint: Endpoint | None = on(default=None)
    client_tags: Array[KeyValue]
    task_offsets: Array[TaskOffset]
    task_end_offsets: Array[TaskOffset]
    assignment: Assignment
    target_assignment: Assignment
    is_classic: Bool


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


@struct
class Assignment:
    """Tasks by what the member does with them."""

    active_tasks: Array[TaskIds]
    standby_tasks: Array[TaskIds]
    warmup_tasks: Array[TaskIds]


@struct
class TaskIds:
    """Tasks of one subtopology, by partition."""

    subtopology_id: String
    partitions: Array[Int32]


@struct
class TopologyDescription:
    """The topology for people to read, as nodes, since version 1."""

    subtopologies: Array[TopologyDescriptionSubtopology]
    global_stores: Array[TopologyDescriptionGlobalStore]


@struct
class TopologyDescriptionSubtopology:
    """The nodes of one subtopology."""

    subtopology_id: String
    nodes: Array[TopologyDescriptionNode]


@struct
class TopologyDescriptionNode:
    """One node, a source, processor or sink, and the names of those behind it."""

    name: String
    node_type: Int8
    source_topics: Array[String]
    sink_topic: String | None = on(default=None)
    stores: Array[String]
    successors: Array[String]


@struct
class TopologyDescriptionGlobalStore:
    """A store that every member has whole, and what fills it."""

    source: TopologyDescriptionNode
    processor: TopologyDescriptionNode
