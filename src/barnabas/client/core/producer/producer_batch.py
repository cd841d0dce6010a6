"""One batch of a partition: first open for records, then closed, then sent. No I/O."""

from bisect import bisect_right
from collections.abc import Callable
from typing import Final

from barnabas.client.core.producer.delivery import (
    DeliveryWaiter,
    FailedBatch,
    Outcome,
    RecordMetadata,
    StoredBatch,
)
from barnabas.errors import KafkaError
from barnabas.kernels.batches.objects import RecordAppender
from barnabas.types import TopicPartition

NO_SEQUENCE: Final = -1
NO_ATTEMPT: Final = 0


class ProducerBatch:
    """Records of one partition that are sent together and share their outcome.

    `number` orders the batches of a partition and never changes, also over retries; parts of a
    split batch come between their neighbours. `reserved` is its share of `buffer.memory`. Times are
    monotonic seconds. `in_doubt` (a broker may have stored it) and `refused` are set by
    `sequencing`.

    Two threads meet here: users append and read `outcome`, the loop's thread settles. `settle` sets
    the outcome first and then calls the callbacks; `when_settled` first adds one and then reads, so
    no callback is missed. One may be called twice, or early when the batch is split: read again.
    """

    __slots__ = (
        "_callbacks",
        "appender",
        "attempts",
        "building",
        "count",
        "created",
        "epoch",
        "first_timestamp",
        "in_doubt",
        "last_error",
        "not_before",
        "number",
        "observed",
        "outcome",
        "parts",
        "payload",
        "refused",
        "reserved",
        "sequence",
        "waits",
        "where",
    )

    def __init__(
        self,
        where: TopicPartition,
        number: tuple[int, ...],
        created: float,
        reserved: int,
        waits: DeliveryWaiter,
    ) -> None:
        self.waits = waits
        self.where = where
        self.number = number
        self.created = created
        self.reserved = reserved
        self.appender: RecordAppender | None = None
        self.payload: bytearray | None = None
        self.building = False
        self.first_timestamp = -1
        self.count = 0
        self.epoch = -1
        self.sequence = NO_SEQUENCE
        self.attempts = NO_ATTEMPT
        self.in_doubt = self.refused = False
        self.not_before = 0.0
        self.last_error: KafkaError | None = None
        self.outcome: Outcome | None = None
        self.parts: list[tuple[int, ProducerBatch]] = []
        self.observed = False
        self._callbacks: list[Callable[[], None]] = []

    @property
    def settled(self) -> bool:
        """Whether all its records have an outcome."""
        if self.parts:
            return all(part.settled for _, part in self.parts)
        return self.outcome is not None

    def settle(self, outcome: Outcome) -> None:
        """Set the outcome, once."""
        assert self.outcome is None, "a batch has one outcome"
        self.outcome = outcome
        self.payload = None
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def split_into(self, parts: "list[ProducerBatch]") -> None:
        """From now on, these batches contain its records, in this order."""
        start = 0
        placed = []
        for part in parts:
            placed.append((start, part))
            start += part.count
        assert start == self.count, "a split neither loses nor adds records"
        self.parts = placed
        self.payload = None
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def unsettled_part(self) -> "ProducerBatch | None":
        """A batch without an outcome that contains some of the records now, if there is one."""
        if not self.parts:
            return self if self.outcome is None else None
        found = (part.unsettled_part() for _, part in self.parts)
        return next((part for part in found if part is not None), None)

    def when_record_settled(self, index: int, callback: Callable[[], None]) -> None:
        """Call when the outcome of a record may be known."""
        self.of_record(index)[0].when_settled(callback)

    def when_settled(self, callback: Callable[[], None]) -> None:
        """Call when the outcome is known, at once if it is."""
        self._callbacks.append(callback)
        if self.outcome is not None or self.parts:
            callback()

    def of_record(self, index: int) -> tuple["ProducerBatch", int]:
        """The batch that contains the record `index` now, and its index there."""
        if not self.parts:
            return self, index
        at = bisect_right(self.parts, index, key=lambda part: part[0]) - 1
        start, part = self.parts[at]
        return part.of_record(index - start)

    def done(self, index: int) -> bool:
        """Whether the record `index` has an outcome."""
        return self.of_record(index)[0].outcome is not None

    def result(self, index: int, timestamp: int, timeout_s: float | None) -> RecordMetadata:
        """Wait for the outcome of a record, on this thread.

        Raises:
            RequestTimeout: it is not known after `timeout_s` seconds.
            KafkaError: the record was not delivered.
        """
        self.waits.block(self, index, timeout_s)
        return self.known(index, timestamp)

    async def awaited(self, index: int, timestamp: int) -> RecordMetadata:
        """Wait for the outcome of a record, on its loop."""
        await self.waits.wait(self, index)
        return self.known(index, timestamp)

    def known(self, index: int, timestamp: int) -> RecordMetadata:
        """The outcome of a settled record.

        Raises:
            KafkaError: it was not delivered.
        """
        batch, index = self.of_record(index)
        found = batch.metadata(index, timestamp)
        assert found is not None, "only records with an outcome are asked for"
        return found

    def shown(self, index: int) -> str:
        """Describe the record `index` and its outcome."""
        batch, at = self.of_record(index)
        outcome = batch.outcome
        what = "in flight"
        if isinstance(outcome, FailedBatch):
            what = f"failed: {outcome.error}"
        elif outcome is not None:
            base = outcome.base_offset
            what = "stored" if base < 0 else f"stored at offset {base + at}"
        return f"{self.where.topic}-{self.where.partition} {what}"

    def metadata(self, index: int, timestamp: int) -> RecordMetadata | None:
        """The position of the record `index`, or None while unknown.

        Raises:
            KafkaError: it was not delivered.
        """
        match self.outcome:
            case None:
                return None
            case FailedBatch(error):
                self.observed = True
                raise error
            case StoredBatch(base, append_time):
                offset = base + index if base >= 0 else -1
                when = append_time if append_time >= 0 else timestamp
                return RecordMetadata(self.where.topic, self.where.partition, offset, when)
