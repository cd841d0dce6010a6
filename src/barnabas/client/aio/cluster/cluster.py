"""Cluster: a client's connection to a Kafka cluster; finds the broker for each request.

It knows nothing of producing or consuming. Make all calls on the loop's thread.
"""

import asyncio
from dataclasses import replace
from typing import Any

from barnabas.client.aio.cluster.environment import ClientEnvironment
from barnabas.client.aio.cluster.link import Link
from barnabas.client.aio.cluster.links import APART, Links
from barnabas.client.aio.cluster.metadata import ClusterMetadata
from barnabas.client.core.cluster.bootstrap import parse_addresses
from barnabas.client.core.cluster.cluster_view import ClusterView
from barnabas.client.core.cluster.retry import Backoff
from barnabas.client.core.metrics import Metrics
from barnabas.config.clients import ClientConfig
from barnabas.errors import BrokerError, ConnectionFailed


class Cluster:
    """Links to brokers, opened on first use, and the metadata that says which broker to use.

    `view` is what the metadata say now. `on_change` callbacks run after each update of the view and
    whenever a link becomes ready or is lost. `limits` bounds waiting calls.
    """

    def __init__(self, config: ClientConfig, environment: ClientEnvironment) -> None:
        self.environment = environment
        self.view = ClusterView(config.metadata_max_age_ms / 1000)
        self._client_id = config.client_id
        self._retry = Backoff(
            config.retry_backoff_ms, config.retry_backoff_max_ms, environment.entropy
        )
        bootstrap = tuple(parse_addresses(config.bootstrap_servers))
        self.links = Links(config, environment, self.view, bootstrap, self._link_lost)
        self.metadata = ClusterMetadata(environment.loop, self.view, self.links, self._retry)
        self.limits, self.on_change = self.links.limits, self.links.on_change

    def metrics(self, records: int) -> Metrics:
        """The counters now, of a client that has stored or returned so many records. Any thread."""
        counted = self.links.traffic.snapshot(records)
        return replace(counted, client_id=self._client_id, connections=self.links.ready_count())

    def link(self, node_id: int) -> Link | None:
        """Return the ready link to a broker, or None; then open one as soon as back-off allows."""
        link = self.links.existing(node_id)
        if link is not None:
            return link if link.ready else None
        if node_id % APART in self.view.brokers:
            self.links.open_soon(node_id)
        else:
            self.metadata.refresh()
        return None

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
            opening = self.links.existing(node_id)
            if opening is None:
                await asyncio.sleep(max(0.001, self.links.reconnect_wait(node_id)))
                if self.view.brokers.get(node_id % APART) is None:
                    await self.metadata.updated()
                    if node_id % APART not in self.view.brokers:
                        # Another broker may do its work by now.
                        raise ConnectionFailed(f"broker {node_id % APART} is not in the cluster")
            else:
                await self.links.settled(opening)
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
        link = await (self.links.any() if node_id is None else self.ready_link(node_id))
        return await link.ask(message, timeout_s=timeout_s)

    def retry_wait(self, failures: int) -> float:
        """Seconds to wait after `failures` failures of the same request (retry.backoff.ms)."""
        return self._retry.seconds(failures)

    def close(self) -> None:
        """Close all links; pending requests fail with ConnectionFailed.

        A second call does nothing.
        """
        self.metadata.close()
        self.links.close()

    def _link_lost(self) -> None:
        """The broker may have left the cluster."""
        if self.view.updates:
            self.metadata.refresh()


def check(code: int, what: str) -> None:
    """Raise an error code of a response.

    Raises:
        BrokerError: `code` is not 0; the message names the request.
    """
    if code:
        raise BrokerError(code, what)
