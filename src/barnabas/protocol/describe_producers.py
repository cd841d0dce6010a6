"""DescribeProducers (key 61): who writes to partitions with a producer id (KIP-664)."""

from __future__ import annotations

from barnabas.wire.schema import Array, Int16, Int32, Int64, String, message, on, struct


@message(key=61, versions="0", flexible="0+")
class DescribeProducersRequest:
    """Which partitions."""

    topics: Array[TopicRequest]


@struct
class TopicRequest:
    """Partitions of one topic."""

    name: String
    partition_indexes: Array[Int32]


@message(key=61, versions="0", flexible="0+")
class DescribeProducersResponse:
    """Their producers."""

    throttle_time_ms: Int32 = on(default=0)
    topics: Array[TopicResponse]


@struct
class TopicResponse:
    """Partitions of one topic."""

    name: String
    partitions: Array[PartitionResponse]


@struct
class PartitionResponse:
    """The producers of one partition, or why they are not known."""

    partition_index: Int32
    error_code: Int16
    error_message: String | None = on(default=None)
    active_producers: Array[ProducerState]


@struct
class ProducerState:
    """One producer: what it wrote last, and where its open transaction begins (-1: none)."""

    producer_id: Int64
    producer_epoch: Int32
    last_sequence: Int32 = on(default=-1)
    last_timestamp: Int64 = on(default=-1)
    coordinator_epoch: Int32
    current_txn_start_offset: Int64 = on(default=-1)
