"""EndTxn (key 26): commit or abort a transaction (KIP-98).

Versions: 2 PRODUCER_FENCED · 3 flexible · 4 TRANSACTION_ABORTABLE · 5 a new epoch with each end
    (KIP-890)
"""

from __future__ import annotations

from barnabas.wire.schema import (
    Bool,
    Int16,
    Int32,
    Int64,
    String,
    message,
    on,
)


@message(key=26, versions="0-5", flexible="3+")
class EndTxnRequest:
    """Commit (`committed`) or abort."""

    transactional_id: String
    producer_id: Int64
    producer_epoch: Int16
    committed: Bool


@message(key=26, versions="0-5", flexible="3+")
class EndTxnResponse:
    """Whether it is ended; since version 5 the id and epoch for the next transaction."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
    producer_id: Int64 = on("5+", default=-1)
    producer_epoch: Int16 = on("5+", default=-1)
