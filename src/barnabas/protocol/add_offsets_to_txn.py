"""AddOffsetsToTxn (key 25): say that a transaction commits offsets of a group (KIP-98).

Versions: 2 PRODUCER_FENCED · 3 flexible · 4 TRANSACTION_ABORTABLE (KIP-890)
"""

from __future__ import annotations

from barnabas.wire.schema import (
    Int16,
    Int32,
    Int64,
    String,
    message,
    on,
)


@message(key=25, versions="0-4", flexible="3+")
class AddOffsetsToTxnRequest:
    """Add a group to a transaction."""

    transactional_id: String
    producer_id: Int64
    producer_epoch: Int16
    group_id: String


@message(key=25, versions="0-4", flexible="3+")
class AddOffsetsToTxnResponse:
    """Whether it was added."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
