"""Sends the fetches that the fetcher plans, and has positions found. Decodes nothing."""

import asyncio
from collections.abc import Iterable
from functools import partial
from typing import Any, Final

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.cluster.wake import Wake
from barnabas.client.aio.fetching.group_offsets import CommittedOffsets
from barnabas.client.aio.fetching.position_finder import PositionFinder
from barnabas.client.core.consumer.consumer_options import ConsumerOptions
from barnabas.client.core.consumer.fetch_requests import PlannedFetch
from barnabas.client.core.consumer.fetcher import Fetcher
from barnabas.errors import BrokerError, ErrorCode, KafkaError
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.fetch import FetchResponse
from barnabas.types import TopicPartition

_WITHOUT_TOPIC_IDS: Final = 12
_RETRY_S: Final = 0.1


class FetchDriver:
    """The I/O side of a consumer."""

    def __init__(
        self, cluster: Cluster, options: ConsumerOptions, group: CommittedOffsets | None
    ) -> None:
        self.fetcher = Fetcher(options, cluster.view)
        self._cluster = cluster
        self._options = options
        self._loop = cluster.environment.loop
        self._waiting: list[Wake] = []
        self._finder = PositionFinder(cluster, options, group, self.fetcher, self.news)
        self._timer: asyncio.TimerHandle | None = None
        self.closed = False
        cluster.on_change.append(self.pump)

    def pump(self) -> None:
        """Send what may be sent now."""
        if self.closed:
            return
        fetcher, now = self.fetcher, self._loop.time()
        self._finder.look()
        for ask in fetcher.plan(now, self._reachable):
            self._send(ask)
        leaderless, fetcher.leaderless = fetcher.leaderless, []
        for where in leaderless:
            self._finder.leaderless(where)
        if fetcher.stale:
            fetcher.stale = False
            self._cluster.metadata.refresh()
        waits = [
            position.not_before
            for position in fetcher.positions.values()
            if position.not_before > now
        ]
        if waits:
            self._look_again_at(min(waits))

    def assign(self, partitions: Iterable[TopicPartition]) -> None:
        """Read exactly these partitions from now on; those already assigned keep their positions."""
        self.fetcher.assign(partitions)
        self.pump()

    def raise_failure(self) -> None:
        """Raise the first error that was not raised yet."""
        if self.fetcher.failures:
            self._finder.forget_stale()
        if self.fetcher.failures:
            raise self.fetcher.failures.popleft()

    def deadline(self, timeout_s: float | None) -> float | None:
        """The end of a wait of `timeout_s` from now."""
        return None if timeout_s is None else self._loop.time() + timeout_s

    async def arrival(self, deadline: float | None) -> bool:
        """Wait for records, a position or an error; False on timeout."""
        self.pump()
        if self.fetcher.failures:
            return True
        future: asyncio.Future[None] = self._loop.create_future()
        wake = Wake(future)
        self._waiting.append(wake)
        timer = None if deadline is None else self._loop.call_at(deadline, wake)
        try:
            await future
        finally:
            if timer is not None:
                timer.cancel()
            if wake in self._waiting:
                self._waiting.remove(wake)
        return deadline is None or self._loop.time() < deadline

    def news(self) -> None:
        """Wake the waiting call."""
        self._wake()
        self._loop.call_soon(self.pump)

    async def known(self, where: TopicPartition) -> None:
        """Return when the position of a partition is known; the caller bounds the time."""
        while not self.fetcher.position(where).known:
            self.raise_failure()
            await self.arrival(None)

    def close(self) -> None:
        """Stop, and close the connections."""
        self.closed = True
        if self._timer is not None:
            self._timer.cancel()
        self._finder.close()
        self._cluster.on_change.remove(self.pump)
        self._end_sessions()
        self.fetcher.parts.clear()
        self._cluster.close()

    def _end_sessions(self) -> None:
        """Close the fetch sessions at the brokers, if that takes no waiting."""
        for node_id, request in self.fetcher.farewells().items():
            link = self._cluster.links.ready(node_id)
            if link is not None:
                link.send(ApiKey.FETCH, request, _ignore_response)

    def _look_again(self) -> None:
        self._timer = None
        self.pump()

    def _reachable(self, node_id: int) -> bool:
        if self._cluster.link(node_id) is not None:
            return True
        wait = self._cluster.links.reconnect_wait(node_id)
        if wait > 0:
            self.fetcher.leave(node_id)
            self._look_again_at(self._loop.time() + wait)
        return False

    def _look_again_at(self, when: float) -> None:
        """Call `pump` at this time (monotonic seconds)."""
        if self._timer is None or when < self._timer.when():
            if self._timer is not None:
                self._timer.cancel()
            self._timer = self._loop.call_at(when, self._look_again)

    def _send(self, ask: PlannedFetch) -> None:
        link = self._cluster.link(ask.node_id)
        try:
            if link is None:
                raise BrokerError(ErrorCode.NETWORK_EXCEPTION, "the connection was just lost")
            top = None if ask.by_id else _WITHOUT_TOPIC_IDS
            version = link.protocol.version_of(ApiKey.FETCH, at_most=top)
            seconds = self._options.max_wait_s + self._options.request_timeout_s
            answered = partial(self._answered, ask)
            link.send(ApiKey.FETCH, ask.request, answered, version=version, timeout_s=seconds)
        except KafkaError as error:
            self._answered(ask, error)

    def _answered(self, ask: PlannedFetch, answer: Any) -> None:
        now = self._loop.time()
        if isinstance(answer, KafkaError):
            self.fetcher.failed(ask, answer, now, _RETRY_S)
        else:
            assert isinstance(answer, FetchResponse)
            self.fetcher.answered(ask, answer, now, _RETRY_S)
        if self.fetcher.parts or self.fetcher.failures:
            self._wake()
        self._loop.call_soon(self.pump)

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for wake in waiting:
            wake()


def _ignore_response(_: object) -> None:
    """Ignore the response."""
