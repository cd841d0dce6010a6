"""Admin for threads: the calls of `client.aio.admin.admin`, run on the caller's thread."""

from collections.abc import Mapping

from barnabas.client.aio.admin.admin import Admin as AsyncAdmin
from barnabas.client.closing import Closing
from barnabas.client.core.arguments.properties import properties
from barnabas.client.core.metrics import Metrics
from barnabas.client.sync.caller_client import CallerClient
from barnabas.client.sync.config_admin import CallerConfigAdmin
from barnabas.client.sync.group_admin import GroupAdmin
from barnabas.client.sync.partition_admin import CallerPartitionAdmin
from barnabas.client.sync.topic_admin import CallerTopicAdmin
from barnabas.client.sync.transaction_admin import TransactionAdmin


class Admin(
    Closing, CallerTopicAdmin, CallerConfigAdmin, CallerPartitionAdmin, GroupAdmin, TransactionAdmin
):
    """An admin client. Use it in a `with`, or `close` it. Use it from one thread at a time.

    Every call retries for up to `timeout_s` seconds (None: default.api.timeout.ms) while a retry
    may help, then raises a KafkaError: BrokerError with the broker's code and message,
    ConnectionFailed, RequestTimeout. Other errors are raised at once.
    """

    def __init__(self, config: Mapping[str, object] | None = None, /, **more: object) -> None:
        given = properties(config, more)
        self._hosted = CallerClient(
            "Admin", lambda environment: AsyncAdmin(given, environment=environment), AsyncAdmin.drop
        )
        self._admin = self._hosted.client

    def close(self) -> None:
        """Close the connections; a second call does nothing."""
        self._hosted.close(self._admin.close)

    def metrics(self) -> Metrics:
        """Return counters so far: requests, bytes, average latency. Any thread."""
        return self._admin.metrics()
