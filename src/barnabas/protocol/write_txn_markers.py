"""WriteTxnMarkers (key 27): a coordinator has partitions end a transaction (KIP-98).

Between brokers: to the leaders of the partitions that take part.

Versions: 1 flexible · 2 which rules the producer's epoch is held to (KIP-1228)
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Bool, Int8, Int16, Int32, Int64, String, message, on, struct


@message(key=27, versions="0-2", flexible="1+")
class WriteTxnMarkersRequest:
    """Markers to append."""

    markers: Array[WritableTxnMarker]


@struct
class WritableTxnMarker:
    """The end of one transaction: commit if `transaction_result`, else abort."""

    producer_id: Int64
    producer_epoch: Int16
    transaction_result: Bool
    topics: Array[WritableTxnMarkerTopic]
    coordinator_epoch: Int32
    transaction_version: Int8 = on("2+", default=0)


@struct
class WritableTxnMarkerTopic:
    """Partitions of one topic."""

    name: String
    partition_indexes: Array[Int32]


@message(key=27, versions="0-2", flexible="1+")
class WriteTxnMarkersResponse:
    """What became of each marker."""

    markers: Array[WritableTxnMarkerResult]


@struct
class WritableTxnMarkerResult:
    """The markers of one producer."""

    producer_id: Int64
    topics: Array[WritableTxnMarkerTopicResult]


@struct
class WritableTxnMarkerTopicResult:
    """Partitions of one topic."""

    name: String
    partitions: Array[WritableTxnMarkerPartitionResult]


@struct
class WritableTxnMarkerPartitionResult:
    """One partition."""

    partition_index: Int32
    error_code: Int16
