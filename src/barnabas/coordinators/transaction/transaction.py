"""Transaction: the state of a transactional id, with its producer and its current transaction.

Source: KIP-98, KIP-890; Kafka's TransactionMetadata.
"""

from typing import NamedTuple

from barnabas.coordinators.transaction.transaction_states import (
    DECIDED,
    TRANSITIONS,
    TransactionInput,
    TransactionState,
)
from barnabas.types import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, TopicPartition, new_tuple

LAST_EPOCH = 2**15 - 2
"""The last epoch that a producer may use: there must be one more, to fence it."""
NOT_BEGUN = -1
VERSION_2 = 2
"""The version of transactions of which each has an epoch of its own (KIP-890)."""


class ProducerIdAndEpoch(NamedTuple):
    """A producer id under one epoch."""

    id: int
    epoch: int

    def bumped(self) -> "ProducerIdAndEpoch":
        """The same id under the next epoch."""
        return new_tuple(ProducerIdAndEpoch, (self.id, self.epoch + 1))


NOBODY = ProducerIdAndEpoch(NO_PRODUCER_ID, NO_PRODUCER_EPOCH)


class Transaction(NamedTuple):
    """One transactional id. Times in milliseconds since the epoch; `started_ms` -1: not started.

    `next_id` is the producer id after this transaction, if its epochs are used up, and
    `previous_id` the one before this record; -1: none. `client_version`: its producer's version of
    transactions.
    """

    transactional_id: str
    producer: ProducerIdAndEpoch
    timeout_ms: int
    state: TransactionState
    updated_ms: int
    partitions: frozenset[TopicPartition] = frozenset()
    previous_id: int = NO_PRODUCER_ID
    next_id: int = NO_PRODUCER_ID
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

    def after(  # noqa: PLR0913 - all but two by name
        self,
        happened: TransactionInput,
        now: int,
        *,
        producer: ProducerIdAndEpoch | None = None,
        next_id: int | None = None,
        timeout_ms: int | None = None,
        partitions: frozenset[TopicPartition] | None = None,
        started_ms: int | None = None,
        client_version: int | None = None,
    ) -> "Transaction":
        """The next state, with changes; a transition that is not in the table is a bug."""
        # All in one go: `_replace` takes several times as long, and there are three in a transaction.
        (
            transactional_id, was, timeout_before, state, _, partitions_before, _, next_before,
            started_before, version_before,
        ) = self  # fmt: skip
        return new_tuple(
            Transaction,
            (
                transactional_id,
                was if producer is None else producer,
                timeout_before if timeout_ms is None else timeout_ms,
                TRANSITIONS[state][happened],
                now,
                partitions_before if partitions is None else partitions,
                was.id,
                next_before if next_id is None else next_id,
                started_before if started_ms is None else started_ms,
                version_before if client_version is None else client_version,
            ),
        )
