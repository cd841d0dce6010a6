"""Consumer for threads: fetches on the caller's thread, while that waits.

No second thread is involved. Between calls, the broker works on the next fetch, and its response
collects in the socket's buffer. So the data path has no thread switch, and a poll that finds
decoded records does not run the event loop. Only a group member has a thread, which sends
heartbeats between calls.
"""

from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Never, TypeVar

from barnabas.client.aio.consumer.consumer import Consumer as AsyncConsumer
from barnabas.client.aio.membership.consumer_group import CallDue
from barnabas.client.closing import Closing
from barnabas.client.core.admin.descriptions import OffsetAndTimestamp
from barnabas.client.core.arguments.deadline import Deadline
from barnabas.client.core.arguments.partition_arguments import Where
from barnabas.client.core.arguments.properties import properties
from barnabas.client.core.arguments.unsupported_calls import (
    CONSUMER,
    refuse_arguments,
    unsupported_attribute,
)
from barnabas.client.core.group.group_metadata import GroupMetadata
from barnabas.client.core.group.listener import RebalanceListener, tell
from barnabas.client.core.group.membership import Change
from barnabas.client.core.group.wanted_topics import Topics
from barnabas.client.core.metrics import Metrics
from barnabas.client.sync.caller_client import CallerClient
from barnabas.records.columns.columns import ColumnSelection
from barnabas.records.columns.record import Record
from barnabas.runtime.loops.deferred_signals import DeferredSignals
from barnabas.types import TopicPartition

_Result = TypeVar("_Result")


