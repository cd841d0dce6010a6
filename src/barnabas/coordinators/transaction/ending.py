"""A transaction ends: what its producer asked for, what is done in its place, and what it leaves.

Functions of what is known and the time. Source: KIP-98, KIP-890; Kafka's TransactionCoordinator
(endTransaction) and TransactionMetadata (prepareAbortOrCommit, prepareComplete).
"""

from collections.abc import Callable
from typing import NamedTuple

from barnabas.coordinators.transaction.transaction import (
    LAST_EPOCH,
    NOBODY,
    VERSION_2,
    Producer,
    Transaction,
)
from barnabas.coordinators.transaction.transaction_states import (
    AT_REST,
    TransactionInput,
    TransactionState,
)
from barnabas.errors import ErrorCode
from barnabas.types import NO_PRODUCER_ID

_S = TransactionState
_OUTCOMES = {
    True: (_S.PREPARE_COMMIT, _S.COMPLETE_COMMIT),
    False: (_S.PREPARE_ABORT, _S.COMPLETE_ABORT),
}


class End(NamedTuple):
    """A producer's wish to end its transaction. `version`: of transactions, by which it goes."""

    transactional_id: str
    producer: Producer
    commit: bool
    version: int

    @property
    def has_own_epoch(self) -> bool:
        """Whether it bumps the epoch of its producer (KIP-890)."""
        return self.version >= VERSION_2


class Ended(NamedTuple):
    """What the producer is told, with what it is called from now on; and the decision, if new."""

    error: ErrorCode
    producer: Producer = NOBODY
    next: Transaction | None = None


def end(known: Transaction | None, asked: End, new_id: Callable[[], int], now: int) -> Ended:
    """Decide a transaction as its producer wants."""
    if known is None:
        return Ended(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
    if asked.has_own_epoch:
        return _end_2(known, asked, new_id, now)
    if known.producer.id != asked.producer.id:
        return Ended(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
    if known.producer.epoch != asked.producer.epoch:
        return Ended(ErrorCode.PRODUCER_FENCED)
    if known.state is _S.ONGOING:
        decided = _decided(known, asked, known.producer, NO_PRODUCER_ID, now)
        return Ended(ErrorCode.NONE, known.producer, decided)
    return _ended_before(known, commit=asked.commit)


def _ended_before(known: Transaction, *, commit: bool) -> Ended:
    """What is told of a decision that was made already."""
    prepared, complete = _OUTCOMES[commit]
    if known.state is complete:
        return Ended(ErrorCode.NONE, known.producer)
    again = known.state is prepared
    return Ended(ErrorCode.CONCURRENT_TRANSACTIONS if again else ErrorCode.INVALID_TXN_STATE)


def _end_2(known: Transaction, asked: End, new_id: Callable[[], int], now: int) -> Ended:
    """Each end has a new epoch: by that a request made again is told from the next end."""
    bumped = known.producer == asked.producer.bumped()
    replaced = (
        known.previous_id == asked.producer.id
        and asked.producer.epoch == LAST_EPOCH
        and known.producer.epoch == 0
    )
    if known.producer.id != asked.producer.id and not replaced:
        return Ended(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
    complete = known.state in AT_REST and known.state is not _S.EMPTY
    if (bumped and known.is_decided) or (complete and (bumped or replaced)):
        return _ended_before(known, commit=asked.commit)
    if known.is_decided or known.producer != asked.producer:
        return Ended(ErrorCode.PRODUCER_FENCED)
    if known.state is not _S.ONGOING and asked.commit:
        return Ended(ErrorCode.INVALID_TXN_STATE)
    decided = _decided_2(known, asked, new_id, now)
    return Ended(ErrorCode.NONE, completed(decided, now).producer, decided)


def _decided(
    known: Transaction, asked: End, producer: Producer, next_id: int, now: int
) -> Transaction:
    return known.after(
        TransactionInput.COMMITTED if asked.commit else TransactionInput.ABORTED,
        now,
        producer=producer,
        next_id=next_id,
        started_ms=known.started_ms if known.state is _S.ONGOING else now,
        client_version=asked.version,
    )


def _decided_2(known: Transaction, asked: End, new_id: Callable[[], int], now: int) -> Transaction:
    next_id = new_id() if known.is_used_up else NO_PRODUCER_ID
    return _decided(known, asked, known.producer.bumped(), next_id, now)


def fence(known: Transaction, version: int, new_id: Callable[[], int], now: int) -> Transaction:
    """Abort an open transaction under an epoch that its producer does not know.

    `version`: the cluster's of transactions. Whatever its client goes by, from 2 on it is ended like
    any other, so that its producer gets a new id where its epochs are used up.
    """
    asked = End(known.transactional_id, known.producer, commit=False, version=version)
    if asked.has_own_epoch:
        return _decided_2(known, asked, new_id, now)
    return _decided(known, asked, known.producer.bumped(), NO_PRODUCER_ID, now)


def completed(known: Transaction, now: int) -> Transaction:
    """All markers are written."""
    producer = known.producer
    if known.next_id != NO_PRODUCER_ID:
        producer = Producer(known.next_id, 0)
    return known.after(
        TransactionInput.MARKED,
        now,
        producer=producer,
        next_id=NO_PRODUCER_ID,
        partitions=frozenset(),
    )
