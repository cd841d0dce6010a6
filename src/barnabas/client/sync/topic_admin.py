"""The calls of Admin about topics and the cluster, for threads: see `client.aio.admin.topic_admin`."""

from collections.abc import Iterable, Mapping

from barnabas.client.aio.admin.admin import Admin as AsyncAdmin
from barnabas.client.core.admin.descriptions import (
    ClusterDescription,
    NewTopic,
)
from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.client.sync.caller_client import CallerClient


class CallerTopicAdmin:
    """The calls of Admin about topics and the cluster."""

    _hosted: CallerClient[AsyncAdmin]
    _admin: AsyncAdmin

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
