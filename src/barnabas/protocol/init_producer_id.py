"""InitProducerId (key 22): an id and epoch for an idempotent producer (KIP-98).

Versions: 2 flexible · 3 bump the epoch of an id (KIP-360) · 4 PRODUCER_FENCED · 5
    TRANSACTION_ABORTABLE (KIP-890) · 6 two-phase commit (KIP-939)
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


@message(key=22, versions="0-6", flexible="2+")
class InitProducerIdRequest:
    """Ask for an id; without a transactional id any new one will do.

    `producer_id` and `producer_epoch` are -1 unless the producer has some already.
    """

    transactional_id: String | None
    transaction_timeout_ms: Int32
    producer_id: Int64 = on("3+", default=-1)
    producer_epoch: Int16 = on("3+", default=-1)
    enable_2pc: Bool = on("6+", default=False)
    keep_prepared_txn: Bool = on("6+", default=False)


@message(key=22, versions="0-6", flexible="2+")
class InitProducerIdResponse:
    """The id and epoch to use."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
    producer_id: Int64 = on(default=-1)
    producer_epoch: Int16
    ongoing_txn_producer_id: Int64 = on("6+", default=-1)
    ongoing_txn_producer_epoch: Int16 = on("6+", default=-1)
