"""DescribeTransactions (key 65): where transactions are (KIP-664)."""

from __future__ import annotations

from barnabas.wire.schema import Array, Int16, Int32, Int64, String, message, on, struct


@message(key=65, versions="0", flexible="0+")
class DescribeTransactionsRequest:
    """Describe these."""

    transactional_ids: Array[String]


@message(key=65, versions="0", flexible="0+")
class DescribeTransactionsResponse:
    """Each transaction."""

    throttle_time_ms: Int32 = on(default=0)
    transaction_states: Array[TransactionState]


@struct
class TransactionState:
    """One transaction, or why it is not known; -1: it has not begun."""

    error_code: Int16
    transactional_id: String
    transaction_state: String
    transaction_timeout_ms: Int32
    transaction_start_time_ms: Int64
    producer_id: Int64
    producer_epoch: Int16
    topics: Array[TopicData]


@struct
class TopicData:
    """Partitions of one topic that take part."""

    topic: String
    partitions: Array[Int32]
