"""Links: the connections of a client to the brokers of its cluster.

A link opens on first use. Until the addresses of the brokers are known, links lead to bootstrap servers, with
negative numbers instead of node ids. Requests that may wait at a coordinator have a connection of their own
(`APART`): a broker answers the requests of one connection in order, so a waiting join would delay every fetch.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from barnabas.client.aio.cluster.environment import ClientEnvironment
from barnabas.client.aio.cluster.link import Link, LinkOptions
from barnabas.client.aio.cluster.time_limits import TimeLimits
from barnabas.client.aio.cluster.wake import Wake
from barnabas.client.core.cluster.cluster_view import ClusterView
from barnabas.client.core.cluster.fallback import fallback_release
from barnabas.client.core.cluster.responses import BufferPool
from barnabas.client.core.cluster.retry import Backoff
from barnabas.client.core.metrics import Traffic
from barnabas.config.clients import ClientConfig
from barnabas.errors import LocalProtocolError
from barnabas.version import __version__

log = logging.getLogger(__name__)

APART: Final = 1 << 32
"""Added to a node id: a second link to that broker, for requests that may wait there for long."""

Address = tuple[str, int]
"""Host and port."""


class Links:
    """One link for each node id in use, and back-off for each address that failed.

    `on_change` callbacks run when a link becomes ready or is lost; `on_lost` when one is lost. Broker
    addresses come from `view`. `bootstrap` are the addresses of the bootstrap servers.
    """

    def __init__(
        self,
        config: ClientConfig,
        environment: ClientEnvironment,
        view: ClusterView,
        bootstrap: tuple[Address, ...],
        on_lost: Callable[[], None],
    ) -> None:
        self.traffic = Traffic()
        self.limits = TimeLimits(environment.loop, config, bootstrap)
        self.on_change: list[Callable[[], None]] = []
        self._on_lost = on_lost
        self._environment = environment
        self._view = view
        self._bootstrap = bootstrap
        self._options = LinkOptions(
            config.client_id,
            __version__,
            config.socket_connection_setup_timeout_ms / 1000,
            config.request_timeout_ms / 1000,
            buffers=(config.send_buffer_bytes, config.receive_buffer_bytes),
        )
        self._reconnect = Backoff(
            config.reconnect_backoff_ms, config.reconnect_backoff_max_ms, environment.entropy
        )
        self._idle_s = config.connections_max_idle_ms / 1000
        self._idle_timer: asyncio.TimerHandle | None = None
        self._pool = BufferPool()
        self._links: dict[int, Link] = {}
        self._fallback = fallback_release(config)
        self._options_without_asking = replace(self._options, assumed_release=self._fallback)
        self._asks_versions = config.api_version_request
        self._old: set[Address] = set()
        """Where brokers did not respond to ApiVersions."""
        self._failed: dict[Address, tuple[int, float]] = {}
        """Of an address: the failures since the last success, and the time of the last one."""
        self._logged = ""
        self._closed = False

    def ready(self, node_id: int) -> Link | None:
        """Return the link to a broker if it is ready; open none."""
        known = self._links.get(node_id)
        return known if known is not None and known.ready else None

    def ready_count(self) -> int:
        """The number of ready links. Any thread."""
        return sum(link.ready for link in list(self._links.values()))

    def existing(self, node_id: int) -> Link | None:
        """Return the link to a broker, ready or not; open none."""
        return self._links.get(node_id)

    def open_soon(self, node_id: int) -> None:
        """Open the link to a known broker, unless there is one or back-off forbids it."""
        broker = self._view.brokers.get(node_id % APART)
        if broker is None or node_id in self._links or self._closed:
            return
        address = (broker.host, broker.port)
        if self._wait_before(address) <= 0:
            self._open(node_id, address)

    def hang_up(self, node_id: int) -> None:
        """Close the link to a broker, if any; its pending requests fail with ConnectionFailed."""
        link = self._links.pop(node_id, None)
        if link is not None:
            link.close()

    def reconnect_wait(self, node_id: int) -> float:
        """Seconds until the client may try a broker again; 0 if its address is unknown."""
        broker = self._view.brokers.get(node_id % APART)
        return 0.0 if broker is None else max(0.0, self._wait_before((broker.host, broker.port)))

    async def any(self) -> Link:
        """Return the ready link with the fewest pending requests, otherwise the first that can be opened.

        Raises:
            ConnectionFailed: no broker and no bootstrap server can be reached.
        """
        ready = [link for key, link in self._links.items() if link.ready and key < APART]
        if ready:
            return min(ready, key=lambda link: link.waiting)
        candidates = [(node, (row.host, row.port)) for node, row in self._view.brokers.items()]
        known = {address for _, address in candidates}
        for index, address in enumerate(self._bootstrap):
            if address not in known:
                candidates.append((-1 - index, address))
        for node_id, address in candidates:
            link = self._links.get(node_id)
            if link is None:
                await asyncio.sleep(max(0.0, self._wait_before(address)))
                link = self._links.get(node_id) or self._open(node_id, address)
            await self.settled(link)
            if link.unanswered and self._fallback:
                link = self._links.get(node_id) or self._open(node_id, address)
                await self.settled(link)
            if link.ready:
                return link
        error = self.limits.failures.error()
        if str(error) != self._logged:
            self._logged = str(error)
            log.warning("still trying: %s", error)
        raise error

    async def settled(self, link: Link) -> None:
        """Return when a link is ready or closed; the caller bounds the time."""
        while not link.ready and not link.closed:
            waiting: asyncio.Future[None] = self._environment.loop.create_future()
            wake = Wake(waiting)
            self.on_change.append(wake)
            try:
                await waiting
            finally:
                self.on_change.remove(wake)

    def changed(self) -> None:
        """Run the `on_change` callbacks."""
        for callback in list(self.on_change):
            callback()

    def take_addresses(self) -> None:
        """Keep the links that lead to brokers of the updated view; close the others.

        A bootstrap connection becomes a broker's if that has the same address and no link yet.
        """
        self.limits.failures.forget()
        for node_id in [node_id for node_id in self._links if node_id < 0]:
            link = self._links.pop(node_id)
            same = [
                row.node_id
                for row in self._view.brokers.values()
                if (row.host, row.port) == link.address and row.node_id not in self._links
            ]
            if same:
                self._links[same[0]] = link
            else:
                link.close()
        for node_id, link in list(self._links.items()):
            broker = self._view.brokers.get(node_id % APART)
            if broker is None or (broker.host, broker.port) != link.address:
                del self._links[node_id]
                link.close()

    def close(self) -> None:
        """Close all links; pending requests fail with ConnectionFailed. A second call does nothing."""
        self._closed = True
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        for link in list(self._links.values()):
            link.close()
        self._pool.clear()  # Clients are cycles: the garbage collector may come minutes later.

    def _open(self, node_id: int, address: Address) -> Link:
        if self._closed:
            raise LocalProtocolError("the client is closed")
        loop = self._environment.loop
        asks = self._asks_versions and address not in self._old
        options = self._options if asks else self._options_without_asking
        link = Link(loop, address, options, self._pool, self._link_changed, self.traffic)
        self._links[node_id] = link
        if self._idle_s >= 0 and self._idle_timer is None:
            self._idle_timer = loop.call_later(self._idle_s, self._close_idle)
        link.open(self._environment.network)
        return link

    def _wait_before(self, address: Address) -> float:
        """Seconds until the client may try this address again; 0 or less: now."""
        failures, since = self._failed.get(address, (0, 0.0))
        return since + self._reconnect.seconds(failures) - self._environment.loop.time()

    def _link_changed(self, link: Link) -> None:
        if link.ready:
            self.limits.reached = True
            self._failed.pop(link.address, None)
        else:
            self._link_lost(link)
        self.changed()

    def _link_lost(self, link: Link) -> None:
        nodes = [node_id for node_id, mine in self._links.items() if mine is link]
        if self._closed or not nodes:
            return  # This client closed it.
        del self._links[nodes[0]]
        if link.unanswered and self._fallback:
            log.info("broker=%s is taken to be of release %s", link, self._fallback)
            self._old.add(link.address)
            return
        failures, _ = self._failed.get(link.address, (0, 0.0))
        self._failed[link.address] = (failures + 1, self._environment.loop.time())
        self.limits.note_failure(str(link), link.failure)
        log.info("connection lost broker=%s why=%s", link, link.failure)
        self._on_lost()

    def _close_idle(self) -> None:
        """Close links unused for connections.max.idle.ms, including the last one."""
        loop = self._environment.loop
        latest = loop.time() - self._idle_s
        for node_id, link in list(self._links.items()):
            since = link.idle_since()
            if since is not None and since <= latest:
                log.debug("idle connection closed broker=%s", link)
                del self._links[node_id]
                link.close()
        self._idle_timer = loop.call_later(self._idle_s, self._close_idle) if self._links else None
