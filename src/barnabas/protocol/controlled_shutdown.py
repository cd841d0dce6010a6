"""ControlledShutdown (key 7): a broker asks the controller to move leaders away before it stops.

Between brokers. The header of a request in version 0 has no client id: it is header version 0.

Versions: 1 header with a client id · 2 broker epoch (KIP-380) · 3 flexible
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Int16, Int32, Int64, String, message, on, struct


@message(key=7, versions="0-3", flexible="3+")
class ControlledShutdownRequest:
    """Broker `broker_id` wants to stop."""

    broker_id: Int32
    broker_epoch: Int64 = on("2+", default=-1)


@message(key=7, versions="0-3", flexible="3+")
class ControlledShutdownResponse:
    """The partitions that it still leads, for which nobody else could take over."""

    error_code: Int16
    remaining_partitions: Array[RemainingPartition]


@struct
class RemainingPartition:
    """One partition."""

    topic_name: String
    partition_index: Int32
