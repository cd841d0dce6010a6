"""Sends the fetches that the fetcher plans and finds positions that are not known. Decodes nothing."""

import asyncio
import logging
from functools import partial
from typing import Any, Final

from barnabas.client.aio.asking import lookup_offsets
from barnabas.client.aio.cluster import Cluster
from barnabas.client.aio.group_offsets import GroupOffsets
from barnabas.client.aio.wake import Wake
from barnabas.client.core.consumer_options import ConsumerOptions
from barnabas.client.core.fetching import Ask, Fetcher
from barnabas.errors import BrokerError, ErrorCode, KafkaError
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.fetch import FetchResponse
from barnabas.types import TopicPartition

log = logging.getLogger(__name__)

_WITHOUT_TOPIC_IDS: Final = 12
_RETRY_S: Final = 0.1


class FetchDriver:
    """The loop's side of a consumer."""

    def __init__(
        self, cluster: Cluster, options: ConsumerOptions, group: GroupOffsets | None
    ) -> None:
        self.fetcher = Fetcher(options, cluster.view)
        self._cluster = cluster
        self._options = options
        self._group = group
        self._loop = cluster.around.loop
        self._waiting: list[Wake] = []
        self._resolving: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False
        cluster.on_change.append(self.pump)

    def pump(self) -> None:
        """Send what may be sent now."""
        if self._closed:
            return
        fetcher, now = self.fetcher, self._loop.time()
        for ask in fetcher.plan(now, self._reachable):
            self._send(ask)
        if fetcher.stale:
            fetcher.stale = False
            self._cluster.refresh()
        unknown = any(not position.known for position in fetcher.positions.values())
        if unknown and self._resolving is None:
            self._resolving = self._loop.create_task(self._resolve())
        waits = [
            position.not_before
            for position in fetcher.positions.values()
            if position.not_before > now
        ]
        if waits and self._timer is None:
            self._timer = self._loop.call_at(min(waits), self._look_again)

    def raise_failure(self) -> None:
        """Raise the first error that the user was not told of."""
        if self.fetcher.failures:
            raise self.fetcher.failures.popleft()

    def deadline(self, timeout_s: float | None) -> float | None:
        """When a wait of `timeout_s` from now ends."""
        return None if timeout_s is None else self._loop.time() + timeout_s

    async def arrival(self, deadline: float | None) -> bool:
        """Wait until something came (records, a position, an error); False when time is up."""
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

    async def known(self, where: TopicPartition) -> None:
        """Return when the position of a partition is known; the caller bounds the time."""
        while not self.fetcher.position(where).known:
            self.raise_failure()
            await self.arrival(None)

    def close(self) -> None:
        """Stop, and end the connections."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        if self._resolving is not None:
            self._resolving.cancel()
        self._cluster.on_change.remove(self.pump)
        self._end_sessions()
        self._cluster.close()

    def _end_sessions(self) -> None:
        """Let brokers forget our sessions, if that can be told without waiting."""
        for node_id, request in self.fetcher.farewells().items():
            link = self._cluster.ready(node_id)
            if link is not None:
                link.send(ApiKey.FETCH, request, _unheard)

    def _look_again(self) -> None:
        self._timer = None
        self.pump()

    def _reachable(self, node_id: int) -> bool:
        if self._cluster.link(node_id) is not None:
            return True
        wait = self._cluster.reconnect_wait(node_id)
        if wait > 0:
            self.fetcher.leave(node_id)
            if self._timer is None:
                self._timer = self._loop.call_later(wait, self._look_again)
        return False

    def _send(self, ask: Ask) -> None:
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

    def _answered(self, ask: Ask, answer: Any) -> None:
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

    async def _resolve(self) -> None:
        """Find the positions that are not known, again where it fails for a while."""
        failures = 0
        try:
            while unknown := self._unknown():
                try:
                    await self._find(unknown)
                except KafkaError as error:
                    failures += 1
                    log.debug("positions not found failures=%d why=%s", failures, error)
                    if not error.retriable:
                        self.fetcher.failures.append(error)
                        self._wake()
                    await asyncio.sleep(self._cluster.retry_wait(failures))
        finally:
            self._resolving = None
        self._wake()
        self.pump()

    def _unknown(self) -> dict[TopicPartition, tuple[int, int | None]]:
        return {
            where: (position.turn, position.wanted)
            for where, position in self.fetcher.positions.items()
            if not position.known
        }

    async def _find(self, unknown: dict[TopicPartition, tuple[int, int | None]]) -> None:
        committed: dict[TopicPartition, int] = {}
        fresh = [where for where, (_, wanted) in unknown.items() if wanted is None]
        if self._group is not None and fresh:
            committed = await self._group.committed(fresh)
        ends: dict[TopicPartition, int] = {}
        for where, (turn, wanted) in unknown.items():
            end = self._options.reset if wanted is None else wanted
            if where in committed:
                self.fetcher.resolved(where, turn, committed[where])
            elif end is None:
                what = f"{where.topic}-{where.partition} has no position, auto.offset.reset is none"
                raise BrokerError(ErrorCode.OFFSET_OUT_OF_RANGE, f"{what}: seek first")
            else:
                ends[where] = end
        found = await lookup_offsets(
            self._cluster,
            ends,
            committed_only=self._options.committed_only,
            seconds=self._options.api_timeout_s,
        )
        for where, each in found.items():
            self.fetcher.resolved(where, unknown[where][0], each.offset)


def _unheard(_: object) -> None:
    """Nobody waits for this answer."""
