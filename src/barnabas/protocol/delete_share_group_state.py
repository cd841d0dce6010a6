"""DeleteShareGroupState (key 86): forget what a share group has read (KIP-932).

Between brokers: to the share coordinator.
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Int16, Int32, String, Uuid, message, on, struct


@message(key=86, versions="0", flexible="0+")
class DeleteShareGroupStateRequest:
    """Which partitions."""

    group_id: String
    topics: Array[DeleteStateData]


@struct
class DeleteStateData:
    """Partitions of one topic."""

    topic_id: Uuid
    partitions: Array[PartitionData]


@struct
class PartitionData:
    """One partition."""

    partition: Int32


@message(key=86, versions="0", flexible="0+")
class DeleteShareGroupStateResponse:
    """What became of each."""

    results: Array[DeleteStateResult]


@struct
class DeleteStateResult:
    """Partitions of one topic."""

    topic_id: Uuid
    partitions: Array[PartitionResult]


@struct
class PartitionResult:
    """One partition."""

    partition: Int32
    error_code: Int16
    error_message: String | None = on(default=None)
