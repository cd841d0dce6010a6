"""TxnOffsetCommit (key 28): keep positions of a group if a transaction commits (KIP-98).

Does: keeps them pending until the marker comes; members are checked where they are named (KIP-447).
    The group's partition must take part in the transaction, since version 5 this makes it.
Refuses: offsets of no transaction that is open.
Versions: 2 leader epochs · 3 members · 4 TRANSACTION_ABORTABLE · 5 adds to the transaction (KIP-890)
    6 topic ids
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.stepping import Steps, each, in_steps
from barnabas.broker.requests.transactional_produce import ClientSupport, CoordinatorQuery, admit
from barnabas.coordinators.classic_group.member import Identity
from barnabas.coordinators.offsets.commit import Commit
from barnabas.coordinators.offsets.offset_records import OffsetAndMetadata
from barnabas.coordinators.transaction.transaction import ProducerIdAndEpoch
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitResponse,
    TxnOffsetCommitResponsePartition,
    TxnOffsetCommitResponseTopic,
)
from barnabas.types import Topic, TopicPartition
from barnabas.versions import VersionTable

_BY_ID = VersionTable({0: False, 6: True})
_SUPPORT = VersionTable(
    {
        0: ClientSupport(knows_abortable=False, adds=False),
        4: ClientSupport(knows_abortable=True, adds=False),
        5: ClientSupport(knows_abortable=True, adds=True),
    }
)


@in_steps
def handle(
    broker: Broker, context: RequestContext, request: TxnOffsetCommitRequest
) -> Steps[TxnOffsetCommitResponse]:
    """Save the offsets of existing partitions; the others get an error."""
    by_id = _BY_ID[context.api_version]
    topics = [
        broker.topics.by_id(asked.topic_id) if by_id else broker.topics.get(asked.name)
        for asked in request.topics
    ]
    missing = ErrorCode.UNKNOWN_TOPIC_ID if by_id else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    offsets = yield from _offsets(broker, request, topics)
    codes: Mapping[TopicPartition, ErrorCode] = {}
    if offsets:
        outcome = yield from _commit(broker, context, request, offsets)
        codes = (yield outcome) if isinstance(outcome, Pending) else outcome
    return (yield from _response(request, topics, codes, missing))


def _commit(
    broker: Broker,
    context: RequestContext,
    request: TxnOffsetCommitRequest,
    offsets: Mapping[TopicPartition, OffsetAndMetadata],
) -> Steps[Any]:
    """The code of each, or a Pending of that; they are kept or refused as one batch."""
    commit = Commit(
        request.group_id,
        Identity(request.member_id, request.group_instance_id),
        request.generation_id_or_member_epoch,
        offsets,
        ErrorCode.ILLEGAL_GENERATION,
        in_transaction=True,
    )
    try:
        producer = ProducerIdAndEpoch(request.producer_id, request.producer_epoch)
        code = yield from _admission(broker, request, producer, _SUPPORT[context.api_version])
        if code:
            return dict.fromkeys(offsets, code)
        return broker.offsets.commit(commit, dict, producer)
    except BrokerError as error:
        return dict.fromkeys(offsets, error.code)


def _admission(
    broker: Broker,
    request: TxnOffsetCommitRequest,
    producer: ProducerIdAndEpoch,
    support: ClientSupport,
) -> Steps[ErrorCode]:
    if not request.group_id:
        return ErrorCode.INVALID_GROUP_ID
    partition = broker.groups.of(request.group_id).partition
    if partition.log.producers.is_in_transaction(*producer):
        return ErrorCode.NONE
    place = partition.log.topic_partition
    question = CoordinatorQuery(request.transactional_id, producer, frozenset({place}), support)
    codes: Mapping[TopicPartition, ErrorCode]
    if broker.member is None:
        codes = admit(broker, question)
    else:
        # Imported late: a broker that is alone needs none of it.
        from barnabas.broker.requests.verified_produce import ask

        codes = yield ask(broker, question)
    if codes[place] is ErrorCode.NOT_ENOUGH_REPLICAS:
        return ErrorCode.COORDINATOR_NOT_AVAILABLE
    return codes[place]


def _offsets(
    broker: Broker, request: TxnOffsetCommitRequest, topics: list[Topic | None]
) -> Steps[dict[TopicPartition, OffsetAndMetadata]]:
    now_ms = broker.clock.time_ms()
    offsets: dict[TopicPartition, OffsetAndMetadata] = {}
    for asked, topic in zip(request.topics, topics, strict=True):
        for one in asked.partitions:
            if topic is not None and one.partition_index in topic.partitions:
                offsets[TopicPartition(topic.name, one.partition_index)] = OffsetAndMetadata(
                    one.committed_offset,
                    one.committed_leader_epoch,
                    one.committed_metadata or "",
                    now_ms,
                    topic_id=topic.topic_id,
                )
            yield
    return offsets


def _response(
    request: TxnOffsetCommitRequest,
    topics: list[Topic | None],
    codes: Mapping[TopicPartition, ErrorCode],
    missing: ErrorCode,
) -> Steps[TxnOffsetCommitResponse]:
    def row(
        topic: Topic | None, asked: TxnOffsetCommitRequestPartition
    ) -> TxnOffsetCommitResponsePartition:
        index, code = asked.partition_index, missing
        if topic is not None:
            there = TopicPartition(topic.name, index)
            code = codes.get(there, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        return TxnOffsetCommitResponsePartition(partition_index=index, error_code=code)

    answers = []
    for asked, topic in zip(request.topics, topics, strict=True):
        rows = yield from each(asked.partitions, partial(row, topic))
        if rows:
            answers.append(
                TxnOffsetCommitResponseTopic(
                    name=asked.name, topic_id=asked.topic_id, partitions=rows
                )
            )
    return TxnOffsetCommitResponse(topics=answers)
