"""Transactional records: appended only if the coordinator has the partition (KIP-890).

Producers of transactions version 1 have added it before; those of version 2 add it by producing.
Otherwise, records that arrive after their transaction has ended would leave one open for ever.
"""

from collections.abc import Mapping
from typing import NamedTuple

from barnabas.broker.broker import Broker
from barnabas.broker.replicas.append_errors import refused
from barnabas.coordinators.transaction.adding import AddRequest
from barnabas.coordinators.transaction.transaction import VERSION_2, ProducerIdAndEpoch
from barnabas.errors import BrokerError, DecodeError, ErrorCode, StorageError
from barnabas.protocol.produce import PartitionProduceResponse, ProduceRequest
from barnabas.records.batches.batch import MAGIC_AT, BatchHeader, read_header
from barnabas.types import TopicPartition
from barnabas.versions import VersionTable
from barnabas.wire.send import RecordData


class ClientSupport(NamedTuple):
    """What a client of some version understands: that it shall abort, and that producing adds."""

    knows_abortable: bool
    adds: bool


_SUPPORT = VersionTable(
    {
        0: ClientSupport(knows_abortable=False, adds=False),
        11: ClientSupport(knows_abortable=True, adds=False),
        12: ClientSupport(knows_abortable=True, adds=True),
    }
)
"""By version of Produce. Source: KIP-890."""


_ABORTABLE = frozenset({ErrorCode.TRANSACTION_ABORTABLE, ErrorCode.INVALID_TXN_STATE})
"""The latter from coordinators of before version 5 of AddPartitionsToTxn."""
_PASSING = frozenset(
    {
        ErrorCode.CONCURRENT_TRANSACTIONS,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.NETWORK_EXCEPTION,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    }
)
"""What the coordinator, or the next one, may not answer a moment later. It may not know a topic yet."""


class CoordinatorQuery(NamedTuple):
    """What the coordinator of a transaction is asked: whether partitions take part, or to add them."""

    transactional_id: str
    producer: ProducerIdAndEpoch
    partitions: frozenset[TopicPartition]
    support: ClientSupport


class CheckedRequest(NamedTuple):
    """Which records of a request are surely not to be taken, and which the coordinator decides on.

    Both by the place of a partition in the request.
    """

    refusals: dict[int, PartitionProduceResponse]
    unverified: dict[int, TopicPartition]
    question: CoordinatorQuery | None


def refused_in_transaction(
    broker: Broker, request: ProduceRequest, version: int
) -> Mapping[int, PartitionProduceResponse]:
    """Which records of a request with a transactional id are not to be taken, by their place.

    The broker is alone, so that it is the coordinator.
    """
    judged = judge(broker, request, version)
    if judged.question is None:
        return judged.refusals
    return {**judged.refusals, **refusals_of(judged, admit(broker, judged.question))}


def judge(broker: Broker, request: ProduceRequest, version: int) -> CheckedRequest:
    """Decide what can be decided about a request with a transactional id without its coordinator."""
    support = _SUPPORT[version]
    assert request.transactional_id is not None
    verifies = support.adds or broker.config.transaction_partition_verification_enable
    refusals: dict[int, PartitionProduceResponse] = {}
    unverified: dict[int, TopicPartition] = {}
    producers: dict[ProducerIdAndEpoch, None] = {}
    every = [(topic, one) for topic in request.topic_data for one in topic.partition_data]
    for number, (topic, one) in enumerate(every):
        header = _header(one.records)
        partition = broker.replicas.find_requested(topic.name, topic.topic_id, one.index)
        if header is None or partition is None or not header.transactional:
            continue
        if partition.role is not None and not partition.role.leads:
            continue  # The append says so, and the transaction is not to have the partition.
        producer = ProducerIdAndEpoch(header.producer_id, header.producer_epoch)
        producers[producer] = None
        known = partition.log.producers
        if known.is_in_transaction(*producer):
            continue
        if verifies and known.is_past(*producer):
            # Whatever the coordinator would say: the transactional id may be another producer's.
            refusals[number] = refused(one.index, ErrorCode.INVALID_PRODUCER_EPOCH)
        else:
            unverified[number] = partition.log.topic_partition
    if len(producers) > 1 and len({one.id for one in producers}) > 1:
        code = ErrorCode.INVALID_PRODUCER_ID_MAPPING
        message = "a request has records of one producer's transaction"
        refusals = {
            number: refused(one.index, code, message) for number, (_, one) in enumerate(every)
        }
        return CheckedRequest(refusals, {}, None)
    if not unverified:
        return CheckedRequest(refusals, {}, None)
    partitions = frozenset(unverified.values())
    question = CoordinatorQuery(
        request.transactional_id, next(iter(producers)), partitions, support
    )
    return CheckedRequest(refusals, unverified, question)


def refusals_of(
    judged: CheckedRequest, codes: Mapping[TopicPartition, ErrorCode]
) -> dict[int, PartitionProduceResponse]:
    """The answers for the partitions that the coordinator has refused."""
    return {
        number: refused(place.partition, codes[place], _message(codes[place]))
        for number, place in judged.unverified.items()
        if codes[place]
    }


def admit(broker: Broker, question: CoordinatorQuery) -> Mapping[TopicPartition, ErrorCode]:
    """Whether a producer may write to partitions in its transaction, which this broker coordinates.

    They may be added by that.
    """
    transactional_id, producer, partitions, support = question
    asked = AddRequest(transactional_id, producer, partitions, VERSION_2)
    try:
        if support.adds:
            codes: Mapping[TopicPartition, ErrorCode] = dict.fromkeys(
                partitions, broker.transactions.add_at_once(asked)
            )
        elif broker.config.transaction_partition_verification_enable:
            codes = broker.transactions.verify(asked)
        else:
            return dict.fromkeys(partitions, ErrorCode.NONE)
    except (BrokerError, StorageError) as error:
        codes = dict.fromkeys(partitions, error.code)
    return codes_for_client(codes, support)


def codes_for_client(
    codes: Mapping[TopicPartition, ErrorCode], support: ClientSupport
) -> Mapping[TopicPartition, ErrorCode]:
    """What the coordinator has answered, as a client of some version makes the right thing of it."""
    if any(codes.values()):
        return {place: _code_for(code, support) for place, code in codes.items()}
    return codes


def _code_for(code: ErrorCode, support: ClientSupport) -> ErrorCode:
    if code is ErrorCode.PRODUCER_FENCED:
        return ErrorCode.INVALID_PRODUCER_EPOCH
    if code in _ABORTABLE:
        is_known = support.knows_abortable
        return ErrorCode.TRANSACTION_ABORTABLE if is_known else ErrorCode.INVALID_TXN_STATE
    if code is ErrorCode.CONCURRENT_TRANSACTIONS and support.adds:
        return code
    if code in _PASSING:
        # It makes every client try again, without asking for the cluster's metadata.
        return ErrorCode.NOT_ENOUGH_REPLICAS
    return code


def _message(code: ErrorCode) -> str | None:
    if code is ErrorCode.INVALID_TXN_STATE:
        return "the partition was not added to the transaction"
    return None


def _header(records: RecordData | None) -> BatchHeader | None:
    if not isinstance(records, memoryview) or len(records) <= MAGIC_AT:
        return None
    try:
        return read_header(records)
    except DecodeError:
        return None  # the append says what is wrong with it
