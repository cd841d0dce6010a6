"""Admin for threads: the calls of `client.aio.admin.admin`, run on the caller's thread."""

from collections.abc import Iterable, Mapping, Sequence

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
from barnabas.client.core.admin.reassignments import PartitionReassignment
from barnabas.client.core.arguments.partition_arguments import Where
from barnabas.client.core.arguments.properties import properties
from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.client.core.metrics import Metrics
from barnabas.client.sync.caller_client import CallerClient
from barnabas.client.sync.group_admin import GroupAdmin
from barnabas.client.sync.transaction_admin import TransactionAdmin
from barnabas.types import TopicPartition


class Admin(Closing, GroupAdmin, TransactionAdmin):
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

    def list_topics(self, *, internal: bool = False, timeout_s: float | None = None) -> list[str]:
        """Return the names of all topics, sorted; optionally with internal ones."""
        return self._hosted.run(self._admin.list_topics(internal=internal, timeout_s=timeout_s))

    def describe_topics(
        self, names: Iterable[str] | None = None, *, timeout_s: float | None = None
    ) -> dict[str, TopicView]:
        """Return partitions, leaders and replicas of topics (None: all)."""
        return self._hosted.run(self._admin.describe_topics(names, timeout_s=timeout_s))

    def describe_cluster(self, *, timeout_s: float | None = None) -> ClusterDescription:
        """Return the brokers, the controller and the cluster id."""
        return self._hosted.run(self._admin.describe_cluster(timeout_s=timeout_s))

    def create_topics(
        self,
        topics: Iterable[NewTopic],
        *,
        validate_only: bool = False,
        timeout_s: float | None = None,
    ) -> None:
        """Create topics.

        If one fails, the others are still created; the error names the failed ones.
        """
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
        """Increase topics to these numbers of partitions; this cannot be undone."""
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
        """Return all properties of a topic, or of a broker (its id as text), by name."""
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
        """Set properties; None resets one to its default. Others do not change."""
        work = self._admin.alter_configs(
            resource, name, changes, validate_only=validate_only, timeout_s=timeout_s
        )
        self._hosted.run(work)

    def describe_log_dirs(
        self,
        partitions: Iterable[tuple[str, int]] | None = None,
        *,
        timeout_s: float | None = None,
    ) -> dict[int, list[LogDirectory]]:
        """Return the log directories of each broker, by broker id.

        They have the sizes of these partitions (None: of all) where the broker has a replica.
        """
        return self._hosted.run(self._admin.describe_log_dirs(partitions, timeout_s=timeout_s))

    def elect_leaders(
        self,
        partitions: Iterable[tuple[str, int]] | None = None,
        *,
        unclean: bool = False,
        timeout_s: float | None = None,
    ) -> list[TopicPartition]:
        """Elect the preferred replica, or any, as leader of partitions (None: all).

        Returns the partitions whose leader changed.
        """
        work = self._admin.elect_leaders(partitions, unclean=unclean, timeout_s=timeout_s)
        return self._hosted.run(work)

    def alter_partition_reassignments(
        self,
        targets: Mapping[TopicPartition, Sequence[int] | None],
        *,
        timeout_s: float | None = None,
    ) -> None:
        """Move partitions to these brokers, the preferred leader first; None cancels a move.

        Returns when the moves have begun: `list_partition_reassignments` lists those that are under
        way. If one is refused, the others still begin; the error names the refused ones.

        Raises:
            BrokerError: INVALID_REPLICA_ASSIGNMENT, a broker is unknown or named twice;
                NO_REASSIGNMENT_IN_PROGRESS, there is nothing to cancel.
        """
        self._hosted.run(self._admin.alter_partition_reassignments(targets, timeout_s=timeout_s))

    def list_partition_reassignments(
        self, partitions: Iterable[Where] | None = None, *, timeout_s: float | None = None
    ) -> dict[TopicPartition, PartitionReassignment]:
        """Return the partitions (None: of all) that are being moved."""
        work = self._admin.list_partition_reassignments(partitions, timeout_s=timeout_s)
        return self._hosted.run(work)

    def describe_client_quotas(
        self,
        entity: Mapping[str, str | None] | None = None,
        *,
        strict: bool = False,
        timeout_s: float | None = None,
    ) -> list[ClientQuota]:
        """Return quotas of entities with these parts ("user", "client-id", "ip"; None: the default's).

        `strict`: entities with further parts are excluded.
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
        """Set quotas, for example "producer_byte_rate"; None removes one. Others do not change."""
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
        """Return the first offset at or after a timestamp (ms), or for EARLIEST, LATEST, MAX_TIMESTAMP."""
        work = self._admin.list_offsets(wanted, committed_only=committed_only, timeout_s=timeout_s)
        return self._hosted.run(work)

    def delete_records(
        self, before: Mapping[TopicPartition, int], *, timeout_s: float | None = None
    ) -> dict[TopicPartition, int]:
        """Delete the records before these offsets (-1: all); return the new start offsets."""
        return self._hosted.run(self._admin.delete_records(before, timeout_s=timeout_s))
