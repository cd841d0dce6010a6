"""Records of a transaction: accepted only if the coordinator knows the partition (KIP-890).

Producers of transactions version 1 have added it before; those of version 2 add it by producing.
Otherwise, records that arrive after their transaction has ended would leave one open for ever.
"""

from collections.abc import Mapping
from typing import NamedTuple

from barnabas.broker.broker import Broker
from barnabas.broker.replicas.refusals import refused
from barnabas.coordinators.transaction.adding import Addition
from barnabas.coordinators.transaction.transaction import VERSION_2, ProducerIdAndEpoch
from barnabas.errors import BrokerError, DecodeError, ErrorCode, StorageError
from barnabas.protocol.produce import PartitionProduceResponse, ProduceRequest
from barnabas.records.batches.batch import MAGIC_AT, BatchHeader, read_header
from barnabas.types import TopicPartition
from barnabas.versions import VersionTable
from barnabas.wire.send import RecordData


class Support(NamedTuple):
    """What a client of some version understands: that it shall abort, and that producing adds."""

    told_to_abort: bool
    adds: bool


_SUPPORT = VersionTable(
    {
        0: Support(told_to_abort=False, adds=False),
        11: Support(told_to_abort=True, adds=False),
        12: Support(told_to_abort=True, adds=True),
    }
)
"""By version of Produce. Source: KIP-890."""


def refused_in_transaction(
    broker: Broker, request: ProduceRequest, version: int
) -> Mapping[int, PartitionProduceResponse]:
    """Which records of a request with a transactional id are not to be taken, by their place."""
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
        return {number: refused(one.index, code, message) for number, (_, one) in enumerate(every)}
    if not unverified:
        return refusals
    producer = next(iter(producers))
    codes = admit(
        broker, request.transactional_id, producer, frozenset(unverified.values()), support
    )
    for number, place in unverified.items():
        if codes[place]:
            refusals[number] = refused(place.partition, codes[place], _message(codes[place]))
    return refusals


def admit(
    broker: Broker,
    transactional_id: str,
    producer: ProducerIdAndEpoch,
    partitions: frozenset[TopicPartition],
    support: Support,
) -> Mapping[TopicPartition, ErrorCode]:
    """Whether a producer may write to partitions in its transaction; they may be added by that.

    A member of a cluster that is not the coordinator takes the producer's word, as Kafka's brokers before
    3.6 do: transactions version 2, where producing adds partitions, are not for members.
    """
    if broker.member is not None and not broker.transactions.coordinates(transactional_id):
        code = ErrorCode.TRANSACTION_ABORTABLE if support.adds else ErrorCode.NONE
        return dict.fromkeys(partitions, code)
    asked = Addition(transactional_id, producer, partitions, VERSION_2)
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
    if any(codes.values()):
        return {place: _code_for(code, support) for place, code in codes.items()}
    return codes


def _code_for(code: ErrorCode, support: Support) -> ErrorCode:
    """What a client of some version makes the right thing of."""
    if code is ErrorCode.PRODUCER_FENCED:
        return ErrorCode.INVALID_PRODUCER_EPOCH
    if code is ErrorCode.TRANSACTION_ABORTABLE and not support.told_to_abort:
        return ErrorCode.INVALID_TXN_STATE
    if code is ErrorCode.CONCURRENT_TRANSACTIONS and support.adds:
        return code
    if code in (ErrorCode.CONCURRENT_TRANSACTIONS, ErrorCode.COORDINATOR_NOT_AVAILABLE):
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
