"""The end of a transaction: requests, decisions on behalf of producers, and the results.

Functions of the state and the time. Source: KIP-98, KIP-890; Kafka's TransactionCoordinator
(endTransaction) and TransactionMetadata (prepareAbortOrCommit, prepareComplete).
"""

from collections.abc import Callable
from typing import NamedTuple

from barnabas.coordinators.transaction.transaction import (
    LAST_EPOCH,
    NOBODY,
    VERSION_2,
    ProducerIdAndEpoch,
    Transaction,
)
from barnabas.coordinators.transaction.transaction_states import (
    ABORTED,
    COMMITTED,
    COMPLETE,
    COMPLETE_ABORT,
    COMPLETE_COMMIT,
    MARKED,
    ONGOING,
    PREPARE_ABORT,
    PREPARE_COMMIT,
)
from barnabas.errors import ErrorCode
from barnabas.types import NO_PRODUCER_ID, TopicPartition

_OUTCOMES = {
    True: (PREPARE_COMMIT, COMPLETE_COMMIT),
    False: (PREPARE_ABORT, COMPLETE_ABORT),
}
_NO_PARTITIONS: frozenset[TopicPartition] = frozenset()


class EndRequest(NamedTuple):
    """A producer's request to end its transaction. `version`: of transactions."""

    transactional_id: str
    producer: ProducerIdAndEpoch
    commit: bool
    version: int

    @property
    def has_own_epoch(self) -> bool:
        """Whether it bumps the epoch of its producer (KIP-890)."""
        return self.version >= VERSION_2


class EndResult(NamedTuple):
    """The response to the producer, with its id and epoch from now on; and the decision, if new."""

    error: ErrorCode
    producer: ProducerIdAndEpoch = NOBODY
    next: Transaction | None = None


def end(
    known: Transaction | None, request: EndRequest, new_id: Callable[[], int], now: int
) -> EndResult:
    """Decide a transaction as its producer wants."""
    if known is None:
        return EndResult(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
    if request.has_own_epoch:
        return _end_2(known, request, new_id, now)
    if known.producer.id != request.producer.id:
        return EndResult(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
    if known.producer.epoch != request.producer.epoch:
        return EndResult(ErrorCode.PRODUCER_FENCED)
    if known.state is ONGOING:
        decided = _decided(known, request, known.producer, NO_PRODUCER_ID, now)
        return EndResult(ErrorCode.NONE, known.producer, decided)
    return _ended_before(known, commit=request.commit)


def _ended_before(known: Transaction, *, commit: bool) -> EndResult:
    """The response if the decision was made already."""
    prepared, complete = _OUTCOMES[commit]
    if known.state is complete:
        return EndResult(ErrorCode.NONE, known.producer)
    again = known.state is prepared
    return EndResult(ErrorCode.CONCURRENT_TRANSACTIONS if again else ErrorCode.INVALID_TXN_STATE)


def _end_2(
    known: Transaction, request: EndRequest, new_id: Callable[[], int], now: int
) -> EndResult:
    """Each end has a new epoch, which distinguishes a repeated request from the next end."""
    bumped = known.producer == request.producer.bumped()
    replaced = (
        known.previous_id == request.producer.id
        and request.producer.epoch == LAST_EPOCH
        and known.producer.epoch == 0
    )
    if known.producer.id != request.producer.id and not replaced:
        return EndResult(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
    complete = known.state in COMPLETE
    if (bumped and known.is_decided) or (complete and (bumped or replaced)):
        return _ended_before(known, commit=request.commit)
    if known.is_decided or known.producer != request.producer:
        return EndResult(ErrorCode.PRODUCER_FENCED)
    if known.state is not ONGOING and request.commit:
        return EndResult(ErrorCode.INVALID_TXN_STATE)
    decided = _decided_2(known, request, new_id, now)
    return EndResult(ErrorCode.NONE, _next_producer(decided), decided)


def _decided(
    known: Transaction, request: EndRequest, producer: ProducerIdAndEpoch, next_id: int, now: int
) -> Transaction:
    return known.after(
        COMMITTED if request.commit else ABORTED,
        now,
        producer=producer,
        next_id=next_id,
        started_ms=known.started_ms if known.state is ONGOING else now,
        client_version=request.version,
    )


def _decided_2(
    known: Transaction, request: EndRequest, new_id: Callable[[], int], now: int
) -> Transaction:
    next_id = new_id() if known.is_used_up else NO_PRODUCER_ID
    return _decided(known, request, known.producer.bumped(), next_id, now)


def fence(known: Transaction, version: int, new_id: Callable[[], int], now: int) -> Transaction:
    """Abort an open transaction under an epoch that its producer does not know.

    `version`: the cluster's version of transactions. From 2 on it ends like any other transaction,
    whatever the client uses, so that the producer gets a new id when its epochs are used up.
    """
    request = EndRequest(known.transactional_id, known.producer, commit=False, version=version)
    if request.has_own_epoch:
        return _decided_2(known, request, new_id, now)
    return _decided(known, request, known.producer.bumped(), NO_PRODUCER_ID, now)


def completed(known: Transaction, now: int) -> Transaction:
    """All markers are written."""
    return known.after(
        MARKED,
        now,
        producer=_next_producer(known),
        next_id=NO_PRODUCER_ID,
        partitions=_NO_PARTITIONS,
    )


def _next_producer(decided: Transaction) -> ProducerIdAndEpoch:
    """The producer id and epoch after this transaction."""
    return (
        decided.producer
        if decided.next_id == NO_PRODUCER_ID
        else ProducerIdAndEpoch(decided.next_id, 0)
    )
