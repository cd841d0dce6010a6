"""Consumer for threads: fetches on the caller's thread, while that waits.

No second thread is involved. Between calls, the broker works on the next fetch, and its response
collects in the socket's buffer. So the data path has no thread switch, and a poll that finds
decoded records does not run the event loop. Only a group member has a thread, which sends
heartbeats between calls.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Never

from barnabas.client.aio.consumer.consumer import Consumer as AsyncConsumer
from barnabas.client.closing import Closing
from barnabas.client.core.arguments.properties import properties
from barnabas.client.core.arguments.unsupported_calls import (
    CONSUMER,
    refuse_arguments,
    unsupported_attribute,
)
from barnabas.client.core.metrics import Metrics
from barnabas.client.sync.caller_client import CallerClient
from barnabas.client.sync.offset_calls import CallerOffsetCalls
from barnabas.client.sync.position_calls import CallerPositionCalls
from barnabas.client.sync.subscription_calls import CallerSubscriptionCalls
from barnabas.records.columns.columns import ColumnSelection
from barnabas.records.columns.record import Record
from barnabas.runtime.loops.deferred_signals import DeferredSignals


class Consumer(CallerSubscriptionCalls, CallerPositionCalls, CallerOffsetCalls, Closing):
    """Reads the partitions that its group assigns (`subscribe`), or those that you choose (`assign`).

    Use it from one thread at a time, and `close` it. Properties have Kafka's names
    ("bootstrap.servers", "group.id", "auto.offset.reset", ...), in a mapping or as keywords with
    underscores. With "group.id" it starts from the group's committed offsets, and commits
    periodically unless enable.auto.commit is false.
    """

    def __init__(self, config: Mapping[str, object] | None = None, /, **more: object) -> None:
        given = properties(config, more)
        self._hosted = CallerClient(
            "Consumer",
            lambda environment: AsyncConsumer(given, environment=environment),
            AsyncConsumer.drop,
        )
        self._consumer = self._hosted.client
        self._handing_out = self._consumer.handing_out
        self._is_owed = False
        """Whether records that nobody received are still to be taken back."""

    def close(self, timeout_s: float | None = None) -> None:
        """Commit positions if enable.auto.commit is set, leave the group, close the connections.

        Waits for brokers up to `timeout_s` seconds; None: the shortest of request.timeout.ms,
        default.api.timeout.ms and 30 s.

        Raises:
            KafkaError: positions could not be saved; a group member only logs that.
        """
        if not self._hosted.closed:
            deadline = self._consumer.closing_by(timeout_s)
            try:
                if not self._hosted.broken:
                    self._begin_end(deadline)
            finally:
                self._hosted.close(lambda: self._consumer.end(deadline))

    def wakeup(self) -> None:
        """Interrupt the current blocking call, or the next one, with `WakeupError`; from any thread.

        Use it from another thread or a signal handler to stop a polling consumer. Nothing is lost:
        the next poll returns what was not returned yet.
        """
        self._hosted.wake()

    def poll(
        self,
        timeout_s: float | None = None,
        max_records: int | None = None,
        **foreign: Never,
    ) -> list[Record]:
        """Return the next records as soon as there are any, up to `max_records` (max.poll.records).

        The result is empty after `timeout_s` seconds (None: wait forever). Records of a partition
        are in order.

        Raises:
            BrokerError: reading cannot continue, for example because the position is gone while
                auto.offset.reset is none.
            CorruptRecord: a batch is damaged; the message names its offset, and the position is there.
                All records before it, and those of other partitions, are returned first.
        """
        if foreign:
            refuse_arguments("poll", foreign)
        self._begin_return()
        try:
            with DeferredSignals(), self._hosted.held:
                busy = self._consumer.polling.wants_attention() or self._hosted.woken
                records = [] if busy else self._consumer.poll_now(max_records)
            if records:
                return records
            left = self._countdown(timeout_s)
            return self._attending(lambda: self._consumer.poll(left(), max_records))
        except BaseException:
            self._is_owed = True
            self._take_back()
            raise

    def __iter__(self) -> Iterator[Record]:
        """Yield all records from here on, forever, one by one; errors as in `poll`.

        The position advances with each: after a `break`, reading continues with the next record.
        """
        polling = self._consumer.polling
        while True:
            if polling.wants_attention():
                self._attending(polling.attend)
            while (part := self._next_part()) is not None:
                for record in part:
                    yield record
                    if polling.wants_attention():
                        self._attending(polling.attend)
            self._attending(self._consumer.arrival)

    def fetch_arrow(
        self, timeout_s: float | None = None, *, wanted: ColumnSelection = ColumnSelection.ALL
    ) -> Any:
        """Return all records that have arrived as a pyarrow.Table, as soon as there are any.

        Columns: topic, partition, then those in `wanted` of offset, timestamp, timestampType, key,
        value, headers. After `timeout_s` seconds the table has no rows. Errors as in `poll`.
        """
        self._begin_return()
        try:
            left = self._countdown(timeout_s)
            return self._attending(lambda: self._consumer.fetch_arrow(left(), wanted=wanted))
        except BaseException:
            self._is_owed = True
            self._take_back()
            raise

    def metrics(self) -> Metrics:
        """Return counters so far: requests, bytes, returned records, average latency, lag. Any thread."""
        return self._consumer.metrics()

    def _begin_return(self) -> None:
        """Forget what the call before returned, or return it again if nobody received it."""
        if self._is_owed:
            self._take_back()
        self._handing_out.starts = {}

    def _take_back(self) -> None:
        """A signal handler raised, so nobody received these records: the next call returns them again.

        Another signal may come before this has begun: then the next call does it.
        """
        with DeferredSignals(), self._hosted.held:
            self._handing_out.take_back()
            self._is_owed = False

    def _next_part(self) -> Iterator[Record] | None:
        """Return some of the records that have arrived already."""
        with self._hosted.undisturbed:
            part = self._consumer.next_part()
        if part is None or not self._hosted.kept:
            return part
        return iter(partial(self._next_of, part), None)

    def _next_of(self, part: Iterator[Record]) -> Record | None:
        count = self._handing_out.count
        try:
            with self._hosted.held:
                return next(part, None)
        except BaseException:
            if self._handing_out.count > count:
                self._handing_out.take_back_record()
            raise

    def _countdown(self, timeout_s: float | None) -> Callable[[], float | None]:
        """Return the rest of a time limit, in seconds."""
        if timeout_s is None:
            return lambda: None
        end = self._hosted.now() + timeout_s
        return lambda: max(0.0, end - self._hosted.now())

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Never:
            unsupported_attribute("Consumer", CONSUMER, name)

    def __reduce__(self) -> Any:
        raise TypeError(
            "a Consumer holds connections: create one where you use it, do not pickle it"
        )
