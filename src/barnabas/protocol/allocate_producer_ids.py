"""AllocateProducerIds (key 67): a broker asks the controller for ids of producers (KIP-730)."""

from __future__ import annotations

from barnabas.wire.schema import Int16, Int32, Int64, message, on


@message(key=67, versions="0", flexible="0+")
class AllocateProducerIdsRequest:
    """Some ids, please."""

    broker_id: Int32
    broker_epoch: Int64 = on(default=-1)


@message(key=67, versions="0", flexible="0+")
class AllocateProducerIdsResponse:
    """The first, and how many from there."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
    producer_id_start: Int64
    producer_id_len: Int32
