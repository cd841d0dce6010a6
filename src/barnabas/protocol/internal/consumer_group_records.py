"""Records of the internal topic __consumer_offsets for groups whose broker assigns (KIP-848).

A group is many records: an epoch, its members, what each has and is to have. Key and value each
begin with a number as int16, outside of what is declared here: the key with its kind (3 to 8 and
16), the value with its version. A record without a value: gone.
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Bytes, Int8, Int32, Int64, String, Uuid, message, on, struct


@message(versions="0")
class ConsumerGroupMetadataKey:
    """Kind 3: which group."""

    group_id: String


@message(versions="0", flexible="0+")
class ConsumerGroupMetadataValue:
    """Its epoch, and a hash of the topics it reads, to see when they change (KIP-1101)."""

    epoch: Int32
    metadata_hash: Int64 = on(default=0, tag=0)


@message(versions="0")
class ConsumerGroupPartitionMetadataKey:
    """Kind 4: which group; written to 4.0."""

    group_id: String


@message(versions="0", flexible="0+")
class ConsumerGroupPartitionMetadataValue:
    """The topics that it reads, before there was a hash of them."""

    topics: Array[TopicMetadata]


@struct
class TopicMetadata:
    """One topic as it was."""

    topic_id: Uuid
    topic_name: String
    num_partitions: Int32
    partition_metadata: Array[PartitionMetadata]


@struct
class PartitionMetadata:
    """One partition and the racks of its replicas."""

    partition: Int32
    racks: Array[String]


@message(versions="0")
class ConsumerGroupMemberMetadataKey:
    """Kind 5: which member."""

    group_id: String
    member_id: String


@message(versions="0", flexible="0+")
class ConsumerGroupMemberMetadataValue:
    """A member's own data, from its heartbeats."""

    instance_id: String | None
    rack_id: String | None
    client_id: String
    client_host: String
    subscribed_topic_names: Array[String]
    subscribed_topic_regex: String | None
    rebalance_timeout_ms: Int32 = on(default=-1)
    server_assignor: String | None
    classic_member_metadata: ClassicMemberMetadata | None = on(default=None, nullable="0+", tag=0)


@struct
class ClassicMemberMetadata:
    """What is known of a member that speaks JoinGroup and not the heartbeats."""

    session_timeout_ms: Int32
    supported_protocols: Array[ClassicProtocol]


@struct
class ClassicProtocol:
    """An assignor, and the subscription as bytes of the consumer protocol."""

    name: String
    metadata: Bytes


@message(versions="0")
class ConsumerGroupTargetAssignmentMetadataKey:
    """Kind 6: which group."""

    group_id: String


@message(versions="0", flexible="0+")
class ConsumerGroupTargetAssignmentMetadataValue:
    """The epoch whose assignment was worked out last, and when."""

    assignment_epoch: Int32
    assignment_timestamp: Int64 = on(default=0, tag=0)


@message(versions="0")
class ConsumerGroupTargetAssignmentMemberKey:
    """Kind 7: which member."""

    group_id: String
    member_id: String


@message(versions="0", flexible="0+")
class ConsumerGroupTargetAssignmentMemberValue:
    """The partitions that it is to have."""

    topic_partitions: Array[TargetPartitions]


@struct
class TargetPartitions:
    """Partitions of one topic."""

    topic_id: Uuid
    partitions: Array[Int32]


@message(versions="0")
class ConsumerGroupCurrentMemberAssignmentKey:
    """Kind 8: which member."""

    group_id: String
    member_id: String


@message(versions="0", flexible="0+")
class ConsumerGroupCurrentMemberAssignmentValue:
    """The partitions that it has, and those that it is to give back.

    State: 0 stable, 1 gives partitions back, 2 waits for others to give back, 127 unknown.
    """

    member_epoch: Int32
    previous_member_epoch: Int32
    state: Int8
    assigned_partitions: Array[CurrentPartitions]
    partitions_pending_revocation: Array[CurrentPartitions]


@struct
class CurrentPartitions:
    """Partitions of one topic, and since which epochs the member has them."""

    topic_id: Uuid
    partitions: Array[Int32]
    assignment_epochs: Array[Int32] | None = on(factory=list, tag=0)


@message(versions="0")
class ConsumerGroupRegularExpressionKey:
    """Kind 16: which expression of which group."""

    group_id: String
    regular_expression: String


@message(versions="0", flexible="0+")
class ConsumerGroupRegularExpressionValue:
    """The topics whose names matched, at which version of the metadata, and when."""

    topics: Array[String]
    version: Int64
    timestamp: Int64
