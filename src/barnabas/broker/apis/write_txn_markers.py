"""WriteTxnMarkers (key 27): append what ends a transaction to partitions (KIP-98).

A coordinator asks for it, and an operator who ends a transaction that no coordinator knows of.
Does: appends each marker; answers when all are written.
Refuses: markers of an epoch of the producer, or of the coordinator, that is over; of no producer, or no epoch.
Versions: 2 which rules the producer's epoch is held to (KIP-1228)
"""

from collections.abc import Mapping

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.stepping import Steps, in_steps
from barnabas.broker.transactions.markers import Ending
from barnabas.coordinators.transaction.transaction import VERSION_2
from barnabas.protocol.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerPartitionResult,
    WritableTxnMarkerResult,
    WritableTxnMarkerTopicResult,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)
from barnabas.records.batches.control import Marker
from barnabas.types import TopicPartition


@in_steps
def handle(
    broker: Broker, context: RequestContext, request: WriteTxnMarkersRequest
) -> Steps[WriteTxnMarkersResponse]:
    """Append them."""
    del context
    begun: list[dict[TopicPartition, Pending]] = []
    for marker in request.markers:
        begun.append({})
        yield from _write(broker, marker, begun[-1])
    results = []
    for marker, written in zip(request.markers, begun, strict=True):
        result = yield from _result(marker, written)
        results.append(result)
    return WriteTxnMarkersResponse(markers=results)


def _write(
    broker: Broker, asked: WritableTxnMarker, written: dict[TopicPartition, Pending]
) -> Steps[None]:
    """Begin to append a marker to its partitions; `written` receives the result of each."""
    ending = Ending(
        asked.producer_id,
        asked.producer_epoch,
        Marker(asked.transaction_result, asked.coordinator_epoch),
        bumped=asked.transaction_version >= VERSION_2,
    )
    for topic in asked.topics:
        for index in topic.partition_indexes:
            place = TopicPartition(topic.name, index)
            if place not in written:
                written[place] = Pending()
                broker.transactions.markers.write(place, ending, written[place].complete)
            yield
        yield


def _result(
    asked: WritableTxnMarker, written: Mapping[TopicPartition, Pending]
) -> Steps[WritableTxnMarkerResult]:
    topics = []
    for topic in asked.topics:
        rows = []
        for index in topic.partition_indexes:
            code = yield written[TopicPartition(topic.name, index)]
            rows.append(WritableTxnMarkerPartitionResult(partition_index=index, error_code=code))
        topics.append(WritableTxnMarkerTopicResult(name=topic.name, partitions=rows))
    return WritableTxnMarkerResult(producer_id=asked.producer_id, topics=topics)
