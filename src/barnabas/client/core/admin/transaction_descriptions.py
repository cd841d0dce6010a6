"""An admin client's results about transactions, as plain values. Times are ms since 1970."""

from dataclasses import dataclass
from typing import Final

from barnabas.types import TopicPartition

TRANSACTION_STATES: Final = (
    *("Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort"),
    *("PrepareEpochFence", "Dead"),
)
"""The states of a transactional id, as brokers name them. Source: Kafka 4.3's TransactionState."""


@dataclass(frozen=True, slots=True)
class TransactionListing:
    """One transactional id of a list; `state` is Kafka's name for it, for example "Ongoing"."""

    transactional_id: str
    producer_id: int
    state: str


@dataclass(frozen=True, slots=True)
class TransactionDescription:
    """One transactional id.

    `started_ms` is None and `partitions` empty without an open transaction.
    """

    transactional_id: str
    coordinator: int
    state: str
    producer_id: int
    producer_epoch: int
    timeout_ms: int
    started_ms: int | None
    partitions: tuple[TopicPartition, ...]


@dataclass(frozen=True, slots=True)
class ActiveProducer:
    """A producer that a partition remembers; None: no sequence, coordinator or open transaction."""

    producer_id: int
    epoch: int
    last_sequence: int | None
    last_timestamp: int
    coordinator_epoch: int | None
    transaction_start: int | None


@dataclass(frozen=True, slots=True)
class HangingTransaction:
    """A transaction that is open in a partition and that no coordinator will end."""

    where: TopicPartition
    producer: ActiveProducer
    transactional_id: str | None
