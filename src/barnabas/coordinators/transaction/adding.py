"""Add partitions to a transaction, or verify that they are part of it.

Functions of the state and the time. Source: KIP-98, KIP-890; Kafka's TransactionCoordinator
(handleAddPartitionsToTransaction, handleVerifyPartitionsInTransaction).
"""

from collections.abc import Mapping
from typing import NamedTuple

from barnabas.coordinators.transaction.transaction import ProducerIdAndEpoch, Transaction
from barnabas.coordinators.transaction.transaction_states import ADDED, ONGOING
from barnabas.errors import ErrorCode
from barnabas.types import TopicPartition


class AddRequest(NamedTuple):
    """A producer's request to add partitions. `version`: of transactions."""

    transactional_id: str
    producer: ProducerIdAndEpoch
    partitions: frozenset[TopicPartition]
    version: int


class AddResult(NamedTuple):
    """The response to the producer; and the transaction with the partitions, if changed."""

    error: ErrorCode
    next: Transaction | None = None


def add(known: Transaction | None, request: AddRequest, now: int) -> AddResult:
    """Let partitions take part; the first ones begin the transaction."""
    refused = _refusal(known, request.producer)
    if known is None or refused is not None:
        return AddResult(refused or ErrorCode.INVALID_PRODUCER_ID_MAPPING)
    ongoing = known.state is ONGOING
    if ongoing and request.partitions <= known.partitions:
        return AddResult(ErrorCode.NONE)
    kept = known.after(
        ADDED,
        now,
        partitions=known.partitions | request.partitions,
        started_ms=known.started_ms if ongoing else now,
        client_version=request.version,
    )
    return AddResult(ErrorCode.NONE, kept)


def verify(known: Transaction | None, request: AddRequest) -> Mapping[TopicPartition, ErrorCode]:
    """Whether partitions take part; records for others belong to no transaction (KIP-890)."""
    refused = _refusal(known, request.producer)
    if known is None or refused is not None:
        return dict.fromkeys(request.partitions, refused or ErrorCode.INVALID_PRODUCER_ID_MAPPING)
    return {
        one: ErrorCode.NONE if one in known.partitions else ErrorCode.TRANSACTION_ABORTABLE
        for one in request.partitions
    }


def _refusal(known: Transaction | None, producer: ProducerIdAndEpoch) -> ErrorCode | None:
    if known is None or known.producer.id != producer.id:
        return ErrorCode.INVALID_PRODUCER_ID_MAPPING
    if known.producer.epoch != producer.epoch:
        return ErrorCode.PRODUCER_FENCED
    return ErrorCode.CONCURRENT_TRANSACTIONS if known.is_decided else None
