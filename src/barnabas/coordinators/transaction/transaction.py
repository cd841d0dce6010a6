"""Transaction: what is kept of a transactional id, with its producer and its present transaction.

Source: KIP-98, KIP-890; Kafka's TransactionMetadata.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

from barnabas.coordinators.transaction.transaction_states import (
    DECIDED,
    TRANSITIONS,
    TransactionInput,
    TransactionState,
)
from barnabas.types import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, TopicPartition

LAST_EPOCH = 2**15 - 2
"""The last epoch that a producer may use: there must be one more, to fence it."""
NOT_BEGUN = -1
VERSION_2 = 2
"""The version of transactions of which each has an epoch of its own (KIP-890)."""


class Producer(NamedTuple):
    """A producer id under one epoch."""

    id: int
    epoch: int

    def bumped(self) -> "Producer":
        """The same id under the next epoch."""
        return Producer(self.id, self.epoch + 1)


NOBODY = Producer(NO_PRODUCER_ID, NO_PRODUCER_EPOCH)


@dataclass(frozen=True, slots=True, kw_only=True)
class Transaction:
    """One transactional id. Times in milliseconds since the epoch; `started_ms` -1: not begun.

    `next_id` is the producer id after this transaction, where its epochs are used up, and
    `previous_id` the one that it had when the record before this one was written; -1: none.
    `client_version`: by which version of transactions its producer goes.
    """

    transactional_id: str
    producer: Producer
    previous_id: int = NO_PRODUCER_ID
    next_id: int = NO_PRODUCER_ID
    timeout_ms: int
    state: TransactionState
    partitions: frozenset[TopicPartition] = frozenset()
    updated_ms: int
    started_ms: int = NOT_BEGUN
    client_version: int = 0

    @property
    def is_used_up(self) -> bool:
        """Whether there is no further epoch for its producer id."""
        return self.producer.epoch >= LAST_EPOCH

    @property
    def is_decided(self) -> bool:
        """Whether markers have to be written."""
        return self.state in DECIDED

    def after(self, happened: TransactionInput, now: int, **changes: object) -> "Transaction":
        """What it is next; a move that is not in the table is our mistake."""
        values: dict[str, object] = {
            "previous_id": self.producer.id,
            "updated_ms": now,
            "state": TRANSITIONS[self.state][happened],
            **changes,
        }
        return replace(self, **values)  # type: ignore[arg-type]  # the names are its own
