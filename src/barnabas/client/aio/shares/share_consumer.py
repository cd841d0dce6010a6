"""ShareConsumer for asyncio; `client.sync.share_consumer` has the same calls for threads."""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Iterable, Mapping
from types import TracebackType
from typing import Any, Self

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.cluster.coordinator import Coordinator
from barnabas.client.aio.cluster.environment import ClientEnvironment
from barnabas.client.aio.shares.share_member import ShareGroupMember
from barnabas.client.aio.shares.share_reading import ShareReading
from barnabas.client.aio.shares.share_requests import ShareRequests
from barnabas.client.core.arguments.deadline import Deadline
from barnabas.client.core.arguments.list_arguments import listed
from barnabas.client.core.arguments.properties import properties
from barnabas.client.core.group.epoch_membership import TopicIdIndex, member_id
from barnabas.client.core.metrics import Metrics
from barnabas.client.core.shares.acknowledgements import AcknowledgeType, Acquired
from barnabas.client.core.shares.share_membership import ShareMembership
from barnabas.client.core.shares.share_options import ShareOptions
from barnabas.config.share_clients import ShareConsumerConfig
from barnabas.errors import BrokerError, ErrorCode, KafkaError, LocalProtocolError, WakeupError
from barnabas.records.columns.record import Record
from barnabas.types import TopicPartition

log = logging.getLogger(__name__)


