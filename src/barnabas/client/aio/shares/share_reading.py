"""Fetches of a share consumer: which brokers are asked for which partitions, and what they returned."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from typing import Final

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.cluster.topic_names import topic_names
from barnabas.client.aio.shares.share_requests import Fetched, ShareRequests
from barnabas.client.core.group.epoch_membership import TopicIdIndex
from barnabas.client.core.shares.acknowledgements import Acquired
from barnabas.client.core.shares.share_options import ShareOptions
from barnabas.errors import BrokerError, ErrorCode, KafkaError
from barnabas.protocol.share_fetch import AcquiredRecords
from barnabas.records.columns.reading import decode_records
from barnabas.records.columns.record import Record
from barnabas.types import TopicPartition

log = logging.getLogger(__name__)

_PASSING: Final = frozenset(
    {
        ErrorCode.SHARE_SESSION_NOT_FOUND,
        ErrorCode.INVALID_SHARE_SESSION_EPOCH,
        ErrorCode.SHARE_SESSION_LIMIT_REACHED,
    }
)
"""Errors after which a new session is opened."""


class ShareReading:
    """One fetch at a time with each broker; `on_news` is called when one ends.

    `names` and `places` name the partitions that were assigned, both ways. `failure` is the error to
    raise to the user. `count`: the records that were returned.
    """

    def __init__(
        self,
        cluster: Cluster,
        options: ShareOptions,
        sessions: ShareRequests,
        acquired: Acquired,
        on_news: Callable[[], None],
    ) -> None:
        self.names: dict[TopicIdIndex, TopicPartition] = {}
        self.places: dict[TopicPartition, TopicIdIndex] = {}
        self.failure: KafkaError | None = None
        self.count = 0
        self._cluster = cluster
        self._loop = cluster.environment.loop
        self._options = options
        self._sessions = sessions
        self._acquired = acquired
        self._on_news = on_news
        self._fetches: dict[int, asyncio.Task[list[Fetched]]] = {}
        self._not_before: dict[int, float] = {}
        self._failures = 0

    def raise_failure(self) -> None:
        """Raise the error to the user, once.

        Raises:
            KafkaError: reading cannot continue.
        """
        if self.failure is not None:
            error, self.failure = self.failure, None
            raise error

    def close(self) -> None:
        """Stop."""
        for fetch in self._fetches.values():
            fetch.cancel()

    def next_try(self) -> float | None:
        """When the first back-off ends, on the loop's clock; None without one."""
        now = self._loop.time()
        return min((when for when in self._not_before.values() if when > now), default=None)

    def arrived(self) -> list[Record]:
        """The records of fetches that have ended."""
        records: list[Record] = []
        for node_id, fetch in list(self._fetches.items()):
            if not fetch.done():
                continue
            del self._fetches[node_id]
            try:
                found = fetch.result()
            except KafkaError as error:
                self._fetch_failed(node_id, error)
                continue
            self._failures = 0
            for each in found:
                records += self._take(each)
        self.count += len(records)
        return records

    async def begin(self, assigned: frozenset[TopicIdIndex]) -> None:
        """Ask each broker that leads an assigned partition, unless it is being asked."""
        await self._learn_names(assigned)
        wanted: dict[int, list[TopicIdIndex]] = {}
        for place in assigned:
            where = self.names.get(place)
            leader = None if where is None else self._cluster.view.leader(where)
            if leader is not None:
                wanted.setdefault(leader.node_id, []).append(place)
            elif where is not None:
                self._cluster.metadata.topics.add(where.topic)
                self._cluster.metadata.refresh()
        now = self._loop.time()
        due = self._acquired.nodes() & set(self._sessions.open_nodes())
        for node_id in wanted.keys() | due:
            if node_id not in self._fetches and self._not_before.get(node_id, 0.0) <= now:
                fetch = self._sessions.fetch(node_id, wanted.get(node_id, []))
                task = self._fetches[node_id] = self._loop.create_task(fetch)
                task.add_done_callback(lambda _: self._on_news())

    def _take(self, fetched: Fetched) -> list[Record]:
        where, data = self.names.get(fetched.place), fetched.data
        code = ErrorCode.of(data.error_code)
        if code:
            self._cluster.metadata.refresh()
            self._not_before[fetched.node_id] = self._loop.time() + self._cluster.retry_wait(1)
            if not code.retriable:
                self.failure = BrokerError(code, data.error_message or f"fetching {where}")
        records = data.records
        if not data.acquired_records or records is None:
            return []
        assert isinstance(records, memoryview), "decoding gives a view"
        if where is None:  # Its topic is gone from the subscription.
            return self._give_back(fetched)
        first = data.acquired_records[0].first_offset
        check_crcs = self._options.check_crcs
        try:
            decoded, _ = decode_records(records, *where, start=first, check_crcs=check_crcs)
        except KafkaError as error:
            self.failure = error
            return self._give_back(fetched)
        mine = _within(decoded, data.acquired_records)
        offsets = [record.offset for record in mine]
        self._acquired.take(fetched.place, fetched.node_id, data.acquired_records, offsets)
        return mine

    def _give_back(self, fetched: Fetched) -> list[Record]:
        """Release what was acquired and cannot be returned."""
        ranges = fetched.data.acquired_records
        self._acquired.give_back(fetched.place, fetched.node_id, ranges)
        return []

    def _fetch_failed(self, node_id: int, error: KafkaError) -> None:
        self._failures += 1
        self._not_before[node_id] = self._loop.time() + self._cluster.retry_wait(self._failures)
        self._cluster.metadata.refresh()
        if not error.retriable and error.code not in _PASSING:
            self.failure = error
        else:
            log.debug("nothing acquired node=%d why=%s", node_id, error)

    async def _learn_names(self, assigned: frozenset[TopicIdIndex]) -> None:
        unnamed = {place.topic_id for place in assigned if place not in self.names}
        if not unnamed:
            return
        try:
            names = await topic_names(self._cluster, unnamed)
        except KafkaError as error:
            log.debug("no names of topics why=%s", error)
            return
        for place in assigned:
            if place.topic_id in names:
                where = TopicPartition(names[place.topic_id], place.partition)
                self.names[place], self.places[where] = where, place
                self._cluster.metadata.topics.add(where.topic)
        await self._cluster.metadata.know(names.values())


def _within(records: Iterable[Record], ranges: list[AcquiredRecords]) -> list[Record]:
    """The records whose offsets are acquired; both are in order."""
    found, at = [], 0
    for record in records:
        while at < len(ranges) and ranges[at].last_offset < record.offset:
            at += 1
        if at == len(ranges):
            break
        if record.offset >= ranges[at].first_offset:
            found.append(record)
    return found
