"""A producer comes, or comes again: which id and epoch it gets, and whom it fences.

Functions of what is known and the time. Source: KIP-98, KIP-360, KIP-588, KIP-890;
Kafka's TransactionCoordinator (prepareInitProducerIdTransit) and TransactionMetadata.
"""

from collections.abc import Callable
from typing import NamedTuple

from barnabas.coordinators.transaction.transaction import (
    LAST_EPOCH,
    NOBODY,
    NOT_BEGUN,
    Producer,
    Transaction,
)
from barnabas.coordinators.transaction.transaction_states import TransactionInput, TransactionState
from barnabas.errors import ErrorCode
from barnabas.types import NO_PRODUCER_EPOCH


class Initiation(NamedTuple):
    """A producer's wish to begin. `expected`: what it had, if it wants to go on; else NOBODY."""

    transactional_id: str
    timeout_ms: int
    expected: Producer = NOBODY


class Initiated(NamedTuple):
    """What the producer is told, what is kept of it (None: nothing new), and whom that replaced.

    `before` is the epoch that this same producer had; -1 where it was another one. It may ask for
    its bump again if the answer was lost. `fences`: a transaction is open and has to be fenced.
    """

    error: ErrorCode
    producer: Producer = NOBODY
    next: Transaction | None = None
    before: int = NO_PRODUCER_EPOCH
    fences: bool = False


def initiate(
    known: Transaction | None,
    asked: Initiation,
    before: int,
    new_id: Callable[[], int],
    now: int,
) -> Initiated:
    """Give a producer its id and epoch; `before` is the one that it had until its last bump.

    While a transaction is open it is told to ask again when that is fenced.
    """
    if known is None:
        first = Transaction(
            transactional_id=asked.transactional_id,
            producer=Producer(new_id(), 0),
            timeout_ms=asked.timeout_ms,
            state=TransactionState.EMPTY,
            updated_ms=now,
        )
        kept = first.after(TransactionInput.INITIATED, now)
        return Initiated(ErrorCode.NONE, first.producer, kept)
    expected = asked.expected
    if expected != NOBODY and not _may_go_on(known, expected):
        return Initiated(ErrorCode.PRODUCER_FENCED)
    if known.state is TransactionState.ONGOING:
        return Initiated(ErrorCode.CONCURRENT_TRANSACTIONS, fences=True)
    if known.is_decided:
        return Initiated(ErrorCode.CONCURRENT_TRANSACTIONS)
    own = expected.epoch == known.producer.epoch
    if known.is_used_up and (expected == NOBODY or own):
        producer = Producer(new_id(), 0)
    elif expected == NOBODY or own:
        producer = known.producer.bumped()
    elif expected.epoch == before:
        producer = known.producer
        own = True
    else:
        return Initiated(ErrorCode.PRODUCER_FENCED)
    kept = known.after(
        TransactionInput.INITIATED,
        now,
        producer=producer,
        timeout_ms=asked.timeout_ms,
        partitions=frozenset(),
        started_ms=NOT_BEGUN,
    )
    return Initiated(ErrorCode.NONE, producer, kept, expected.epoch if own else NO_PRODUCER_EPOCH)


def _may_go_on(known: Transaction, expected: Producer) -> bool:
    """Whether a producer that names its id is the one that is known, or was before a new id."""
    if expected.id == known.producer.id:
        return True
    return expected.id == known.previous_id and expected.epoch >= LAST_EPOCH
