"""AddPartitionsToTxn (key 24): say which partitions a transaction writes to (KIP-98).

Versions: 3 flexible · 4 several transactions, verification by brokers (KIP-890) · 5
    TRANSACTION_ABORTABLE
"""

from __future__ import annotations

from barnabas.wire.schema import (
    Array,
    Bool,
    Int16,
    Int32,
    Int64,
    String,
    message,
    on,
    struct,
)


@message(key=24, versions="0-5", flexible="3+")
class AddPartitionsToTxnRequest:
    """Add partitions to a transaction, since version 4 to several."""

    v3_and_below_transactional_id: String = on("0-3", default="")
    v3_and_below_producer_id: Int64 = on("0-3", default=0)
    v3_and_below_producer_epoch: Int16 = on("0-3", default=0)
    v3_and_below_topics: Array[AddPartitionsToTxnTopic] = on("0-3", factory=list)
    transactions: Array[AddPartitionsToTxnTransaction] = on("4+", factory=list)


@struct
class AddPartitionsToTxnTopic:
    """Partitions of one topic."""

    name: String
    partitions: Array[Int32]


@struct
class AddPartitionsToTxnTransaction:
    """One transaction; with `verify_only` a broker asks whether the partitions are in it."""

    transactional_id: String
    producer_id: Int64
    producer_epoch: Int16
    verify_only: Bool = on(default=False)
    topics: Array[AddPartitionsToTxnTopic]


@message(key=24, versions="0-5", flexible="3+")
class AddPartitionsToTxnResponse:
    """What became of each partition."""

    throttle_time_ms: Int32 = on(default=0)
    results_by_topic_v3_and_below: Array[AddPartitionsToTxnTopicResult] = on("0-3", factory=list)
    error_code: Int16 = on("4+", default=0)
    results_by_transaction: Array[AddPartitionsToTxnResult] = on("4+", factory=list)


@struct
class AddPartitionsToTxnTopicResult:
    """Partitions of one topic."""

    name: String
    results_by_partition: Array[AddPartitionsToTxnPartitionResult]


@struct
class AddPartitionsToTxnPartitionResult:
    """One partition."""

    partition_index: Int32
    partition_error_code: Int16


@struct
class AddPartitionsToTxnResult:
    """One transaction."""

    transactional_id: String
    topic_results: Array[AddPartitionsToTxnTopicResult]
