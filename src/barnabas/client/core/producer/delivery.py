"""What became of records that were sent: outcomes per batch, and what a user sees of one record."""

from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass
from typing import Any, Protocol

from barnabas.errors import KafkaError
from barnabas.types import TopicPartition


@dataclass(frozen=True, slots=True)
class RecordMetadata:
    """Where a record is, and its timestamp in milliseconds since the epoch.

    `offset` is -1 where no broker told it: acks=0, or a duplicate of one that was stored before.
    """

    topic: str
    partition: int
    offset: int
    timestamp: int


@dataclass(frozen=True, slots=True)
class Stored:
    """A batch is in the log. -1: no broker told the offset; no append time, so the record's own."""

    base_offset: int = -1
    append_time: int = -1


@dataclass(frozen=True, slots=True)
class Failed:
    """A batch is not in the log, or may be but nobody knows (`may_be_stored` of the error)."""

    error: KafkaError


Outcome = Stored | Failed


class Sent(Protocol):
    """A record that was put in line, as `send` of the sync producer gives it."""

    def done(self) -> bool:
        """Whether it is stored or has failed."""
        ...

    def result(self, timeout_s: float | None = None) -> RecordMetadata:
        """Wait until it is stored, for up to `timeout_s` seconds; tells where it is.

        Raises:
            RequestTimeout: it is not known yet.
            KafkaError: it was not delivered.
        """
        ...


class SentAsync(Protocol):
    """A record that was put in line, as `send` of the asyncio producer gives it: await it."""

    def done(self) -> bool:
        """Whether it is stored or has failed."""
        ...

    def __await__(self) -> Generator[Any, None, RecordMetadata]: ...


class Settling(Protocol):
    """What is waited for: a batch, see `producer_batch`."""

    def done(self, index: int) -> bool:
        """Whether the record `index` has an outcome."""
        ...

    def when_record_settled(self, index: int, callback: Callable[[], None]) -> None:
        """Call when that may have changed."""
        ...


class Waits(Protocol):
    """How one kind of client waits for the outcome of a record."""

    def block(self, batch: Settling, index: int, timeout_s: float | None) -> None:
        """Hold this thread until the record has an outcome."""
        ...

    def wait(self, batch: Settling, index: int) -> Awaitable[None]:
        """Be done when the record has an outcome."""
        ...


def failure_of(where: TopicPartition, count: int, error: KafkaError) -> str:
    """One line about a batch that failed."""
    many = "1 record was" if count == 1 else f"{count} records were"
    what = "not acknowledged" if error.may_be_stored else "not delivered"
    return f"{where.topic}-{where.partition}: {many} {what}: {error}"
