"""Records of the internal topic __consumer_offsets for Kafka Streams groups (KIP-1071).

Key and value each begin with a number as int16, outside of what is declared here: the key with its
kind (17 and 19 to 23), the value with its version. A record without a value: gone.
"""

from __future__ import annotations

from barnabas.wire.schema import (
    Array,
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


@message(versions="0")
class StreamsGroupMetadataKey:
    """Kind 17: which group."""

    group_id: String


@message(versions="0", flexible="0+")
class StreamsGroupMetadataValue:
    """Its epochs, -1 where there is none; those of descriptions are for KIP-1331."""

    epoch: Int32
    metadata_hash: Int64
    validated_topology_epoch: Int32 = on(default=-1, tag=0)
    stored_description_topology_epoch: Int32 = on(default=-1, tag=2)
    failed_description_topology_epoch: Int32 = on(default=-1, tag=3)


@message(versions="0")
class StreamsGroupMemberMetadataKey:
    """Kind 19: which member."""

    group_id: String
    member_id: String


@message(versions="0", flexible="0+")
class StreamsGroupMemberMetadataValue:
    """A member's own data, from its heartbeats."""

    instance_id: String | None
    rack_id: String | None
    client_id: String
    client_host: String
    rebalance_timeout_ms: Int32 = on(default=-1)
    topology_epoch: Int32
    process_id: String
    user_endpoint: Endpoint | None = on(default=None)
    client_tags: Array[KeyValue]


@struct
class Endpoint:
    """Where other members reach it for queries."""

    host: String
    port: Uint16


@struct
class KeyValue:
    """A tag and its value."""

    key: String
    value: String


@message(versions="0")
class StreamsGroupTargetAssignmentMetadataKey:
    """Kind 20: which group."""

    group_id: String


@message(versions="0", flexible="0+")
class StreamsGroupTargetAssignmentMetadataValue:
    """The epoch whose assignment was worked out last, and when."""

    assignment_epoch: Int32
    assignment_timestamp: Int64 = on(default=0, tag=0)


@message(versions="0")
class StreamsGroupTargetAssignmentMemberKey:
    """Kind 21: which member."""

    group_id: String
    member_id: String


@message(versions="0", flexible="0+")
class StreamsGroupTargetAssignmentMemberValue:
    """The tasks that it is to have."""

    active_tasks: Array[TargetTasks]
    standby_tasks: Array[TargetTasks]
    warmup_tasks: Array[TargetTasks]


@struct
class TargetTasks:
    """Tasks of one subtopology, by partition."""

    subtopology_id: String
    partitions: Array[Int32]


@message(versions="0")
class StreamsGroupCurrentMemberAssignmentKey:
    """Kind 22: which member."""

    group_id: String
    member_id: String


@message(versions="0", flexible="0+")
class StreamsGroupCurrentMemberAssignmentValue:
    """The tasks that it has, and those that it is to give back."""

    member_epoch: Int32
    previous_member_epoch: Int32
    state: Int8
    active_tasks: Array[CurrentTasks]
    standby_tasks: Array[CurrentTasks]
    warmup_tasks: Array[CurrentTasks]
    active_tasks_pending_revocation: Array[CurrentTasks]
    standby_tasks_pending_revocation: Array[CurrentTasks]
    warmup_tasks_pending_revocation: Array[CurrentTasks]


@struct
class CurrentTasks:
    """Tasks of one subtopology, and since which epochs the member has them."""

    subtopology_id: String
    partitions: Array[Int32]
    assignment_epochs: Array[Int32] | None = on(factory=list, tag=0)


@message(versions="0")
class StreamsGroupTopologyKey:
    """Kind 23: which group."""

    group_id: String


@message(versions="0", flexible="0+")
class StreamsGroupTopologyValue:
    """What the application does."""

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
    topic_configs: Array[TopicConfig]


@struct
class TopicConfig:
    """A setting of such a topic."""

    key: String
    value: String


@struct
class CopartitionGroup:
    """Topics that must have as many partitions, as indexes into the lists of the subtopology."""

    source_topics: Array[Int16]
    source_topic_regex: Array[Int16]
    repartition_source_topics: Array[Int16]
