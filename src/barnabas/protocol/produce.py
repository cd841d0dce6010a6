"""Produce (key 0): append record sets to partitions.

No response is sent when `acks` is 0.

Versions: 1 throttle time · 2 magic 1, log append time · 3 magic 2 only, transactions · 5 log
    start offset · 7 zstd · 8 errors per record (KIP-467) · 9 flexible · 10 current leader
    (KIP-951) · 12 implicit transaction (KIP-890) · 13 topic ids (KIP-516)
"""

from __future__ import annotations

from barnabas.wire.schema import (
    NO_UUID,
    Array,
    Int16,
    Int32,
    Int64,
    Records,
    String,
    Uuid,
    message,
    on,
    struct,
)


@message(key=0, versions="0-13", flexible="9+")
class ProduceRequest:
    """Append record sets to partitions the broker leads.

    `acks`: 0 no answer, 1 the leader has written, -1 all in-sync replicas have.
    """

    transactional_id: String | None = on("3+", default=None)
    acks: Int16
    timeout_ms: Int32
    topic_data: Array[TopicProduceData]


@struct
class TopicProduceData:
    """Record sets for the partitions of one topic."""

    name: String = on("0-12", default="")
    topic_id: Uuid = on("13+", default=NO_UUID)
    partition_data: Array[PartitionProduceData]


@struct
class PartitionProduceData:
    """The record set for one partition; since version 3 exactly one batch of magic 2."""

    index: Int32
    records: Records | None


@message(key=0, versions="0-13", flexible="9+")
class ProduceResponse:
    """What became of each record set, in the order of the request."""

    responses: Array[TopicProduceResponse]
    throttle_time_ms: Int32 = on("1+", default=0)
    node_endpoints: Array[NodeEndpoint] = on("10+", factory=list, tag=0)


@struct
class TopicProduceResponse:
    """The partitions of one topic."""

    name: String = on("0-12", default="")
    topic_id: Uuid = on("13+", default=NO_UUID)
    partition_responses: Array[PartitionProduceResponse]


@struct
class PartitionProduceResponse:
    """One partition: the offset of the first record, or why nothing was appended.

    `log_append_time_ms` is -1 unless the topic stamps records with the broker's time.
    """

    index: Int32
    error_code: Int16
    base_offset: Int64
    log_append_time_ms: Int64 = on("2+", default=-1)
    log_start_offset: Int64 = on("5+", default=-1)
    record_errors: Array[BatchIndexAndErrorMessage] = on("8+", factory=list)
    error_message: String | None = on("8+", default=None)
    current_leader: LeaderIdAndEpoch | None = on("10+", default=None, tag=0)


@struct
class BatchIndexAndErrorMessage:
    """One record that made the whole batch be refused; `batch_index` counts within the batch."""

    batch_index: Int32
    batch_index_error_message: String | None = on(default=None)


@struct
class LeaderIdAndEpoch:
    """Which broker leads now, and since which leader epoch."""

    leader_id: Int32 = on(default=-1)
    leader_epoch: Int32 = on(default=-1)


@struct
class NodeEndpoint:
    """Where to reach a broker that a partition points to."""

    node_id: Int32
    host: String
    port: Int32
    rack: String | None = on(default=None)
