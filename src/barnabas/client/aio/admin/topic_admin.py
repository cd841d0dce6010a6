"""The calls of Admin about topics and the cluster. For asyncio; `client.sync.topic_admin` has the same."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from barnabas.client.aio.admin.admin_calls import AdminCalls
from barnabas.client.aio.admin.cluster_requests import (
    controller,
    new_topic,
)
from barnabas.client.aio.cluster.retries import persist
from barnabas.client.core.admin.descriptions import (
    ClusterDescription,
    NewTopic,
)
from barnabas.client.core.arguments.list_arguments import listed, mapped
from barnabas.client.core.cluster.cluster_view import ClusterView, TopicView
from barnabas.errors import BrokerError
from barnabas.protocol.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from barnabas.protocol.create_topics import (
    CreateTopicsRequest,
)
from barnabas.protocol.delete_topics import DeleteTopicsRequest, DeleteTopicState
from barnabas.wire.schema import NO_UUID

_NAMES, _NEW = "['flights']", "[NewTopic('flights', 6)]"
_TEXTS = (str, type(None))
_CHANGES = "{'retention.ms': '3600000'}"


class TopicAdmin(AdminCalls):
    """The calls of Admin about topics and the cluster."""

    _request_ms: int

    async def list_topics(
        self, *, internal: bool = False, timeout_s: float | None = None
    ) -> list[str]:
        """Return the names of all topics, sorted; optionally with internal ones."""
        view = await self._metadata(None, timeout_s)
        return sorted(
            topic.name for topic in view.topics.values() if internal or not topic.internal
        )

    async def describe_topics(
        self, names: Iterable[str] | None = None, *, timeout_s: float | None = None
    ) -> dict[str, TopicView]:
        """Return partitions, leaders and replicas of topics (None: all)."""
        wanted = None if names is None else listed("describe_topics", names, str, _NAMES)
        view = await self._metadata(wanted, timeout_s)
        for topic in view.topics.values():
            if topic.error:
                raise BrokerError(topic.error, f"describing topic {topic.name}")
        return {name: view.topics[name] for name in sorted(view.topics)}

    async def describe_cluster(self, *, timeout_s: float | None = None) -> ClusterDescription:
        """Return the brokers, the controller and the cluster id."""
        view = await self._metadata([], timeout_s)
        brokers = tuple(sorted(view.brokers.values(), key=lambda broker: broker.node_id))
        return ClusterDescription(view.cluster_id, view.controller, brokers)

    async def create_topics(
        self,
        topics: Iterable[NewTopic],
        *,
        validate_only: bool = False,
        timeout_s: float | None = None,
    ) -> None:
        """Create topics.

        If one fails, the others are still created; the error names the failed ones.
        """
        rows = [
            new_topic(topic, mapped("NewTopic.configs", topic.configs, _CHANGES, *_TEXTS))
            for topic in listed("create_topics", topics, NewTopic, _NEW)
        ]
        request = CreateTopicsRequest(
            topics=rows, timeout_ms=self._request_ms, validate_only=validate_only
        )
        await self._of_controller("creating topics", request, lambda reply: reply.topics, timeout_s)

    async def delete_topics(self, names: Iterable[str], *, timeout_s: float | None = None) -> None:
        """Delete topics with all their records."""
        gone = listed("delete_topics", names, str, _NAMES)
        request = DeleteTopicsRequest(
            topic_names=gone,
            topics=[DeleteTopicState(name=name, topic_id=NO_UUID) for name in gone],
            timeout_ms=self._request_ms,
        )
        await self._of_controller(
            "deleting topics", request, lambda reply: reply.responses, timeout_s
        )
        self._cluster.metadata.topics.difference_update(gone)
        self._cluster.view.forget(gone)

    async def create_partitions(
        self,
        counts: Mapping[str, int],
        *,
        validate_only: bool = False,
        timeout_s: float | None = None,
    ) -> None:
        """Increase topics to these numbers of partitions; this cannot be undone."""
        request = CreatePartitionsRequest(
            topics=[
                CreatePartitionsTopic(name=name, count=count, assignments=None)
                for name, count in mapped(
                    "create_partitions", counts, "{'flights': 6}", int
                ).items()
            ],
            timeout_ms=self._request_ms,
            validate_only=validate_only,
        )
        await self._of_controller(
            "adding partitions", request, lambda reply: reply.results, timeout_s
        )

    async def _metadata(self, names: list[str] | None, timeout_s: float | None) -> ClusterView:
        async def attempt() -> ClusterView:
            view = ClusterView()
            reply = await self._cluster.metadata.of(names)
            view.update(reply, self._cluster.environment.loop.time())
            return view

        deadline = self._cluster.limits.deadline(timeout_s)
        return await persist(self._cluster, deadline, "asking for metadata", attempt)

    async def _of_controller(
        self, what: str, request: object, rows: Callable[[Any], Any], timeout_s: float | None
    ) -> None:
        async def attempt() -> None:
            reply = await self._cluster.ask(request, node_id=await controller(self._cluster))
            bad = [row for row in rows(reply) if row.error_code]
            if bad:
                words = "; ".join(f"{row.name}: {row.error_message or 'no detail'}" for row in bad)
                raise BrokerError(bad[0].error_code, f"{what}: {words}")

        await self._asked(timeout_s, what, attempt)
