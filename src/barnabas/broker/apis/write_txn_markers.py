"""WriteTxnMarkers (key 27): append what ends a transaction to partitions (KIP-98).

A coordinator asks for it, and an operator who ends a transaction that no coordinator knows of.
Does: appends each marker; answers when all are written.
Refuses: markers of an epoch of the producer, or of the coordinator, that is over; of no producer, or no epoch.
Versions: 2 which rules the producer's epoch is held to (KIP-1228)
"""

from functools import partial

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory import Pending
from barnabas.broker.transaction_markers import Ending
from barnabas.coordinators.transaction.transaction import VERSION_2
from barnabas.errors import ErrorCode
from barnabas.protocol.write_txn_markers import (
    WritableTxnMarkerPartitionResult,
    WritableTxnMarkerResult,
    WritableTxnMarkerTopicResult,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)
from barnabas.records.control import Marker
from barnabas.types import TopicPartition


def handle(
    broker: Broker, context: RequestContext, request: WriteTxnMarkersRequest
) -> WriteTxnMarkersResponse | Pending:
    """Append them."""
    del context
    codes: dict[tuple[int, TopicPartition], ErrorCode] = {}
    wanted = [
        (number, TopicPartition(topic.name, index))
        for number, marker in enumerate(request.markers)
        for topic in marker.topics
        for index in topic.partition_indexes
    ]
    pending = Pending()

    def written(place: tuple[int, TopicPartition], code: ErrorCode) -> None:
        codes[place] = code
        if len(codes) == len(set(wanted)):
            pending.complete(_response(request, codes))

    for number, place in dict.fromkeys(wanted):
        marker = request.markers[number]
        ending = Ending(
            marker.producer_id,
            marker.producer_epoch,
            Marker(marker.transaction_result, marker.coordinator_epoch),
            bumped=marker.transaction_version >= VERSION_2,
        )
        broker.transactions.markers.write(place, ending, partial(written, (number, place)))
    return pending if wanted else _response(request, codes)


def _response(
    request: WriteTxnMarkersRequest, codes: dict[tuple[int, TopicPartition], ErrorCode]
) -> WriteTxnMarkersResponse:
    return WriteTxnMarkersResponse(
        markers=[
            WritableTxnMarkerResult(
                producer_id=marker.producer_id,
                topics=[
                    WritableTxnMarkerTopicResult(
                        name=topic.name,
                        partitions=[
                            WritableTxnMarkerPartitionResult(
                                partition_index=index,
                                error_code=codes[number, TopicPartition(topic.name, index)],
                            )
                            for index in topic.partition_indexes
                        ],
                    )
                    for topic in marker.topics
                ],
            )
            for number, marker in enumerate(request.markers)
        ]
    )
