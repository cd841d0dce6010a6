"""InitializeShareGroupState (key 83): begin to keep what a share group has read (KIP-932).

Between brokers: to the share coordinator.
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Int16, Int32, Int64, String, Uuid, message, on, struct


@message(key=83, versions="0", flexible="0+")
class InitializeShareGroupStateRequest:
    """Partitions that the group begins to read."""

    group_id: String
    topics: Array[InitializeStateData]


@struct
class InitializeStateData:
    """Partitions of one topic."""

    topic_id: Uuid
    partitions: Array[PartitionData]


@struct
class PartitionData:
    """One partition and where to begin; -1: not yet known."""

    partition: Int32
    state_epoch: Int32
    start_offset: Int64


@message(key=83, versions="0", flexible="0+")
class InitializeShareGroupStateResponse:
    """What became of each."""

    results: Array[InitializeStateResult]


@struct
class InitializeStateResult:
    """Partitions of one topic."""

    topic_id: Uuid
    partitions: Array[PartitionResult]


@struct
class PartitionResult:
    """One partition."""

    partition: Int32
    error_code: Int16
    error_message: String | None = on(default=None)