class Consumer(Closing):
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
        self._listener: RebalanceListener | None = None

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

    def subscribe(self, topics: Topics, *, listener: RebalanceListener | None = None) -> None:
        """Join the group, and read the partitions of these topics that it assigns.

        Topics are names, or a compiled pattern that must match whole names, including those of
        future topics. Polls join the group and call the listener; heartbeats continue between them.

        Raises:
            ConfigError: there is no group.id.
            LocalProtocolError: partitions were assigned.
        """
        with self._hosted.undisturbed:
            self._consumer.join(topics, listens=listener is not None)
        self._listener = listener
        group = self._consumer.of_group("subscribing")
        self._hosted.keep(group.member.quiet, group.member.machine.options.heartbeat_s / 4)

    def unsubscribe(self, *, timeout_s: float | None = None) -> None:
        """Leave the group, as `close` does, and stop reading.

        Waits for brokers up to `timeout_s` seconds; None: default.api.timeout.ms.
        """
        deadline = self._consumer.deadline(timeout_s)
        try:
            self._begin_end(deadline)
        finally:
            self._hosted.run(self._consumer.end_subscription(deadline))

    def subscription(self) -> list[str]:
        """Return the subscribed topics, sorted; for a pattern, the known topics that match."""
        with self._hosted.undisturbed:
            return self._consumer.subscription()

    def group_metadata(self) -> GroupMetadata:
        """Return this member's group, id and generation.

        Raises:
            ConfigError: there is no group.id.
        """
        with self._hosted.undisturbed:
            return self._consumer.group_metadata()

    def enforce_rebalance(self, reason: str = "the user wishes it") -> None:
        """Trigger a rebalance of the group with the next poll; only if this is a member.

        Raises:
            ConfigError: there is no group.id.
        """
        with self._hosted.undisturbed:
            self._consumer.enforce_rebalance(reason)

    def assign(self, partitions: Iterable[Where]) -> None:
        """Read exactly these partitions from now on; those already assigned keep their positions.

        Raises:
            LocalProtocolError: the consumer is subscribed, so its group assigns the partitions.
        """
        with self._hosted.undisturbed:
            self._consumer.assign(partitions)

    def assignment(self) -> list[TopicPartition]:
        """Return the partitions that are read."""
        with self._hosted.undisturbed:
            return self._consumer.assignment()

    def seek(self, where: Where, offset: int) -> None:
        """Continue at `offset`. Fetched records are dropped."""
        with self._hosted.undisturbed:
            self._consumer.seek(where, offset)

    def seek_to_beginning(self, *partitions: Where) -> None:
        """Continue at the start offset (None: of all partitions)."""
        with self._hosted.undisturbed:
            self._consumer.seek_to_beginning(*partitions)

    def seek_to_end(self, *partitions: Where) -> None:
        """Continue after the last record (None: of all partitions)."""
        with self._hosted.undisturbed:
            self._consumer.seek_to_end(*partitions)

    def position(self, where: Where, *, timeout_s: float | None = None) -> int:
        """Return the offset of the next record that `poll` returns from a partition."""
        return self._hosted.run(self._consumer.position(where, timeout_s=timeout_s))

    def lag(self, where: Where) -> int | None:
        """Return the distance from a partition's position to its end, in offsets, as of the last fetch.

        None if nothing was fetched yet, or the position is unknown.
        """
        with self._hosted.undisturbed:
            return self._consumer.lag(where)

    def pause(self, *partitions: Where) -> None:
        """Stop returning records of these partitions."""
        with self._hosted.undisturbed:
            self._consumer.pause(*partitions)

    def resume(self, *partitions: Where) -> None:
        """Return records of these partitions again."""
        with self._hosted.undisturbed:
            self._consumer.resume(*partitions)

    def paused(self) -> list[TopicPartition]:
        """Return the paused partitions."""
        with self._hosted.undisturbed:
            return self._consumer.paused()

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

    def partitions_for(self, topic: str, *, timeout_s: float | None = None) -> list[TopicPartition]:
        """Return the partitions of a topic.

        Raises:
            BrokerError: UNKNOWN_TOPIC_OR_PARTITION, it does not exist and nobody creates it.
            RequestTimeout, ConnectionFailed: brokers did not answer in time.
        """
        return self._hosted.run(self._consumer.partitions_for(topic, timeout_s=timeout_s))

    def offsets_for_times(
        self, times: Mapping[Where, int], *, timeout_s: float | None = None
    ) -> dict[TopicPartition, OffsetAndTimestamp | None]:
        """Return the first offset at or after a time (ms since the epoch); None if there is none."""
        return self._hosted.run(self._consumer.offsets_for_times(times, timeout_s=timeout_s))

    def beginning_offsets(
        self, partitions: Iterable[Where], *, timeout_s: float | None = None
    ) -> dict[TopicPartition, int]:
        """Return the first existing offsets."""
        return self._hosted.run(self._consumer.beginning_offsets(partitions, timeout_s=timeout_s))

    def end_offsets(
        self, partitions: Iterable[Where], *, timeout_s: float | None = None
    ) -> dict[TopicPartition, int]:
        """Return the offsets after the last records that may be read."""
        return self._hosted.run(self._consumer.end_offsets(partitions, timeout_s=timeout_s))

    def commit(
        self, offsets: Mapping[Where, int] | None = None, *, timeout_s: float | None = None
    ) -> None:
        """Commit positions for the group (None: those of all partitions).

        A missing partition is waited for until the time limit.

        Raises:
            ConfigError: there is no group.id.
            InvalidArgument: an offset is negative.
        """
        self._hosted.run(self._consumer.commit(offsets, timeout_s=timeout_s))

    def committed(
        self, partitions: Iterable[Where], *, timeout_s: float | None = None
    ) -> dict[TopicPartition, int]:
        """Return the group's committed positions; partitions without one are omitted.

        Raises:
            ConfigError: there is no group.id.
        """
        return self._hosted.run(self._consumer.committed(partitions, timeout_s=timeout_s))

    def _attending(self, work: Callable[[], Coroutine[Any, Any, _Result]]) -> _Result:
        """Run a call that may first have to call the listener, on this thread."""
        while True:
            try:
                return self._hosted.run(work())
            except CallDue as due:
                try:
                    self._tell(due.change)
                finally:
                    with self._hosted.undisturbed:
                        self._consumer.of_group("membership").listener_notified()

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

    def _begin_end(self, deadline: Deadline) -> None:
        """Commit if enable.auto.commit is set, and report revoked partitions to the listener."""
        group = self._consumer.group
        if group is not None:
            self._tell(self._hosted.run(group.begin_end(deadline), wakeable=False))

    def _tell(self, change: Change | None) -> None:
        if change is not None and self._listener is not None:
            tell(self._listener, change)

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
