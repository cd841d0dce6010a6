"""Consumer for plain threads: fetches on the caller's own thread, while it waits.

No second thread takes part: between calls the next fetch is under way on the broker's side and in
the socket's buffer. So nothing is switched on the data path, and a poll that finds records decoded
does not run the loop at all. Only a member of a group has a thread, which heartbeats between calls.
"""

from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Never, TypeVar

from barnabas.client.aio.consumer.consumer import Consumer as AsyncConsumer
from barnabas.client.aio.membership.consumer_group import CallDue
from barnabas.client.closing import Closing
from barnabas.client.core.admin.descriptions import OffsetAndTimestamp
from barnabas.client.core.arguments.deadline import Deadline
from barnabas.client.core.arguments.not_there import CONSUMER, missing, refuse_arguments
from barnabas.client.core.arguments.properties import properties
from barnabas.client.core.arguments.where import Where
from barnabas.client.core.group.group_metadata import GroupMetadata
from barnabas.client.core.group.listener import RebalanceListener, tell
from barnabas.client.core.group.membership import Change
from barnabas.client.core.group.wanted_topics import Topics
from barnabas.client.core.metrics import Metrics
from barnabas.client.sync.hosted import Hosted
from barnabas.records.columns.columns import Wanted
from barnabas.records.columns.record import Record
from barnabas.runtime.loops.deferred_signals import DeferredSignals
from barnabas.types import TopicPartition

_Result = TypeVar("_Result")


