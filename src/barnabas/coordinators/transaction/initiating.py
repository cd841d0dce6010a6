"""InitProducerId: the id and epoch of a producer, and which producer it fences.

Functions of the state and the time. Source: KIP-98, KIP-360, KIP-588, KIP-890; Kafka's
TransactionCoordinator (prepareInitProducerIdTransit) and TransactionMetadata.
"""

from collections.abc import Callable
from typing import NamedTuple

from barnabas.coordinators.transaction.transaction import (
    LAST_EPOCH,
    NOBODY,
    NOT_BEGUN,
    ProducerIdAndEpoch,
    Transaction,
)
from barnabas.coordinators.transaction.transaction_states import TransactionInput, TransactionState
from barnabas.errors import ErrorCode
from barnabas.types import NO_PRODUCER_EPOCH


class InitRequest(NamedTuple):
    """An InitProducerId request.

    `expected`: the current id and epoch, to continue; otherwise NOBODY.
    """

    transactional_id: str
    timeout_ms: int
    expected: ProducerIdAndEpoch = NOBODY


class InitResult(NamedTuple):
    """The response to the producer, the new state (None: unchanged), and the replaced producer.

    `before` is the epoch that this same producer had; -1 if it was another one. It may repeat its
    bump if the response was lost. `fences`: an open transaction must be fenced first.
    """

    error: ErrorCode
    producer: ProducerIdAndEpoch = NOBODY
    next: Transaction | None = None
    before: int = NO_PRODUCER_EPOCH
    fences: bool = False


def initiate(
    known: Transaction | None,
    request: InitRequest,
    before: int,
    new_id: Callable[[], int],
    now: int,
) -> InitResult:
    """Assign an id and epoch to a producer; `before` is its epoch until its last bump.

    While a transaction is open, the response asks the producer to retry after the fencing.
    """
    if known is None:
        first = Transaction(
            transactional_id=request.transactional_id,
            producer=ProducerIdAndEpoch(new_id(), 0),
            timeout_ms=request.timeout_ms,
            state=TransactionState.EMPTY,
            updated_ms=now,
        )
        kept = first.after(TransactionInput.INITIATED, now)
        return InitResult(ErrorCode.NONE, first.producer, kept)
    expected = request.expected
    if expected != NOBODY and not _may_go_on(known, expected):
        return InitResult(ErrorCode.PRODUCER_FENCED)
    if known.state is TransactionState.ONGOING:
        return InitResult(ErrorCode.CONCURRENT_TRANSACTIONS, fences=True)
    if known.is_decided:
        return InitResult(ErrorCode.CONCURRENT_TRANSACTIONS)
    own = expected.epoch == known.producer.epoch
    if known.is_used_up and (expected == NOBODY or own):
        producer = ProducerIdAndEpoch(new_id(), 0)
    elif expected == NOBODY or own:
        producer = known.producer.bumped()
    elif expected.epoch == before:
        producer = known.producer
        own = True
    else:
        return InitResult(ErrorCode.PRODUCER_FENCED)
    kept = known.after(
        TransactionInput.INITIATED,
        now,
        producer=producer,
        timeout_ms=request.timeout_ms,
        partitions=frozenset(),
        started_ms=NOT_BEGUN,
    )
    return InitResult(ErrorCode.NONE, producer, kept, expected.epoch if own else NO_PRODUCER_EPOCH)


def _may_go_on(known: Transaction, expected: ProducerIdAndEpoch) -> bool:
    """Whether the id that a producer sends is its current one, or its previous one."""
    if expected.id == known.producer.id:
        return True
    return expected.id == known.previous_id and expected.epoch >= LAST_EPOCH