class AsyncShareConsumer:
    """Takes records of topics together with the other members of a share group (KIP-932).

    Use it in an `async with`, or `close` it. Unlike in a consumer group, several members read the
    same partition: each record goes to one of them, until it is accepted. With
    share.acknowledgement.mode=implicit, the default, the next `poll` or `commit` accepts the records
    of the last poll; `acknowledge` one earlier to release or reject it. Make all calls from the loop
    it was created on, one at a time.
    """

    def __init__(
        self,
        config: Mapping[str, object] | None = None,
        /,
        *,
        environment: ClientEnvironment | None = None,
        **more: object,
    ) -> None:
        loaded = ShareConsumerConfig.load(properties(config, more))
        self.options = ShareOptions.of(loaded)
        self._cluster = Cluster(loaded, environment or ClientEnvironment.here("ShareConsumer"))
        self._loop = self._cluster.environment.loop
        me = member_id(self._cluster.environment.entropy)
        machine = ShareMembership(self.options.group_id, me, self.options.rack)
        coordinator = Coordinator(self._cluster, self.options.group_id)
        self.member = ShareGroupMember(
            coordinator, machine, self.options.max_poll_interval_s, self._note
        )
        self._acquired = Acquired()
        self._sessions = ShareRequests(self._cluster, me, self.options, self._acquired)
        self._news = asyncio.Event()
        self._reading = ShareReading(
            self._cluster, self.options, self._sessions, self._acquired, self._news.set
        )
        self._closed = False
        self._unread: deque[Record] = deque()
        """Records of the last poll that an iteration has not come to."""
        self.has_polled = False
        """Whether what is open now came with the current, or last, poll."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None:
            self.release_rest()
        await self.close()

    def subscribe(self, topics: Iterable[str]) -> None:
        """Join the group, and read these topics, instead of those before; polls join."""
        self._check_open()
        self.member.subscribe(list(dict.fromkeys(listed("subscribe", topics, str, "['tasks']"))))

    def subscription(self) -> list[str]:
        """Return the subscribed topics, sorted."""
        return sorted(self.member.machine.topics)

    async def poll(self, timeout_s: float | None = None) -> list[Record]:
        """Return records that were acquired for this member, as soon as there are any.

        The result is empty after `timeout_s` seconds (None: wait forever). With implicit
        acknowledgement it accepts the records of the last poll first.

        Raises:
            LocalProtocolError: nothing is subscribed, or with explicit acknowledgement a record of
                the last poll is not acknowledged.
            BrokerError: reading cannot continue.
            CorruptRecord: a batch is damaged; its records are released.
        """
        self.has_polled = False
        self._check_open()
        if not self.member.machine.topics:
            raise LocalProtocolError("poll: subscribe to topics first")
        missing = self._acquired.open_count - len(self._unread)
        if self.options.explicit and missing:
            what = f"{missing} records of the last poll are not acknowledged"
            raise LocalProtocolError(f"poll: {what}, and share.acknowledgement.mode is explicit")
        self._accept_rest()
        if self._unread:
            return self._take_unread()
        self.has_polled = True
        end = None if timeout_s is None else self._loop.time() + timeout_s
        while True:
            self.member.polled()
            self._reading.raise_failure()
            records = self._reading.arrived()
            self._report_refusals()
            if records or (end is not None and self._loop.time() >= end):
                return records
            await self._reading.begin(self.member.machine.assigned)
            await self._wait(end)

    async def __aiter__(self) -> AsyncIterator[Record]:
        """Yield all records from here on, forever; errors as in `poll`.

        After a `break` the next poll returns the records that were not yielded.
        """
        while True:
            if not self._unread:
                self.hold(await self.poll())
            while (record := self.next_unread()) is not None:
                yield record

    def hold(self, records: list[Record]) -> None:
        """Keep the records of a poll for `next_unread`."""
        self._unread.extend(records)

    def next_unread(self) -> Record | None:
        """Return the next record that is kept, if any."""
        return self._unread.popleft() if self._unread else None

    def acknowledge(self, record: Record, kind: AcknowledgeType = AcknowledgeType.ACCEPT) -> None:
        """Say what becomes of a record of the last poll; the next poll or `commit` sends that.

        Raises:
            LocalProtocolError: it is not from the last poll, or already acknowledged.
        """
        self._acquired.acknowledge(self._place(record), record.offset, AcknowledgeType(kind))

    def delivery_count(self, record: Record) -> int:
        """How often a record of the last poll has been delivered, this time included.

        Raises:
            LocalProtocolError: it is not from the last poll, or already acknowledged.
        """
        return self._acquired.delivery_count(self._place(record), record.offset)

    async def commit(
        self, timeout_s: float | None = None
    ) -> dict[TopicPartition, KafkaError | None]:
        """Send all acknowledgements; return the outcome of each partition, None for success.

        With implicit acknowledgement it accepts the records of the last poll. Errors of
        acknowledgements that polls have sent are reported, too. Records whose acknowledgement failed
        are delivered again.

        Raises:
            RequestTimeout: brokers did not respond within `timeout_s` seconds (None:
                default.api.timeout.ms).
        """
        self._check_open()
        self._accept_rest()
        deadline = self._cluster.limits.deadline(timeout_s)
        places = self._acquired.due_places()
        sending = self._loop.create_task(self._send_due())
        await self._cluster.limits.within(deadline, "acknowledging", sending)
        outcome: dict[TopicPartition, KafkaError | None] = {
            self._reading.names[place]: None for place in places if place in self._reading.names
        }
        return outcome | self._refusals()

    async def close(self, timeout_s: float | None = None) -> None:
        """Send acknowledgements, release the rest, leave the group, close the connections.

        With implicit acknowledgement it accepts the records of the last poll. Waits for brokers up to
        `timeout_s` seconds (None: default.api.timeout.ms). A second call does nothing.
        """
        if self._closed:
            return
        self._closed = True
        self._accept_rest()
        deadline = self._cluster.limits.deadline(timeout_s)
        try:
            await self._end_sessions(deadline)
            await self.member.leave(deadline)
        finally:
            self.drop()

    def wakeup(self) -> None:
        """Interrupt the current `poll`, or the next one, with `WakeupError`. Call it on the loop."""
        self._note(WakeupError("the consumer was woken by wakeup()"))

    def release_rest(self) -> None:
        """Release the records of the last poll without an acknowledgement: they are delivered again."""
        self._unread.clear()
        self._acquired.acknowledge_rest(AcknowledgeType.RELEASE)

    def drop(self) -> None:
        """Close the connections at once; a second call does nothing."""
        self._closed = True
        self.member.close()
        self._reading.close()
        self._cluster.close()

    def metrics(self) -> Metrics:
        """Return counters so far: requests, bytes, returned records, average latency. Any thread."""
        return self._cluster.metrics(self._reading.count)

    async def _wait(self, end: float | None) -> None:
        """Wait for a fetch, an assignment, an error, the end of a back-off, or the end of the poll."""
        now = self._loop.time()
        ends = (end, self._reading.next_try(), now + self.options.max_wait_s + 0.1)
        try:
            async with asyncio.timeout_at(min(each for each in ends if each is not None)):
                await self._news.wait()
        except TimeoutError:
            return
        finally:
            self._news.clear()

    def _take_unread(self) -> list[Record]:
        records = list(self._unread)
        self._unread.clear()
        return records

    # ---- acknowledging --------------------------------------------------------------------

    def _accept_rest(self) -> None:
        """With implicit acknowledgement: accept what the user has seen of the last poll."""
        if not self.options.explicit:
            unread = [(self._place(record), record.offset) for record in self._unread]
            self._acquired.acknowledge_rest(AcknowledgeType.ACCEPT, unread)

    async def _send_due(self) -> None:
        for node_id in self._acquired.nodes():
            try:
                await self._sessions.acknowledge(node_id)
            except KafkaError as error:
                log.debug("acknowledgements not sent node=%d why=%s", node_id, error)

    async def _end_sessions(self, deadline: Deadline) -> None:
        try:
            async with asyncio.timeout_at(deadline.at):
                for node_id in self._sessions.open_nodes():
                    await self._sessions.acknowledge(node_id, closes=True)
        except (KafkaError, TimeoutError) as error:
            log.warning(
                "acknowledgements may be lost: their records are delivered again why=%s", error
            )
        self._report_refusals()

    def _report_refusals(self) -> None:
        for where, refusal in self._refusals().items():
            log.warning("not acknowledged where=%s-%d why=%s", *where, refusal)

    def _refusals(self) -> dict[TopicPartition, KafkaError]:
        ended = BrokerError(ErrorCode.SHARE_SESSION_NOT_FOUND, "the session has ended")
        refused = {**dict.fromkeys(self._acquired.refused, ended), **self._sessions.refused}
        self._acquired.refused.clear()
        self._sessions.refused = {}
        return {
            self._reading.names[place]: error
            for place, error in refused.items()
            if place in self._reading.names
        }

    def _place(self, record: Record) -> TopicIdIndex:
        place = self._reading.places.get(TopicPartition(record.topic, record.partition))
        if place is None:
            raise LocalProtocolError(f"the record at offset {record.offset} is not acquired")
        return place

    def _note(self, error: KafkaError | None) -> None:
        if error is not None:
            self._reading.failure = error
        self._news.set()

    def _check_open(self) -> None:
        if self._closed:
            raise LocalProtocolError("the share consumer is closed")

    def __reduce__(self) -> Any:
        raise TypeError("a ShareConsumer holds connections: create one where you use it")
