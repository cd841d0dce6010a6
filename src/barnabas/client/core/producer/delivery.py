"""The results of sent records: outcomes per batch, and a user's view of one record."""

from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass
from typing import Any, Protocol

from barnabas.errors import KafkaError
from barnabas.types import TopicPartition


@dataclass(frozen=True, slots=True)
class RecordMetadata:
    """The position of a record, and its timestamp in milliseconds since the epoch.

    `offset` is -1 if no broker returned it: with acks=0, or for a duplicate of a stored record.
    """

    topic: str
    partition: int
    offset: int
    timestamp: int


@dataclass(frozen=True, slots=True)
class StoredBatch:
    """A batch is in the log. -1: the offset is unknown; no append time, so the record's own applies."""

    base_offset: int = -1
    append_time: int = -1


@dataclass(frozen=True, slots=True)
class FailedBatch:
    """A batch is not in the log, or its state is unknown (`may_be_stored` of the error)."""

    error: KafkaError


Outcome = StoredBatch | FailedBatch


class Sent(Protocol):
    """A queued record, returned by `send` of the sync producer."""

    def done(self) -> bool:
        """Whether it is stored or has failed."""
        ...

    def result(self, timeout_s: float | None = None) -> RecordMetadata:
        """Wait until it is stored, for up to `timeout_s` seconds; return its position.

        Raises:
            RequestTimeout: the outcome is not known yet.
            KafkaError: it was not delivered.
        """
        ...


class SentAsync(Protocol):
    """A queued record, returned by `send` of the asyncio producer: await it."""

    def done(self) -> bool:
        """Whether it is stored or has failed."""
        ...

    def __await__(self) -> Generator[Any, None, RecordMetadata]: ...


class DeliverySource(Protocol):
    """A source of outcomes: a batch, see `producer_batch`."""

    def done(self, index: int) -> bool:
        """Whether the record `index` has an outcome."""
        ...

    def when_record_settled(self, index: int, callback: Callable[[], None]) -> None:
        """Call when that may have changed."""
        ...


class DeliveryWaiter(Protocol):
    """How one kind of client waits for the outcome of a record."""

    def block(self, batch: DeliverySource, index: int, timeout_s: float | None) -> None:
        """Block this thread until the record has an outcome."""
        ...

    def wait(self, batch: DeliverySource, index: int) -> Awaitable[None]:
        """Return when the record has an outcome."""
        ...


def failure_of(where: TopicPartition, count: int, error: KafkaError) -> str:
    """Describe a failed batch in one line."""
    many = "1 record was" if count == 1 else f"{count} records were"
    what = "not acknowledged" if error.may_be_stored else "not delivered"
    return f"{where.topic}-{where.partition}: {many} {what}: {error}"
