"""WriteShareGroupState (key 85): keep what a share group has read (KIP-932).

Between brokers: to the share coordinator.

Versions: 1 how many are done with (KIP-1226)
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Int8, Int16, Int32, Int64, String, Uuid, message, on, struct


@message(key=85, versions="0-1", flexible="0+")
class WriteShareGroupStateRequest:
    """Changes of partitions."""

    group_id: String
    topics: Array[WriteStateData]


@struct
class WriteStateData:
    """Partitions of one topic."""

    topic_id: Uuid
    partitions: Array[PartitionData]


@struct
class PartitionData:
    """One partition; start offset -1: as before."""

    partition: Int32
    state_epoch: Int32
    leader_epoch: Int32
    start_offset: Int64
    delivery_complete_count: Int32 = on("1+", default=-1)
    state_batches: Array[StateBatch]


@struct
class StateBatch:
    """Offsets in one state: 0 available, 2 acknowledged, 4 archived; and their deliveries."""

    first_offset: Int64
    last_offset: Int64
    delivery_state: Int8
    delivery_count: Int16


@message(key=85, versions="0-1", flexible="0+")
class WriteShareGroupStateResponse:
    """What became of each."""

    results: Array[WriteStateResult]


@struct
class WriteStateResult:
    """Partitions of one topic."""

    topic_id: Uuid
    partitions: Array[PartitionResult]


@struct
class PartitionResult:
    """One partition."""

    partition: Int32
    error_code: Int16
    error_message: String | None = on(default=None)
