"""Admin: read and change the state of a cluster.

For asyncio; `client.sync.admin` has the same calls.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Self, TypeVar

from barnabas.client.aio.admin.cluster_requests import (
    change_quotas,
    controller,
    delete_before,
    elected,
    log_dirs,
    new_topic,
    quota_changes,
    quotas,
)
from barnabas.client.aio.admin.group_admin import GroupAdmin
from barnabas.client.aio.admin.reassignment_admin import ReassignmentAdmin
from barnabas.client.aio.admin.transaction_admin import TransactionAdmin
from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.cluster.environment import ClientEnvironment
from barnabas.client.aio.cluster.retries import NOT_THERE, lookup_offsets, persist
from barnabas.client.core.admin.descriptions import (
    ClientQuota,
    ClusterDescription,
    ConfigEntry,
    ConfigSource,
    LogDirectory,
    NewTopic,
    OffsetAndTimestamp,
    Resource,
)
from barnabas.client.core.arguments.list_arguments import listed, mapped
from barnabas.client.core.arguments.partition_arguments import (
    ALL_RECORDS,
    offsets_to,
    partitions_at,
    partitions_to,
)
from barnabas.client.core.arguments.properties import properties
from barnabas.client.core.cluster.cluster_view import ClusterView, TopicView
from barnabas.client.core.cluster.requests import metadata_request
from barnabas.client.core.metrics import Metrics
from barnabas.config.clients import AdminConfig
from barnabas.errors import BrokerError
from barnabas.protocol.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from barnabas.protocol.create_topics import CreateTopicsRequest
from barnabas.protocol.delete_topics import DeleteTopicsRequest, DeleteTopicState
from barnabas.protocol.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from barnabas.protocol.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from barnabas.types import TopicPartition
from barnabas.wire.schema import NO_UUID

_Result = TypeVar("_Result")
_SET, _DELETE = 0, 1
_NAMES, _NEW = "['flights']", "[NewTopic('flights', 6)]"
_TEXTS = (str, type(None))
_ENTITY = "{'client-id': 'reports'}"
_RATES = "{'producer_byte_rate': 1_000_000}"
_CHANGES = "{'retention.ms': '3600000'}"


class Admin(GroupAdmin, ReassignmentAdmin, TransactionAdmin):
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
        self._cluster.topics.difference_update(gone)
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

    async def describe_configs(
        self,
        resource: Resource,
        name: str,
        *,
        documentation: bool = False,
        timeout_s: float | None = None,
    ) -> dict[str, ConfigEntry]:
        """Return all properties of a topic, or of a broker (its id as text), by name."""
        _check_resource(resource)
        request = DescribeConfigsRequest(
            resources=[
                DescribeConfigsResource(
                    resource_type=resource, resource_name=name, configuration_keys=None
                )
            ],
            include_documentation=documentation,
        )
        what = f"describing the configuration of {resource.name.lower()} {name}"

        async def attempt() -> Any:
            reply = await self._cluster.ask(request, node_id=await self._owner(resource, name))
            for row in reply.results:
                if row.error_code:
                    raise BrokerError(row.error_code, row.error_message or what)
            return reply

        reply = await self._persist(what, attempt, timeout_s)
        return {row.name: _entry(row) for result in reply.results for row in result.configs}

    async def alter_configs(
        self,
        resource: Resource,
        name: str,
        changes: Mapping[str, str | None],
        *,
        validate_only: bool = False,
        timeout_s: float | None = None,
    ) -> None:
        """Set properties; None resets one to its default. Others do not change."""
        _check_resource(resource)
        request = IncrementalAlterConfigsRequest(
            resources=[
                AlterConfigsResource(
                    resource_type=resource,
                    resource_name=name,
                    configs=[
                        AlterableConfig(
                            name=key,
                            config_operation=_DELETE if value is None else _SET,
                            value=value,
                        )
                        for key, value in mapped(
                            "alter_configs", changes, _CHANGES, *_TEXTS
                        ).items()
                    ],
                )
            ],
            validate_only=validate_only,
        )
        what = f"changing the configuration of {resource.name.lower()} {name}"

        async def attempt() -> None:
            reply = await self._cluster.ask(request, node_id=await self._owner(resource, name))
            for row in reply.responses:
                if row.error_code:
                    raise BrokerError(row.error_code, row.error_message or what)

        await self._persist(what, attempt, timeout_s)

    async def describe_log_dirs(
        self,
        partitions: Iterable[tuple[str, int]] | None = None,
        *,
        timeout_s: float | None = None,
    ) -> dict[int, list[LogDirectory]]:
        """Return the log directories of each broker, by broker id.

        They have the sizes of these partitions (None: of all) where the broker has a replica.
        """
        wanted = None if partitions is None else partitions_at(partitions)
        return await self._persist(
            "describing log directories", lambda: log_dirs(self._cluster, wanted), timeout_s
        )

    async def elect_leaders(
        self,
        partitions: Iterable[tuple[str, int]] | None = None,
        *,
        unclean: bool = False,
        timeout_s: float | None = None,
    ) -> list[TopicPartition]:
        """Elect the preferred replica, or any, as leader of partitions (None: all).

        Returns the partitions whose leader changed.
        """
        wanted = None if partitions is None else partitions_at(partitions)
        return await self._persist(
            "electing leaders", lambda: elected(self._cluster, wanted, unclean=unclean), timeout_s
        )

    async def describe_client_quotas(
        self,
        entity: Mapping[str, str | None] | None = None,
        *,
        strict: bool = False,
        timeout_s: float | None = None,
    ) -> list[ClientQuota]:
        """Return quotas of entities with these parts ("user", "client-id", "ip"; None: the default's).

        `strict`: entities with further parts are excluded.
        """
        parts = dict(mapped("describe_client_quotas", entity or {}, _ENTITY, *_TEXTS))
        return await self._persist(
            "describing quotas", lambda: quotas(self._cluster, parts, strict=strict), timeout_s
        )

    async def alter_client_quotas(
        self,
        entity: Mapping[str, str | None],
        changes: Mapping[str, float | None],
        *,
        validate_only: bool = False,
        timeout_s: float | None = None,
    ) -> None:
        """Set quotas, for example "producer_byte_rate"; None removes one. Others do not change."""
        request = quota_changes(
            mapped("alter_client_quotas", entity, _ENTITY, *_TEXTS),
            mapped("alter_client_quotas", changes, _RATES, int, float, type(None)),
            validate_only=validate_only,
        )
        await self._persist(
            "changing quotas", lambda: change_quotas(self._cluster, request), timeout_s
        )

    async def list_offsets(
        self,
        wanted: Mapping[TopicPartition, int],
        *,
        committed_only: bool = False,
        timeout_s: float | None = None,
    ) -> dict[TopicPartition, OffsetAndTimestamp]:
        """Return the first offset at or after a timestamp (ms), or for EARLIEST, LATEST, MAX_TIMESTAMP."""
        keyed = partitions_to("list_offsets", wanted)
        deadline = self._cluster.limits.deadline(timeout_s)
        return await lookup_offsets(
            self._cluster, keyed, committed_only=committed_only, deadline=deadline
        )

    async def delete_records(
        self, before: Mapping[TopicPartition, int], *, timeout_s: float | None = None
    ) -> dict[TopicPartition, int]:
        """Delete the records before these offsets (-1: all); return the new start offsets."""
        keyed = offsets_to("delete_records", before, ALL_RECORDS)
        begins: dict[TopicPartition, int] = {}

        async def attempt() -> None:
            left = {where: offset for where, offset in keyed.items() if where not in begins}
            await delete_before(self._cluster, left, self._request_ms, begins)

        await self._persist("deleting records", attempt, timeout_s)
        return begins

    async def _metadata(self, names: list[str] | None, timeout_s: float | None) -> ClusterView:
        async def attempt() -> ClusterView:
            view = ClusterView()
            request = metadata_request(names, create=False)
            view.update(await self._cluster.ask(request), self._cluster.environment.loop.time())
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

        await self._persist(what, attempt, timeout_s)

    async def _owner(self, resource: Resource, name: str) -> int | None:
        """The broker to ask about resources that only it knows."""
        if resource not in (Resource.BROKER, Resource.BROKER_LOGGER) or not name.isdecimal():
            return None
        if self._cluster.view.updates == 0:
            await self._cluster.updated()
        return int(name)

    async def _persist(
        self, what: str, attempt: Callable[[], Awaitable[_Result]], timeout_s: float | None
    ) -> _Result:
        deadline = self._cluster.limits.deadline(timeout_s)
        return await persist(self._cluster, deadline, what, attempt, final=NOT_THERE)


def _check_resource(resource: Resource) -> None:
    if not isinstance(resource, Resource):
        raise TypeError(f"a resource is one of Resource, as Resource.TOPIC, not {resource!r}")


def _entry(row: Any) -> ConfigEntry:
    return ConfigEntry(
        row.name,
        row.value,
        ConfigSource(row.config_source) if row.config_source >= 0 else ConfigSource.UNKNOWN,
        row.read_only,
        row.is_sensitive,
        row.documentation,
    )
