"""A client's view of the brokers of a cluster: links, metadata, and the broker for each request.

It knows nothing of producing or consuming. Make all calls on the loop's thread.

Requests that may wait at a coordinator have a connection of their own (`APART`): a broker answers
the requests of one connection in order, so a waiting join would delay every fetch.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final

from barnabas.client.aio.cluster.environment import ClientEnvironment
from barnabas.client.aio.cluster.link import Link, LinkOptions
from barnabas.client.aio.cluster.time_limits import TimeLimits
from barnabas.client.aio.cluster.wake import Wake
from barnabas.client.core.cluster.bootstrap import parse_addresses
from barnabas.client.core.cluster.cluster_view import ClusterView
from barnabas.client.core.cluster.requests import api_of, metadata_request
from barnabas.client.core.cluster.responses import BufferPool
from barnabas.client.core.cluster.retry import Backoff
from barnabas.client.core.metrics import Metrics, Traffic
from barnabas.config.clients import ClientConfig
from barnabas.errors import (
    BrokerError,
    ConnectionFailed,
    ErrorCode,
    KafkaError,
    LocalProtocolError,
)
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.metadata import MetadataResponse
from barnabas.version import __version__

log = logging.getLogger(__name__)

APART: Final = 1 << 32
"""Added to a node id: a second link to that broker, for requests that may wait there for long."""

_MAKES = "not on the cluster: %s; requesting its creation, because allow.auto.create.topics is true"
_LEAVES = "not on the cluster: %s; not created, because allow.auto.create.topics is false"


class Cluster:
    """Links to brokers, opened on first use, and the metadata that says which broker to use.

    `topics`: those whose metadata stays fresh. `on_change` callbacks run after each update of the
    view and whenever a link becomes ready or is lost. `limits` bounds waiting calls.
    `creates_topics`: whether requesting a topic may create it; `tells_of_new_topics`: log topics
    that are missing, each once, and whether that creates them.
    """

    def __init__(self, config: ClientConfig, environment: ClientEnvironment) -> None:
        self.environment = environment
        self.topics: set[str] = set()
        self.view = ClusterView(config.metadata_max_age_ms / 1000)
        self.on_change: list[Callable[[], None]] = []
        self.creates_topics = False
        self.tells_of_new_topics = False
        self._missing: set[str] = set()
        self.traffic = Traffic()
        self._client_id = config.client_id
        self._bootstrap = parse_addresses(config.bootstrap_servers)
        self._options = LinkOptions(
            config.client_id,
            __version__,
            config.socket_connection_setup_timeout_ms / 1000,
            config.request_timeout_ms / 1000,
            buffers=(config.send_buffer_bytes, config.receive_buffer_bytes),
        )
        self.limits = TimeLimits(environment.loop, config, self._bootstrap)
        self._idle_s = config.connections_max_idle_ms / 1000
        self._idle_timer: asyncio.TimerHandle | None = None
        self._retry = Backoff(
            config.retry_backoff_ms, config.retry_backoff_max_ms, environment.entropy
        )
        self._reconnect = Backoff(
            config.reconnect_backoff_ms, config.reconnect_backoff_max_ms, environment.entropy
        )
        self._pool = BufferPool()
        self._links: dict[int, Link] = {}
        self._lost: dict[tuple[str, int], tuple[int, float]] = {}
        self._warned = ""
        self._refreshing: asyncio.Task[None] | None = None
        self._updated = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    def metrics(self, records: int) -> Metrics:
        """The counters now, of a client that has stored or returned so many records. Any thread."""
        connections = sum(link.ready for link in list(self._links.values()))
        counted = self.traffic.snapshot(records)
        return replace(counted, client_id=self._client_id, connections=connections)

    # ---- requests -------------------------------------------------------------------------

    def link(self, node_id: int) -> Link | None:
        """Return the ready link to a broker, or None; then open one as soon as back-off allows."""
        known = self._links.get(node_id)
        if known is not None:
            return known if known.ready else None
        broker = self.view.brokers.get(node_id % APART)
        if broker is None:
            self.refresh()
        elif not self._closed and self.wait_before((broker.host, broker.port)) <= 0:
            self._open(node_id, (broker.host, broker.port))
        return None

    def ready(self, node_id: int) -> Link | None:
        """Return the link to a broker if it is ready; open none."""
        known = self._links.get(node_id)
        return known if known is not None and known.ready else None

    def hang_up(self, node_id: int) -> None:
        """Close the link to a broker, if any; its pending requests fail with ConnectionFailed."""
        link = self._links.pop(node_id, None)
        if link is not None:
            link.close()

    def wait_before(self, address: tuple[str, int]) -> float:
        """Seconds until the client may try this address again."""
        failures, since = self._lost.get(address, (0, 0.0))
        return since + self._reconnect.seconds(failures) - self.environment.loop.time()

    def reconnect_wait(self, node_id: int) -> float:
        """Seconds until the client may try a broker again; 0 if its address is unknown."""
        broker = self.view.brokers.get(node_id % APART)
        return 0.0 if broker is None else max(0.0, self.wait_before((broker.host, broker.port)))

    async def ready_link(self, node_id: int) -> Link:
        """Return the link to a broker once it is ready; the caller bounds the time.

        Raises:
            ConnectionFailed: the attempt failed, or the cluster has no such broker now; the message
                names the address, or the broker.
        """
        while True:
            link = self.link(node_id)
            if link is not None:
                return link
            opening = self._links.get(node_id)
            if opening is None:
                await asyncio.sleep(max(0.001, self.reconnect_wait(node_id)))
                if self.view.brokers.get(node_id % APART) is None:
                    await self.updated()
                    if node_id % APART not in self.view.brokers:
                        # Another broker may do its work by now.
                        raise ConnectionFailed(f"broker {node_id % APART} is not in the cluster")
            else:
                await self._settled(opening)
                if opening.failure is not None:
                    raise opening.failure

    async def ask(
        self, message: object, *, node_id: int | None = None, timeout_s: float | None = None
    ) -> Any:
        """Send a request to a broker (None: any) and return its response.

        Raises:
            ConnectionFailed, RequestTimeout: no response arrived.
            BrokerError: the broker does not support this API.
        """
        link = await (self._any_link() if node_id is None else self.ready_link(node_id))
        return await self.ask_over(link, message, timeout_s=timeout_s)

    async def ask_over(
        self,
        link: Link,
        message: object,
        *,
        version: int | None = None,
        timeout_s: float | None = None,
    ) -> Any:
        """Like `ask`, over a given link."""
        future: asyncio.Future[Any] = self.environment.loop.create_future()

        def answered(result: Any) -> None:
            if future.done():
                return
            if isinstance(result, KafkaError):
                future.set_exception(result)
            else:
                future.set_result(result)

        link.send(api_of(message), message, answered, version=version, timeout_s=timeout_s)
        return await future

    # ---- metadata -------------------------------------------------------------------------

    def refresh(self) -> None:
        """Request metadata now, unless a request is pending or has just failed."""
        self.view.stale = True
        self._ask_soon()

    async def updated(self) -> None:
        """Return after the next update of the view; the caller bounds the time."""
        self.refresh()
        await self._updated.wait()

    async def know(self, topics: Iterable[str]) -> None:
        """Return when the view contains all these topics; the caller bounds the time."""
        names = set(topics)
        self.topics |= names
        while self.view.updates == 0 or not names <= self.view.topics.keys():
            self._ask_soon()
            await self._updated.wait()

    def retry_wait(self, failures: int) -> float:
        """Seconds to wait after `failures` failures of the same request (retry.backoff.ms)."""
        return self._retry.seconds(failures)

    def _ask_soon(self) -> None:
        """Request topics that the view lacks, or all of them if it is stale."""
        if self._refreshing is None and not self._closed:
            self._refreshing = self.environment.loop.create_task(self._keep_asking())

    async def _keep_asking(self) -> None:
        failures = 0
        while not self._closed:
            try:
                await self._ask_metadata()
            except KafkaError as error:
                failures += 1
                log.debug("metadata not had failures=%d why=%s", failures, error)
                await asyncio.sleep(self._retry.seconds(failures))
            else:
                if not self.view.stale:
                    break
        self._refreshing = None
        if not self._closed:
            self._updated.set()
            self._updated = asyncio.Event()
            self._changed()

    async def _ask_metadata(self) -> None:
        link = await self._any_link()
        # Otherwise a producer of thousands of topics would request all of them at each new one.
        partial = not self.view.stale and not self.topics <= self.view.topics.keys()
        topics = self.topics - self.view.topics.keys() if partial else self.topics
        quietly = self.creates_topics and not self.tells_of_new_topics
        response = await self._metadata(link, topics, create=quietly)
        missing = self._missing_of(response) if self.tells_of_new_topics else set()
        if missing and self.creates_topics:
            log.warning(_MAKES, ", ".join(sorted(missing)))
            response = await self._metadata(link, topics, create=True)
        elif missing - self._missing:
            log.warning(_LEAVES, ", ".join(sorted(missing - self._missing)))
        self._missing = missing | self._missing if partial else missing
        if not response.brokers:
            raise ConnectionFailed(f"{link} knows no brokers yet")
        self.view.update(response, self.environment.loop.time(), partial=partial)
        self.limits.failures.forget()
        self._retire_bootstrap()
        self._close_moved()
        if partial:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.environment.loop.call_later(self.view.max_age_s, self.refresh)

    @staticmethod
    def _missing_of(response: MetadataResponse) -> set[str]:
        unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        return {row.name or "" for row in response.topics if row.error_code == unknown}

    async def _metadata(
        self, link: Link, topics: Iterable[str], *, create: bool
    ) -> MetadataResponse:
        version = link.protocol.version_of(ApiKey.METADATA)
        request = metadata_request(sorted(topics), create=create)
        response = await self.ask_over(link, request, version=version)
        assert isinstance(response, MetadataResponse)
        return response

    # ---- links ----------------------------------------------------------------------------

    async def _any_link(self) -> Link:
        """The ready link with the fewest pending requests, otherwise the first that can be opened."""
        ready = [link for key, link in self._links.items() if link.ready and key < APART]
        if ready:
            return min(ready, key=lambda link: link.waiting)
        candidates = [(node, (row.host, row.port)) for node, row in self.view.brokers.items()]
        known = {address for _, address in candidates}
        for index, address in enumerate(self._bootstrap):
            if address not in known:
                candidates.append((-1 - index, address))
        for node_id, address in candidates:
            link = self._links.get(node_id)
            if link is None:
                await asyncio.sleep(max(0.0, self.wait_before(address)))
                link = self._links.get(node_id) or self._open(node_id, address)
            await self._settled(link)
            if link.ready:
                return link
        error = self.limits.failures.error()
        if str(error) != self._warned:
            self._warned = str(error)
            log.warning("still trying: %s", error)
        raise error

    def _open(self, node_id: int, address: tuple[str, int]) -> Link:
        if self._closed:
            raise LocalProtocolError("the client is closed")
        changed, traffic = self._link_changed, self.traffic
        link = Link(self.environment.loop, address, self._options, self._pool, changed, traffic)
        self._links[node_id] = link
        if self._idle_s >= 0 and self._idle_timer is None:
            self._idle_timer = self.environment.loop.call_later(self._idle_s, self._close_idle)
        link.open(self.environment.network)
        return link

    async def _settled(self, link: Link) -> None:
        while not link.ready and not link.closed:
            waiting: asyncio.Future[None] = self.environment.loop.create_future()
            wake = Wake(waiting)
            self.on_change.append(wake)
            try:
                await waiting
            finally:
                self.on_change.remove(wake)

    def _link_changed(self, link: Link) -> None:
        if link.ready:
            self.limits.reached = True
            self._lost.pop(link.address, None)
        else:
            self._link_lost(link)
        self._changed()

    def _link_lost(self, link: Link) -> None:
        nodes = [node_id for node_id, mine in self._links.items() if mine is link]
        if self._closed or not nodes:
            return  # We closed it ourselves.
        del self._links[nodes[0]]
        failures, _ = self._lost.get(link.address, (0, 0.0))
        self._lost[link.address] = (failures + 1, self.environment.loop.time())
        self.limits.note_failure(str(link), link.failure)
        log.info("connection lost broker=%s why=%s", link, link.failure)
        if self.view.updates:
            self.refresh()

    def _retire_bootstrap(self) -> None:
        """Keep a bootstrap connection as a broker's if the address is the same; otherwise close it."""
        for node_id in [node_id for node_id in self._links if node_id < 0]:
            link = self._links.pop(node_id)
            same = [
                row.node_id
                for row in self.view.brokers.values()
                if (row.host, row.port) == link.address and row.node_id not in self._links
            ]
            if same:
                self._links[same[0]] = link
            else:
                link.close()

    def _close_moved(self) -> None:
        for node_id, link in list(self._links.items()):
            broker = self.view.brokers.get(node_id % APART)
            if broker is None or (broker.host, broker.port) != link.address:
                del self._links[node_id]
                link.close()

    def _close_idle(self) -> None:
        """Close links unused for connections.max.idle.ms, including the last one."""
        loop = self.environment.loop
        latest = loop.time() - self._idle_s
        for node_id, link in list(self._links.items()):
            since = link.idle_since()
            if since is not None and since <= latest:
                log.debug("idle connection closed broker=%s", link)
                del self._links[node_id]
                link.close()
        self._idle_timer = loop.call_later(self._idle_s, self._close_idle) if self._links else None

    def _changed(self) -> None:
        for callback in list(self.on_change):
            callback()

    def close(self) -> None:
        """Close all links; pending requests fail with ConnectionFailed.

        A second call does nothing.
        """
        self._closed = True
        for each in (self._timer, self._idle_timer, self._refreshing):
            if each is not None:
                each.cancel()
        for link in list(self._links.values()):
            link.close()
        self._pool.clear()  # Clients are cycles: the garbage collector may come minutes later.


def check(code: int, what: str) -> None:
    """Raise an error code of a response.

    Raises:
        BrokerError: `code` is not 0; the message names the request.
    """
    if code:
        raise BrokerError(code, what)
