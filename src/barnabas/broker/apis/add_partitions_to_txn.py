"""AddPartitionsToTxn (key 24): partitions take part in a transaction (KIP-98).

Does: adds all partitions or none; since version 4 for several transactions, or only says whether
    partitions take part (KIP-890). Answers when it is written, and at once where nothing is asked.
Refuses: partitions that there are not, and up to version 3, which clients send, those that coordinators
    keep things in; the others are then not attempted.
Versions: 2 PRODUCER_FENCED · 4 several transactions, verification · 5 TRANSACTION_ABORTABLE
"""

from collections.abc import Callable, Mapping
from functools import partial

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.stepping import Steps, grown, grown_in_steps, in_steps
from barnabas.coordinators.internal_topics import INTERNAL_TOPICS
from barnabas.coordinators.transaction.adding import AddRequest
from barnabas.coordinators.transaction.transaction import VERSION_2, ProducerIdAndEpoch
from barnabas.errors import BrokerError, ErrorCode, StorageError
from barnabas.protocol.add_partitions_to_txn import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnResult,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTopicResult,
    AddPartitionsToTxnTransaction,
)
from barnabas.types import TopicPartition
from barnabas.versions import VersionTable

_SEVERAL = VersionTable({0: False, 4: True})
_VERSION = VersionTable({0: 0, 4: VERSION_2})
_FENCED = VersionTable({0: ErrorCode.INVALID_PRODUCER_EPOCH, 2: ErrorCode.PRODUCER_FENCED})

_Codes = Mapping[TopicPartition, ErrorCode]


@in_steps
def handle(
    broker: Broker, context: RequestContext, request: AddPartitionsToTxnRequest
) -> Steps[AddPartitionsToTxnResponse]:
    """Add them; up to version 3 there is one transaction, in another shape."""
    several = _SEVERAL[context.api_version]
    asked = request.transactions if several else [_only(request)]
    added: list[Pending] = []
    for one in asked:
        added.append(Pending())
        yield from _add(broker, context, one, added[-1].complete)
        yield
    if not several:
        rows = yield from _rows(asked[0], (yield added[0]))
        return AddPartitionsToTxnResponse(results_by_topic_v3_and_below=rows)
    results = yield from grown_in_steps(zip(asked, added, strict=True), _result)
    return AddPartitionsToTxnResponse(results_by_transaction=results)


def _add(
    broker: Broker,
    context: RequestContext,
    one: AddPartitionsToTxnTransaction,
    done: Callable[[_Codes], None],
) -> Steps[None]:
    places: list[TopicPartition] = []
    refused: dict[TopicPartition, ErrorCode] = {}
    may_be_internal = _SEVERAL[context.api_version]
    for topic in one.topics:
        for index in topic.partitions:
            places.append(TopicPartition(topic.name, index))
            code = _refusal(broker, places[-1], may_be_internal=may_be_internal)
            if code:
                refused[places[-1]] = code
            yield
        yield
    if refused:
        done(dict.fromkeys(places, ErrorCode.OPERATION_NOT_ATTEMPTED) | refused)
        return
    fenced = _FENCED[context.api_version]

    def respond(code: ErrorCode) -> None:
        code = fenced if code is ErrorCode.PRODUCER_FENCED else code
        done(dict.fromkeys(places, code))

    if not one.transactional_id:
        respond(ErrorCode.INVALID_REQUEST)
        return
    producer = ProducerIdAndEpoch(one.producer_id, one.producer_epoch)
    version = _VERSION[context.api_version]
    addition = AddRequest(one.transactional_id, producer, frozenset(places), version)
    try:
        if one.verify_only:
            done(broker.transactions.verify(addition))
        else:
            broker.transactions.add(addition, respond)
    except (BrokerError, StorageError) as error:
        respond(error.code)


def _refusal(broker: Broker, place: TopicPartition, *, may_be_internal: bool) -> ErrorCode:
    if place.topic in INTERNAL_TOPICS and not may_be_internal:
        return ErrorCode.TOPIC_AUTHORIZATION_FAILED
    topic = broker.topics.get(place.topic)
    is_there = topic is not None and place.partition in topic.partitions
    return ErrorCode.NONE if is_there else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def _only(request: AddPartitionsToTxnRequest) -> AddPartitionsToTxnTransaction:
    return AddPartitionsToTxnTransaction(
        transactional_id=request.v3_and_below_transactional_id,
        producer_id=request.v3_and_below_producer_id,
        producer_epoch=request.v3_and_below_producer_epoch,
        topics=[
            AddPartitionsToTxnTopic(name=one.name, partitions=one.partitions)
            for one in request.v3_and_below_topics
        ],
    )


def _result(
    added: tuple[AddPartitionsToTxnTransaction, Pending],
) -> Steps[AddPartitionsToTxnResult]:
    asked, codes = added
    rows = yield from _rows(asked, (yield codes))
    return AddPartitionsToTxnResult(transactional_id=asked.transactional_id, topic_results=rows)


def _rows(
    asked: AddPartitionsToTxnTransaction, codes: _Codes
) -> Steps[list[AddPartitionsToTxnTopicResult]]:
    def row(name: str, index: int) -> AddPartitionsToTxnPartitionResult:
        code = codes[TopicPartition(name, index)]
        return AddPartitionsToTxnPartitionResult(partition_index=index, partition_error_code=code)

    def of_topic(topic: AddPartitionsToTxnTopic) -> Steps[AddPartitionsToTxnTopicResult]:
        rows = yield from grown(topic.partitions, partial(row, topic.name))
        return AddPartitionsToTxnTopicResult(name=topic.name, results_by_partition=rows)

    return (yield from grown_in_steps(asked.topics, of_topic))
