"""ReadShareGroupStateSummary (key 87): where a share group is, without its batches (KIP-932).

Between brokers: to the share coordinator.

Versions: 1 how many are done with (KIP-1226)
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Int16, Int32, Int64, String, Uuid, message, on, struct


@message(key=87, versions="0-1", flexible="0+")
class ReadShareGroupStateSummaryRequest:
    """Which partitions."""

    group_id: String
    topics: Array[ReadStateSummaryData]


@struct
class ReadStateSummaryData:
    """Partitions of one topic."""

    topic_id: Uuid
    partitions: Array[PartitionData]


@struct
class PartitionData:
    """One partition, and the leader epoch of the broker that asks."""

    partition: Int32
    leader_epoch: Int32


@message(key=87, versions="0-1", flexible="0+")
class ReadShareGroupStateSummaryResponse:
    """The state of each."""

    results: Array[ReadStateSummaryResult]


@struct
class ReadStateSummaryResult:
    """Partitions of one topic."""

    topic_id: Uuid
    partitions: Array[PartitionResult]


@struct
class PartitionResult:
    """One partition; start offset -1: there is none yet."""

    partition: Int32
    error_code: Int16
    error_message: String | None = on(default=None)
    state_epoch: Int32
    leader_epoch: Int32
    start_offset: Int64
    delivery_complete_count: Int32 = on("1+", default=-1)
