"""Admin for plain threads: the calls of `client.aio.admin.admin`, each on the caller's own thread."""

from collections.abc import Iterable, Mapping

from barnabas.client.aio.admin.admin import Admin as AsyncAdmin
from barnabas.client.closing import Closing
from barnabas.client.core.admin.descriptions import (
    ClientQuota,
    ClusterDescription,
    ConfigEntry,
    LogDirectory,
    NewTopic,
    OffsetAndTimestamp,
    Resource,
)
from barnabas.client.core.arguments.properties import properties
from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.client.sync.group_admin import GroupAdmin
from barnabas.client.sync.hosted import Hosted
from barnabas.client.sync.transaction_admin import TransactionAdmin
from barnabas.types import TopicPartition


class Admin(Closing, GroupAdmin, TransactionAdmin):
    """An admin client. `with` it, or `close` it. One thread at a time.

    Every call is tried again for `timeout_s` seconds (default.api.timeout.ms where None) as long as
    that may help, and raises a KafkaError after that or at once: BrokerError with the broker's code
    and words, ConnectionFailed, RequestTimeout.
    """

    def __init__(self, config: Mapping[str, object] | None = None, /, **more: object) -> None:
        given = properties(config, more)
        self._hosted = Hosted(
            "Admin", lambda around: AsyncAdmin(given, around=around), AsyncAdmin.drop
        )
        self._admin = self._hosted.client

    def close(self) -> None:
        """End the connections; a second call does nothing."""
        self._hosted.close(self._admin.close)

    def list_topics(self, *, internal: bool = False, timeout_s: float | None = None) -> list[str]:
        """The names of all topics, sorted; those of Kafka's own too, if wished."""
        return self._hosted.run(self._admin.list_topics(internal=internal, timeout_s=timeout_s))

    def describe_topics(
        self, names: Iterable[str] | None = None, *, timeout_s: float | None = None
    ) -> dict[str, TopicView]:
        """Partitions, leaders and replicas of topics (all, where None are named)."""
        return self._hosted.run(self._admin.describe_topics(names, timeout_s=timeout_s))

    def describe_cluster(self, *, timeout_s: float | None = None) -> ClusterDescription:
        """The brokers, the controller and the id of the cluster."""
        return self._hosted.run(self._admin.describe_cluster(timeout_s=timeout_s))

    def create_topics(
        self,
        topics: Iterable[NewTopic],
        *,
        validate_only: bool = False,
        timeout_s: float | None = None,
    ) -> None:
        """Make topics. Where one fails the others are made all the same; the error names those."""
        work = self._admin.create_topics(topics, validate_only=validate_only, timeout_s=timeout_s)
        self._hosted.run(work)

    def delete_topics(self, names: Iterable[str], *, timeout_s: float | None = None) -> None:
        """Delete topics with all their records."""
        self._hosted.run(self._admin.delete_topics(names, timeout_s=timeout_s))

    def create_partitions(
        self,
        counts: Mapping[str, int],
        *,
        validate_only: bool = False,
        timeout_s: float | None = None,
    ) -> None:
        """Bring topics to these numbers of partitions; there is no way back."""
        work = self._admin.create_partitions(
            counts, validate_only=validate_only, timeout_s=timeout_s
        )
        self._hosted.run(work)

    def describe_configs(
        self,
        resource: Resource,
        name: str,
        *,
        documentation: bool = False,
        timeout_s: float | None = None,
    ) -> dict[str, ConfigEntry]:
        """All properties of a topic, or of a broker (its id as text), by name."""
        work = self._admin.describe_configs(
            resource, name, documentation=documentation, timeout_s=timeout_s
        )
        return self._hosted.run(work)

    def alter_configs(
        self,
        resource: Resource,
        name: str,
        changes: Mapping[str, str | None],
        *,
        validate_only: bool = False,
        timeout_s: float | None = None,
    ) -> None:
        """Set properties; None gives a property back its default. Others stay as they are."""
        work = self._admin.alter_configs(
            resource, name, changes, validate_only=validate_only, timeout_s=timeout_s
        )
        self._hosted.run(work)

    def describe_log_dirs(self, *, timeout_s: float | None = None) -> dict[int, list[LogDirectory]]:
        """The log directories of each broker, by its number, with the sizes of what is in them."""
        return self._hosted.run(self._admin.describe_log_dirs(timeout_s=timeout_s))

    def elect_leaders(
        self,
        partitions: Iterable[tuple[str, int]] | None = None,
        *,
        unclean: bool = False,
        timeout_s: float | None = None,
    ) -> list[TopicPartition]:
        """Have partitions (all, where None are named) led by their preferred replica, or any.

        Returns those whose leader has changed.
        """
        work = self._admin.elect_leaders(partitions, unclean=unclean, timeout_s=timeout_s)
        return self._hosted.run(work)

    def describe_client_quotas(
        self,
        entity: Mapping[str, str | None] | None = None,
        *,
        strict: bool = False,
        timeout_s: float | None = None,
    ) -> list[ClientQuota]:
        """Quotas of all that have these parts ("user", "client-id", "ip"; None: the default's).

        `strict`: and no other ones.
        """
        work = self._admin.describe_client_quotas(entity, strict=strict, timeout_s=timeout_s)
        return self._hosted.run(work)

    def alter_client_quotas(
        self,
        entity: Mapping[str, str | None],
        changes: Mapping[str, float | None],
        *,
        validate_only: bool = False,
        timeout_s: float | None = None,
    ) -> None:
        """Set quotas, as "producer_byte_rate"; None takes one away. Others stay as they are."""
        work = self._admin.alter_client_quotas(
            entity, changes, validate_only=validate_only, timeout_s=timeout_s
        )
        self._hosted.run(work)

    def list_offsets(
        self,
        wanted: Mapping[TopicPartition, int],
        *,
        committed_only: bool = False,
        timeout_s: float | None = None,
    ) -> dict[TopicPartition, OffsetAndTimestamp]:
        """The first offset at or after a timestamp (ms), or EARLIEST, LATEST, MAX_TIMESTAMP."""
        work = self._admin.list_offsets(wanted, committed_only=committed_only, timeout_s=timeout_s)
        return self._hosted.run(work)

    def delete_records(
        self, before: Mapping[TopicPartition, int], *, timeout_s: float | None = None
    ) -> dict[TopicPartition, int]:
        """Delete the records before these offsets (-1: all); returns where the logs begin now."""
        return self._hosted.run(self._admin.delete_records(before, timeout_s=timeout_s))
