"""Consumer for asyncio. `client.sync.consumer` has the same calls for plain threads."""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Never, Self

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.cluster.coordinator import Coordinator
from barnabas.client.aio.cluster.environment import Surroundings
from barnabas.client.aio.consumer.asked_offsets import AskedOffsets
from barnabas.client.aio.consumer.offset_lookup import OffsetLookup
from barnabas.client.aio.consumer.polling import Polling
from barnabas.client.aio.fetching.fetch_driver import FetchDriver
from barnabas.client.aio.fetching.group_offsets import GroupOffsets
from barnabas.client.aio.membership.consumer_group import ConsumerGroup
from barnabas.client.core.admin.descriptions import EARLIEST, LATEST
from barnabas.client.core.arguments.deadline import REQUEST_TIMEOUT, Deadline
from barnabas.client.core.arguments.not_there import CONSUMER, missing, refuse_arguments
from barnabas.client.core.arguments.properties import properties
from barnabas.client.core.arguments.where import Where, offset_at, partition_at, partitions_at
from barnabas.client.core.consumer.consumer_options import ConsumerOptions
from barnabas.client.core.consumer.poll_buffer import HandingOut
from barnabas.client.core.group.group_metadata import GroupMetadata
from barnabas.client.core.group.listener import RebalanceListener
from barnabas.client.core.group.options import GroupOptions
from barnabas.client.core.group.wanted_topics import Topics, wanted_topics
from barnabas.client.core.metrics import Metrics
from barnabas.config.clients import ConsumerConfig
from barnabas.errors import LocalProtocolError, WakeupError
from barnabas.records.columns.columns import Wanted
from barnabas.records.columns.record import Record
from barnabas.types import TopicPartition

_UNKNOWN = -1
_CLOSE_S = 30.0
"""Source: Kafka's consumer (DEFAULT_CLOSE_TIMEOUT_MS)."""


