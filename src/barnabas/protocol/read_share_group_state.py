"""ReadShareGroupState (key 84): what a share group has read (KIP-932).

Between brokers: to the share coordinator.
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Int8, Int16, Int32, Int64, String, Uuid, message, on, struct


@message(key=84, versions="0", flexible="0+")
class ReadShareGroupStateRequest:
    """Which partitions."""

    group_id: String
    topics: Array[ReadStateData]


@struct
class ReadStateData:
    """Partitions of one topic."""

    topic_id: Uuid
    partitions: Array[PartitionData]


@struct
class PartitionData:
    """One partition, and the leader epoch of the broker that asks."""

    partition: Int32
    leader_epoch: Int32


@message(key=84, versions="0", flexible="0+")
class ReadShareGroupStateResponse:
    """The state of each."""

    results: Array[ReadStateResult]


@struct
class ReadStateResult:
    """Partitions of one topic."""

    topic_id: Uuid
    partitions: Array[PartitionResult]


@struct
class PartitionResult:
    """One partition: offsets from its start on that are not listed are available."""

    partition: Int32
    error_code: Int16
    error_message: String | None = on(default=None)
    state_epoch: Int32
    start_offset: Int64
    state_batches: Array[StateBatch]


@struct
class StateBatch:
    """Offsets in one state: 0 available, 2 acknowledged, 4 archived; and their deliveries."""

    first_offset: Int64
    last_offset: Int64
    delivery_state: Int8
    delivery_count: Int16
