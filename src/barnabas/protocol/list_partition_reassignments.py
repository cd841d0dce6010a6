"""ListPartitionReassignments (key 46): which partitions are being moved (KIP-455)."""

from __future__ import annotations

from barnabas.wire.schema import Array, Int16, Int32, String, message, on, struct


@message(key=46, versions="0", flexible="0+")
class ListPartitionReassignmentsRequest:
    """Ask for these partitions, or all (`topics` is None)."""

    timeout_ms: Int32 = on(default=60000)
    topics: Array[ListPartitionReassignmentsTopics] | None = on(default=None)


@struct
class ListPartitionReassignmentsTopics:
    """Partitions of one topic."""

    name: String
    partition_indexes: Array[Int32]


@message(key=46, versions="0", flexible="0+")
class ListPartitionReassignmentsResponse:
    """Those that are being moved."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
    error_message: String | None = on(default=None)
    topics: Array[OngoingTopicReassignment]


@struct
class OngoingTopicReassignment:
    """Partitions of one topic."""

    name: String
    partitions: Array[OngoingPartitionReassignment]


@struct
class OngoingPartitionReassignment:
    """One partition: its replicas now, those on their way in and out."""

    partition_index: Int32
    replicas: Array[Int32]
    adding_replicas: Array[Int32]
    removing_replicas: Array[Int32]
