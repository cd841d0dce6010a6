"""Records of the internal topic __consumer_offsets for share groups (KIP-932).

Key and value each begin with a number as int16, outside of what is declared here: the key with its
kind (9 to 15), the value with its version. A record without a value: gone. What has been read is
kept apart, see share_state_records.
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Int8, Int32, Int64, String, Uuid, message, on, struct


@message(versions="9")
class ShareGroupPartitionMetadataKey:
    """Kind 9: which group; in early access only.

    Its definition has the kind as its version: the one version is 9.
    """

    group_id: String


@message(versions="0", flexible="0+")
class ShareGroupPartitionMetadataValue:
    """The topics that it reads."""

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
class ShareGroupMemberMetadataKey:
    """Kind 10: which member."""

    group_id: String
    member_id: String


@message(versions="0", flexible="0+")
class ShareGroupMemberMetadataValue:
    """A member's own data, from its heartbeats."""

    rack_id: String | None
    client_id: String
    client_host: String
    subscribed_topic_names: Array[String]


@message(versions="0")
class ShareGroupMetadataKey:
    """Kind 11: which group."""

    group_id: String


@message(versions="0", flexible="0+")
class ShareGroupMetadataValue:
    """Its epoch, and a hash of the topics it reads, to see when they change."""

    epoch: Int32
    metadata_hash: Int64


@message(versions="0")
class ShareGroupTargetAssignmentMetadataKey:
    """Kind 12: which group."""

    group_id: String


@message(versions="0", flexible="0+")
class ShareGroupTargetAssignmentMetadataValue:
    """The epoch whose assignment was worked out last, and when."""

    assignment_epoch: Int32
    assignment_timestamp: Int64 = on(default=0, tag=0)


@message(versions="0")
class ShareGroupTargetAssignmentMemberKey:
    """Kind 13: which member."""

    group_id: String
    member_id: String


@message(versions="0", flexible="0+")
class ShareGroupTargetAssignmentMemberValue:
    """The partitions that it is to have."""

    topic_partitions: Array[TargetPartitions]


@struct
class TargetPartitions:
    """Partitions of one topic."""

    topic_id: Uuid
    partitions: Array[Int32]


@message(versions="0")
class ShareGroupCurrentMemberAssignmentKey:
    """Kind 14: which member."""

    group_id: String
    member_id: String


@message(versions="0", flexible="0+")
class ShareGroupCurrentMemberAssignmentValue:
    """The partitions that it has."""

    member_epoch: Int32
    previous_member_epoch: Int32
    state: Int8
    assigned_partitions: Array[CurrentPartitions]


@struct
class CurrentPartitions:
    """Partitions of one topic."""

    topic_id: Uuid
    partitions: Array[Int32]


@message(versions="0")
class ShareGroupStatePartitionMetadataKey:
    """Kind 15: which group."""

    group_id: String


@message(versions="0", flexible="0+")
class ShareGroupStatePartitionMetadataValue:
    """For which partitions the share coordinator keeps what has been read."""

    initializing_topics: Array[StatePartitions]
    initialized_topics: Array[StatePartitions]
    deleting_topics: Array[StateTopic]


@struct
class StatePartitions:
    """Partitions of one topic."""

    topic_id: Uuid
    topic_name: String
    partitions: Array[Int32]


@struct
class StateTopic:
    """One topic."""

    topic_id: Uuid
    topic_name: String
