"""Admin: read and change the state of a cluster.

For asyncio; `client.sync.admin` has the same calls.
"""

from collections.abc import Mapping
from typing import Self

from barnabas.client.aio.admin.config_admin import ConfigAdmin
from barnabas.client.aio.admin.group_admin import GroupAdmin
from barnabas.client.aio.admin.partition_admin import PartitionAdmin
from barnabas.client.aio.admin.reassignment_admin import ReassignmentAdmin
from barnabas.client.aio.admin.topic_admin import TopicAdmin
from barnabas.client.aio.admin.transaction_admin import TransactionAdmin
from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.cluster.environment import ClientEnvironment
from barnabas.client.core.arguments.properties import properties
from barnabas.client.core.metrics import Metrics
from barnabas.config.clients import AdminConfig


class Admin(
    TopicAdmin, ConfigAdmin, PartitionAdmin, GroupAdmin, ReassignmentAdmin, TransactionAdmin
):
    """An admin client. Use it in an `async with`, or `close` it.

    Every call retries for up to `timeout_s` seconds (None: default.api.timeout.ms) while a retry
    may help, then raises a KafkaError: BrokerError with the broker's code and message,
    ConnectionFailed, RequestTimeout. Other errors, a missing topic among them, are raised at once.
    """

    def __init__(
        self,
        config: Mapping[str, object] | None = None,
        /,
        *,
        environment: ClientEnvironment | None = None,
        **more: object,
    ) -> None:
        loaded = AdminConfig.load(properties(config, more))
        self._cluster = Cluster(loaded, environment or ClientEnvironment.here("Admin"))
        self._request_ms = loaded.request_timeout_ms

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        self.drop()

    def drop(self) -> None:
        """See `close`."""
        self._cluster.close()

    def metrics(self) -> Metrics:
        """Return counters so far: requests, bytes, average latency. Any thread."""
        return self._cluster.metrics(0)
