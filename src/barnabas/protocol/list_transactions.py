"""ListTransactions (key 66): which transactions this coordinator has (KIP-664).

Versions: 1 those that run long (KIP-994) · 2 those whose id matches a pattern (KIP-1152)
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Int16, Int32, Int64, String, message, on, struct


@message(key=66, versions="0-2", flexible="0+")
class ListTransactionsRequest:
    """Those in one of these states and of one of these producers; an empty list means any.

    Duration in milliseconds; negative: any. The pattern is a regular expression of RE2.
    """

    state_filters: Array[String]
    producer_id_filters: Array[Int64]
    duration_filter: Int64 = on("1+", default=-1)
    transactional_id_pattern: String | None = on("2+", default=None)


@message(key=66, versions="0-2", flexible="0+")
class ListTransactionsResponse:
    """The transactions, and which of the states are none."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
    unknown_state_filters: Array[String]
    transaction_states: Array[TransactionState]


@struct
class TransactionState:
    """One transaction."""

    transactional_id: String
    producer_id: Int64
    transaction_state: String
