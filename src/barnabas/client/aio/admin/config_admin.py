"""The calls of Admin about properties and quotas. For asyncio; `client.sync.config_admin` has the same."""

from collections.abc import Mapping
from typing import Any

from barnabas.client.aio.admin.admin_calls import AdminCalls
from barnabas.client.aio.admin.cluster_requests import (
    change_quotas,
    quota_changes,
    quotas,
)
from barnabas.client.core.admin.descriptions import (
    ClientQuota,
    ConfigEntry,
    ConfigSource,
    Resource,
)
from barnabas.client.core.arguments.list_arguments import mapped
from barnabas.errors import BrokerError
from barnabas.protocol.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from barnabas.protocol.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)

_SET, _DELETE = 0, 1
_TEXTS = (str, type(None))
_ENTITY = "{'client-id': 'reports'}"
_RATES = "{'producer_byte_rate': 1_000_000}"
_CHANGES = "{'retention.ms': '3600000'}"


class ConfigAdmin(AdminCalls):
    """The calls of Admin about properties and quotas."""

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

        reply = await self._asked(timeout_s, what, attempt)
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

        await self._asked(timeout_s, what, attempt)

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
        return await self._asked(
            timeout_s, "describing quotas", lambda: quotas(self._cluster, parts, strict=strict)
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
        await self._asked(
            timeout_s, "changing quotas", lambda: change_quotas(self._cluster, request)
        )

    async def _owner(self, resource: Resource, name: str) -> int | None:
        """The broker to ask about resources that only it knows."""
        if resource not in (Resource.BROKER, Resource.BROKER_LOGGER) or not name.isdecimal():
            return None
        if self._cluster.view.updates == 0:
            await self._cluster.metadata.updated()
        return int(name)


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