class Consumer(AskedOffsets):
    """Reads what its group shares out to it (`subscribe`), or what it is told to (`assign`).

    `async with` it, or `close` it. Properties are Kafka's ("bootstrap.servers", "group.id",
    "auto.offset.reset", ...), in a mapping or as keywords with underscores. With "group.id" it begins
    at the group's committed offsets and commits, by itself unless enable.auto.commit is false.
    All calls from the loop it was made on, one at a time.
    """

    def __init__(
        self,
        config: Mapping[str, object] | None = None,
        /,
        *,
        around: Surroundings | None = None,
        **more: object,
    ) -> None:
        loaded = ConsumerConfig.load(properties(config, more))
        self._options = ConsumerOptions.of(loaded)
        self._cluster = Cluster(loaded, around or Surroundings.here("Consumer"))
        self._cluster.creates_topics = loaded.allow_auto_create_topics
        self._cluster.tells_of_new_topics = True
        self._driver, self.group = self._reading(GroupOptions.of(loaded))
        self.polling = Polling(self._driver, self.group)
        self._fetcher = self._driver.fetcher
        self._lookup = OffsetLookup(self._cluster, self._options)
        self.handing_out = HandingOut(self._fetcher, check_crcs=self._options.check_crcs)
        self._closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    async def close(self, timeout_s: float | None = None) -> None:
        """Commit positions where that happens by itself, leave the group, end the connections.

        Brokers are waited for up to `timeout_s` seconds; None: the shortest of request.timeout.ms,
        default.api.timeout.ms and 30 s. A task that waits in `poll` or `async for` gets a
        LocalProtocolError.

        Raises:
            KafkaError: positions could not be saved; of a member, that is only said in the log.
        """
        if self._closed:
            return
        deadline = self.closing_by(timeout_s)
        self.polling.interrupt(LocalProtocolError("the consumer is closed"))
        try:
            if self.group is not None:
                await self.polling.tell(await self.group.begin_end(deadline))
        finally:
            await self.end(deadline)

    def wakeup(self) -> None:
        """End the call that waits for records, or the next one that would, with `WakeupError`.

        From the loop: other threads and signals come to it by `loop.call_soon_threadsafe`.
        """
        self.polling.interrupt(WakeupError("the consumer was woken by wakeup()"))

    def closing_by(self, timeout_s: float | None) -> Deadline:
        """Until when a `close` that begins now may wait for brokers."""
        longest = self.deadline(timeout_s)
        seconds = min(_CLOSE_S, self._options.request_timeout_s)
        if timeout_s is not None or longest.seconds < seconds:
            return longest
        return self._cluster.limits.deadline_by(REQUEST_TIMEOUT, seconds)

    async def end(self, deadline: Deadline) -> None:
        """End at once, but for leaving the group."""
        self._closed = True
        try:
            if self.group is not None:
                await self.group.end(deadline)
        finally:
            self.drop()

    def drop(self) -> None:
        """End the connections; commit nothing, and leave no group. A second call does nothing."""
        self._closed = True
        if self._driver.closed:
            return
        if self.group is not None:
            self.group.close()
        self._driver.close()

    # ---- what to read ---------------------------------------------------------------------

    def assign(self, partitions: Iterable[Where]) -> None:
        """Read exactly these partitions from now on; those that stay keep their positions.

        Raises:
            LocalProtocolError: the consumer is subscribed: then its group says what it reads.
        """
        self._check_open()
        wanted = partitions_at(partitions)
        if self.group is not None and self.group.subscribed:
            raise LocalProtocolError("the consumer is subscribed: unsubscribe before assign")
        self._fetcher.assign(wanted)
        self._cluster.topics = {where.topic for where in wanted}
        self._driver.pump()

    def subscribe(self, topics: Topics, *, listener: RebalanceListener | None = None) -> None:
        """Be a member of the group, and read what it shares out of these topics.

        Topics are names, or a compiled pattern that whole names match, of topics yet to be made too.
        Polls do the work, and tell the listener; heartbeats go on while the loop runs.

        Raises:
            ConfigError: there is no group.id.
            LocalProtocolError: partitions were assigned.
        """
        self.join(topics, listens=listener is not None)
        self.polling.listener = listener

    def join(self, topics: Topics, *, listens: bool) -> None:
        """As `subscribe`, where somebody else tells the listener: calls end with `CallDue` then."""
        self._check_open()
        wanted = wanted_topics(topics)
        group = self.of_group("subscribing")
        if self._fetcher.positions and not group.subscribed:
            raise LocalProtocolError("partitions are assigned: assign([]) before subscribe")
        self.polling.listener = None
        group.subscribe(wanted, listens=listens)

    async def unsubscribe(self, *, timeout_s: float | None = None) -> None:
        """Leave the group, as `close` does, and read nothing any more.

        Brokers are waited for up to `timeout_s` seconds; None: default.api.timeout.ms.
        """
        deadline = self.deadline(timeout_s)
        try:
            if self.group is not None and self.group.subscribed:
                await self.polling.tell(await self.group.begin_end(deadline))
        finally:
            await self.end_subscription(deadline)

    async def end_subscription(self, deadline: Deadline) -> None:
        """Leave the group, if it is a member, and read nothing any more."""
        if self.group is not None:
            await self.group.end(deadline)
        self._driver.assign([])

    def subscription(self) -> list[str]:
        """The topics that are subscribed to, sorted; of a pattern those that are known to match."""
        return [] if self.group is None else self.group.subscription()

    def group_metadata(self) -> GroupMetadata:
        """Which member of its group this is, in which generation.

        Raises:
            ConfigError: there is no group.id.
        """
        return self.of_group("membership").metadata()

    def enforce_rebalance(self, reason: str = "the user wishes it") -> None:
        """Have the group share its partitions out anew, with the next poll; its members, that is.

        Raises:
            ConfigError: there is no group.id.
        """
        self.of_group("membership").member.enforce_rebalance(reason)

    def assignment(self) -> list[TopicPartition]:
        """The partitions that are read."""
        return list(self._fetcher.positions)

    def seek(self, where: Where, offset: int) -> None:
        """Go on at `offset`. What was fetched already is dropped."""
        key = partition_at(where)
        self._fetcher.move(key, offset_at(key, offset))
        self.polling.note_use()
        self._driver.pump()

    def seek_to_beginning(self, *partitions: Where) -> None:
        """Go on at the first offset that there is (of all partitions, where none are named)."""
        self._seek_to_end_of_log(partitions, EARLIEST)

    def seek_to_end(self, *partitions: Where) -> None:
        """Go on behind the last offset that there is (of all partitions, where none are named)."""
        self._seek_to_end_of_log(partitions, LATEST)

    async def position(self, where: Where, *, timeout_s: float | None = None) -> int:
        """The offset of the next record that `poll` gives from a partition."""
        key = partition_at(where)
        found = self._fetcher.position(key)
        if not found.known:
            what = f"finding the position of {key.topic}-{key.partition}"
            await self._within(timeout_s, what, self._driver.known(key))
        self.polling.note_use()
        return found.offset

    def lag(self, where: Where) -> int | None:
        """How many offsets a partition's position is behind its end, as of the last fetch.

        None while nothing was fetched from it, or while its position is not known.
        """
        found = self._fetcher.position(partition_at(where))
        known = found.known and found.readable_end >= 0
        return found.readable_end - found.offset if known else None

    def pause(self, *partitions: Where) -> None:
        """Give no records of these partitions for now."""
        for where in partitions:
            self._fetcher.position(partition_at(where)).paused = True

    def resume(self, *partitions: Where) -> None:
        """Give records of these partitions again."""
        for where in partitions:
            self._fetcher.position(partition_at(where)).paused = False
        self._driver.pump()

    def paused(self) -> list[TopicPartition]:
        """The partitions that are paused."""
        return [where for where, position in self._fetcher.positions.items() if position.paused]

    # ---- reading --------------------------------------------------------------------------

    async def poll(
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
        return await self.polling.waited(partial(self.poll_now, max_records), timeout_s)

    async def __aiter__(self) -> AsyncIterator[Record]:
        """All records from here on, for ever, one by one; errors as `poll`.

        The position moves on with each: after a `break` the next one is still to be read.
        """
        while True:
            if self.polling.wants_attention():
                await self.polling.attend()
            while (part := self.next_part()) is not None:
                for record in part:
                    yield record
                    if self.polling.wants_attention():
                        await self.polling.attend()
            await self.arrival()

    def next_part(self) -> Iterator[Record] | None:
        """Some of the records that are here already, one by one; None: nothing is. Errors as `poll`."""
        self._check_open()
        self._driver.raise_failure()
        part = self.handing_out.part_by_record()
        self._driver.pump()
        return part

    async def arrival(self) -> None:
        """Wait until something came: records, or an error, or something to attend to."""
        await self.polling.arrival()

    def poll_now(self, max_records: int | None = None) -> list[Record]:
        """The records that are here already; may be none. Errors as `poll`."""
        self._check_open()
        most = self._options.max_poll_records if max_records is None else max_records
        self._driver.raise_failure()
        records = self.handing_out.records(most)
        self._driver.pump()
        return records

    async def fetch_arrow(
        self, timeout_s: float | None = None, *, wanted: Wanted = Wanted.ALL
    ) -> Any:
        """The next records as a pyarrow.Table, all that have arrived, as soon as there are any.

        Columns: topic, partition, then those `wanted` of offset, timestamp, timestampType, key,
        value, headers. A table of no rows after `timeout_s` seconds. Errors as `poll`.
        """
        return await self.polling.waited(partial(self.arrow_now, wanted=wanted), timeout_s)

    def arrow_now(self, *, wanted: Wanted = Wanted.ALL) -> Any:
        """As `fetch_arrow`, of what is here already."""
        self._check_open()
        self._driver.raise_failure()
        parts = self.handing_out.parts()
        self._driver.pump()
        return self.handing_out.table(parts, wanted)

    def metrics(self) -> Metrics:
        """What was done so far: requests, bytes, records that were given, the average latency."""
        return self._cluster.traffic.snapshot(self.handing_out.count)

    def _reading(self, group: GroupOptions | None) -> tuple[FetchDriver, ConsumerGroup | None]:
        """What fetches, and what has to do with the group, if there is one."""
        if group is None:
            return FetchDriver(self._cluster, self._options, None), None
        coordinator = Coordinator(self._cluster, group.group_id)
        offsets = GroupOffsets(coordinator, by_id=True)
        driver = FetchDriver(self._cluster, self._options, offsets)
        return driver, ConsumerGroup(coordinator, offsets, driver, self._options, group)

    def _seek_to_end_of_log(self, partitions: Iterable[Where], end: int) -> None:
        for where in [partition_at(where) for where in partitions] or self.assignment():
            self._fetcher.move(where, _UNKNOWN, end)
        self.polling.note_use()
        self._driver.pump()

    def _check_open(self) -> None:
        if self._closed:
            raise LocalProtocolError("the consumer is closed")

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Never:
            missing("Consumer", CONSUMER, name)

    def __reduce__(self) -> Any:
        raise TypeError("a Consumer holds connections: make one where it is used, do not pickle it")
