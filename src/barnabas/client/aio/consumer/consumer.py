"""Consumer for asyncio. `client.sync.consumer` has the same calls for threads."""

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Never, Self

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.cluster.coordinator import Coordinator
from barnabas.client.aio.cluster.environment import ClientEnvironment
from barnabas.client.aio.consumer.offset_lookup import OffsetLookup
from barnabas.client.aio.consumer.polling import Polling
from barnabas.client.aio.consumer.subscription_calls import SubscriptionCalls
from barnabas.client.aio.fetching.fetch_driver import FetchDriver
from barnabas.client.aio.fetching.group_offsets import CommittedOffsets
from barnabas.client.aio.membership.consumer_group import ConsumerMembership
from barnabas.client.core.arguments.deadline import REQUEST_TIMEOUT, Deadline
from barnabas.client.core.arguments.properties import properties
from barnabas.client.core.arguments.unsupported_calls import (
    CONSUMER,
    refuse_arguments,
    unsupported_attribute,
)
from barnabas.client.core.consumer.consumer_options import ConsumerOptions
from barnabas.client.core.consumer.poll_buffer import PollBuffer
from barnabas.client.core.group.options import GroupOptions
from barnabas.client.core.metrics import Metrics
from barnabas.config.clients import ConsumerConfig
from barnabas.errors import LocalProtocolError, WakeupError
from barnabas.records.columns.columns import ColumnSelection
from barnabas.records.columns.record import Record

_CLOSE_S = 30.0
"""Source: Kafka's consumer (DEFAULT_CLOSE_TIMEOUT_MS)."""


class Consumer(SubscriptionCalls):
    """Reads the partitions that its group assigns (`subscribe`), or those that you choose (`assign`).

    Use it in an `async with`, or `close` it. Properties have Kafka's names ("bootstrap.servers",
    "group.id", "auto.offset.reset", ...), in a mapping or as keywords with underscores. With
    "group.id" it starts from the group's committed offsets, and commits periodically unless
    enable.auto.commit is false. Make all calls from the loop it was created on, one at a time.
    """

    def __init__(
        self,
        config: Mapping[str, object] | None = None,
        /,
        *,
        environment: ClientEnvironment | None = None,
        **more: object,
    ) -> None:
        loaded = ConsumerConfig.load(properties(config, more))
        self._options = ConsumerOptions.of(loaded)
        self._cluster = Cluster(loaded, environment or ClientEnvironment.here("Consumer"))
        self._cluster.metadata.creates_topics = loaded.allow_auto_create_topics
        self._cluster.metadata.logs_missing_topics = True
        self._driver, self.group = self._reading(GroupOptions.of(loaded))
        self.polling = Polling(self._driver, self.group, self._cluster.limits)
        self._fetcher = self._driver.fetcher
        self._lookup = OffsetLookup(self._cluster, self._options)
        self.handing_out = PollBuffer(self._fetcher, check_crcs=self._options.check_crcs)
        self._closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    async def close(self, timeout_s: float | None = None) -> None:
        """Commit positions if enable.auto.commit is set, leave the group, close the connections.

        Waits for brokers up to `timeout_s` seconds; None: the shortest of request.timeout.ms,
        default.api.timeout.ms and 30 s. A task waiting in `poll` or `async for` gets a
        LocalProtocolError.

        Raises:
            KafkaError: positions could not be saved; a group member only logs that.
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
        """Interrupt the current wait for records, or the next one, with `WakeupError`.

        Call it on the loop: other threads and signal handlers use `loop.call_soon_threadsafe`.
        """
        self.polling.interrupt(WakeupError("the consumer was woken by wakeup()"))

    def closing_by(self, timeout_s: float | None) -> Deadline:
        """How long a `close` that starts now may wait for brokers."""
        longest = self.deadline(timeout_s)
        seconds = min(_CLOSE_S, self._options.request_timeout_s)
        if timeout_s is not None or longest.seconds < seconds:
            return longest
        return self._cluster.limits.deadline_by(REQUEST_TIMEOUT, seconds)

    async def end(self, deadline: Deadline) -> None:
        """Stop at once, except for leaving the group."""
        self._closed = True
        try:
            if self.group is not None:
                await self.group.end(deadline)
        finally:
            self.drop()

    def drop(self) -> None:
        """Close the connections; commit nothing, and leave no group. A second call does nothing."""
        self._closed = True
        if self._driver.closed:
            return
        if self.group is not None:
            self.group.close()
        self._driver.close()

    async def poll(
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
        return await self.polling.waited(partial(self.poll_now, max_records), timeout_s)

    async def __aiter__(self) -> AsyncIterator[Record]:
        """Yield all records from here on, forever, one by one; errors as in `poll`.

        The position advances with each: after a `break`, reading continues with the next record.
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
        """Return some of the available records, one by one; None if there are none.

        Errors as in `poll`.
        """
        self._check_open()
        self._driver.raise_failure()
        part = self.handing_out.part_by_record()
        self._driver.pump()
        return part

    async def arrival(self) -> None:
        """Wait for records, an error, or group work."""
        await self.polling.arrival()

    def poll_now(self, max_records: int | None = None) -> list[Record]:
        """Return the available records; may be none. Errors as in `poll`."""
        self._check_open()
        most = self._options.max_poll_records if max_records is None else max_records
        self._driver.raise_failure()
        records = self.handing_out.records(most)
        self._driver.pump()
        return records

    async def fetch_arrow(
        self, timeout_s: float | None = None, *, wanted: ColumnSelection = ColumnSelection.ALL
    ) -> Any:
        """Return all records that have arrived as a pyarrow.Table, as soon as there are any.

        Columns: topic, partition, then those in `wanted` of offset, timestamp, timestampType, key,
        value, headers. After `timeout_s` seconds the table has no rows. Errors as in `poll`.
        """
        return await self.polling.waited(partial(self.arrow_now, wanted=wanted), timeout_s)

    def arrow_now(self, *, wanted: ColumnSelection = ColumnSelection.ALL) -> Any:
        """Like `fetch_arrow`, with what is available."""
        self._check_open()
        self._driver.raise_failure()
        parts = self.handing_out.parts()
        self._driver.pump()
        return self.handing_out.table(parts, wanted)

    def metrics(self) -> Metrics:
        """Return counters so far: requests, bytes, returned records, average latency, lag. Any thread."""
        lags = {where: each.lag for where, each in list(self._fetcher.positions.items())}
        known = {where: lag for where, lag in lags.items() if lag is not None}
        return replace(self._cluster.metrics(self.handing_out.count), lag=known)

    def _reading(self, group: GroupOptions | None) -> tuple[FetchDriver, ConsumerMembership | None]:
        """The fetching part, and the group part if there is one."""
        if group is None:
            return FetchDriver(self._cluster, self._options, None), None
        coordinator = Coordinator(self._cluster, group.group_id)
        offsets = CommittedOffsets(coordinator, by_id=True)
        driver = FetchDriver(self._cluster, self._options, offsets)
        return driver, ConsumerMembership(coordinator, offsets, driver, self._options, group)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Never:
            unsupported_attribute("Consumer", CONSUMER, name)

    def __reduce__(self) -> Any:
        raise TypeError(
            "a Consumer holds connections: create one where you use it, do not pickle it"
        )