class Consumer(Closing):
    """Reads what its group shares out to it (`subscribe`), or what it is told to (`assign`).

    One thread at a time. `close` it. Properties are Kafka's ("bootstrap.servers", "group.id",
    "auto.offset.reset", ...), in a mapping or as keywords with underscores. With "group.id" it begins
    at the group's committed offsets and commits, by itself unless enable.auto.commit is false.
    """

    def __init__(self, config: Mapping[str, object] | None = None, /, **more: object) -> None:
        given = properties(config, more)
        self._hosted = Hosted(
            "Consumer", lambda around: AsyncConsumer(given, around=around), AsyncConsumer.drop
        )
        self._consumer = self._hosted.client
        self._handing_out = self._consumer.handing_out
        self._listener: RebalanceListener | None = None

    def close(self, timeout_s: float | None = None) -> None:
        """Commit positions where that happens by itself, leave the group, end the connections.

        Brokers are waited for up to `timeout_s` seconds; None: the shortest of request.timeout.ms,
        default.api.timeout.ms and 30 s.

        Raises:
            KafkaError: positions could not be saved; of a member, that is only said in the log.
        """
        if not self._hosted.closed:
            deadline = self._consumer.closing_by(timeout_s)
            try:
                if not self._hosted.broken:
                    self._begin_end(deadline)
            finally:
                self._hosted.close(lambda: self._consumer.end(deadline))

    def wakeup(self) -> None:
        """End the call that waits, or the next one that would, with `WakeupError`; from any thread.

        It is how another thread, or a signal, stops a consumer that polls. Nothing is lost: what
        was not given yet is given by the next poll.
        """
        self._hosted.wake()

    def subscribe(self, topics: Topics, *, listener: RebalanceListener | None = None) -> None:
        """Be a member of the group, and read what it shares out of these topics.

        Topics are names, or a compiled pattern that whole names match, of topics yet to be made too.
        Polls do the work, and tell the listener; heartbeats go on between them.

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
        """Leave the group, as `close` does, and read nothing any more.

        Brokers are waited for up to `timeout_s` seconds; None: default.api.timeout.ms.
        """
        deadline = self._consumer.deadline(timeout_s)
        try:
            self._begin_end(deadline)
        finally:
            self._hosted.run(self._consumer.end_subscription(deadline))

    def subscription(self) -> list[str]:
        """The topics that are subscribed to, sorted; of a pattern those that are known to match."""
        with self._hosted.undisturbed:
            return self._consumer.subscription()

    def group_metadata(self) -> GroupMetadata:
        """Which member of its group this is, in which generation.

        Raises:
            ConfigError: there is no group.id.
        """
        with self._hosted.undisturbed:
            return self._consumer.group_metadata()

    def enforce_rebalance(self, reason: str = "the user wishes it") -> None:
        """Have the group share its partitions out anew, with the next poll; its members, that is.

        Raises:
            ConfigError: there is no group.id.
        """
        with self._hosted.undisturbed:
            self._consumer.enforce_rebalance(reason)

    def assign(self, partitions: Iterable[Where]) -> None:
        """Read exactly these partitions from now on; those that stay keep their positions.

        Raises:
            LocalProtocolError: the consumer is subscribed: then its group says what it reads.
        """
        with self._hosted.undisturbed:
            self._consumer.assign(partitions)

    def assignment(self) -> list[TopicPartition]:
        """The partitions that are read."""
        with self._hosted.undisturbed:
            return self._consumer.assignment()

    def seek(self, where: Where, offset: int) -> None:
        """Go on at `offset`. What was fetched already is dropped."""
        with self._hosted.undisturbed:
            self._consumer.seek(where, offset)

    def seek_to_beginning(self, *partitions: Where) -> None:
        """Go on at the first offset that there is (of all partitions, where none are named)."""
        with self._hosted.undisturbed:
            self._consumer.seek_to_beginning(*partitions)

    def seek_to_end(self, *partitions: Where) -> None:
        """Go on behind the last offset that there is (of all partitions, where none are named)."""
        with self._hosted.undisturbed:
            self._consumer.seek_to_end(*partitions)

    def position(self, where: Where, *, timeout_s: float | None = None) -> int:
        """The offset of the next record that `poll` gives from a partition."""
        return self._hosted.run(self._consumer.position(where, timeout_s=timeout_s))

    def lag(self, where: Where) -> int | None:
        """How many offsets a partition's position is behind its end, as of the last fetch.

        None while nothing was fetched from it, or while its position is not known.
        """
        with self._hosted.undisturbed:
            return self._consumer.lag(where)

    def pause(self, *partitions: Where) -> None:
        """Give no records of these partitions for now."""
        with self._hosted.undisturbed:
            self._consumer.pause(*partitions)

    def resume(self, *partitions: Where) -> None:
        """Give records of these partitions again."""
        with self._hosted.undisturbed:
            self._consumer.resume(*partitions)

    def paused(self) -> list[TopicPartition]:
        """The partitions that are paused."""
        with self._hosted.undisturbed:
            return self._consumer.paused()

    def poll(
        self,
        timeout_s: float | None = None,
        max_records: int | None = None,
        **foreign: Never,
    ) -> list[Record]:
        """The next records: as soon as there are any, up to `max_records` (max.poll.records).

        Empty after `timeout_s` seconds (None: wait for ever). Within a partition in order.

        Raises:
            BrokerError: reading cannot go on where it stands, for example a position that is gone
                while auto.offset.reset is none.
            CorruptRecord: a batch is not what it says; the message names where, and the position is
                there. What lies before it, and all of other partitions, is given.
        """
        if foreign:
            refuse_arguments("poll", foreign)
        self._handing_out.starts = {}
        try:
            with DeferredSignals(), self._hosted.held:
                busy = self._consumer.polling.wants_attention() or self._hosted.woken
                records = [] if busy else self._consumer.poll_now(max_records)
            if records:
                return records
            left = self._countdown(timeout_s)
            return self._attending(lambda: self._consumer.poll(left(), max_records))
        except BaseException:
            self._take_back()
            raise

    def __iter__(self) -> Iterator[Record]:
        """All records from here on, for ever, one by one; errors as `poll`.

        The position moves on with each: after a `break` the next one is still to be read.
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

    def fetch_arrow(self, timeout_s: float | None = None, *, wanted: Wanted = Wanted.ALL) -> Any:
        """The next records as a pyarrow.Table, all that have arrived, as soon as there are any.

        Columns: topic, partition, then those `wanted` of offset, timestamp, timestampType, key,
        value, headers. A table of no rows after `timeout_s` seconds. Errors as `poll`.
        """
        self._handing_out.starts = {}
        try:
            left = self._countdown(timeout_s)
            return self._attending(lambda: self._consumer.fetch_arrow(left(), wanted=wanted))
        except BaseException:
            self._take_back()
            raise

    def metrics(self) -> Metrics:
        """What was done so far: requests, bytes, records that were given, the average latency."""
        return self._consumer.metrics()

    def partitions_for(self, topic: str, *, timeout_s: float | None = None) -> list[TopicPartition]:
        """The partitions of a topic."""
        return self._hosted.run(self._consumer.partitions_for(topic, timeout_s=timeout_s))

    def offsets_for_times(
        self, times: Mapping[Where, int], *, timeout_s: float | None = None
    ) -> dict[TopicPartition, OffsetAndTimestamp | None]:
        """The first offset at or after a time (ms since the epoch); None where there is none."""
        return self._hosted.run(self._consumer.offsets_for_times(times, timeout_s=timeout_s))

    def beginning_offsets(
        self, partitions: Iterable[Where], *, timeout_s: float | None = None
    ) -> dict[TopicPartition, int]:
        """The first offsets that there are."""
        return self._hosted.run(self._consumer.beginning_offsets(partitions, timeout_s=timeout_s))

    def end_offsets(
        self, partitions: Iterable[Where], *, timeout_s: float | None = None
    ) -> dict[TopicPartition, int]:
        """The offsets behind the last records that may be read."""
        return self._hosted.run(self._consumer.end_offsets(partitions, timeout_s=timeout_s))

    def commit(
        self, offsets: Mapping[Where, int] | None = None, *, timeout_s: float | None = None
    ) -> None:
        """Save positions (of all partitions, where none are given) for the group.

        Partitions that are not there are waited for, for as long as the call may take.

        Raises:
            ConfigError: there is no group.id.
            InvalidArgument: an offset is below 0.
        """
        self._hosted.run(self._consumer.commit(offsets, timeout_s=timeout_s))

    def committed(
        self, partitions: Iterable[Where], *, timeout_s: float | None = None
    ) -> dict[TopicPartition, int]:
        """The group's saved positions; partitions without one are left out.

        Raises:
            ConfigError: there is no group.id.
        """
        return self._hosted.run(self._consumer.committed(partitions, timeout_s=timeout_s))

    def _attending(self, work: Callable[[], Coroutine[Any, Any, _Result]]) -> _Result:
        """The result of a call that may have to tell the listener first, on this thread."""
        while True:
            try:
                return self._hosted.run(work())
            except CallDue as due:
                try:
                    self._tell(due.change)
                finally:
                    with self._hosted.undisturbed:
                        self._consumer.of_group("membership").told()

    def _take_back(self) -> None:
        """What was given reaches nobody, as a signal's handler has raised: it is given again."""
        if self._handing_out.starts:
            with self._hosted.held:
                self._handing_out.take_back()

    def _next_part(self) -> Iterator[Record] | None:
        """Some of the records that are here already."""
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
        """Commit where that happens by itself, and tell the listener what is given up."""
        group = self._consumer.group
        if group is not None:
            self._tell(self._hosted.run(group.begin_end(deadline), wakeable=False))

    def _tell(self, change: Change | None) -> None:
        if change is not None and self._listener is not None:
            tell(self._listener, change)

    def _countdown(self, timeout_s: float | None) -> Callable[[], float | None]:
        """What is left of a time to wait, in seconds."""
        if timeout_s is None:
            return lambda: None
        end = self._hosted.now() + timeout_s
        return lambda: max(0.0, end - self._hosted.now())

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Never:
            missing("Consumer", CONSUMER, name)

    def __reduce__(self) -> Any:
        raise TypeError("a Consumer holds connections: make one where it is used, do not pickle it")
