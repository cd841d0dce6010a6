"""The calls of Admin about properties and quotas, for threads: see `client.aio.admin.config_admin`."""

from collections.abc import Mapping

from barnabas.client.aio.admin.admin import Admin as AsyncAdmin
from barnabas.client.core.admin.descriptions import (
    ClientQuota,
    ConfigEntry,
    Resource,
)
from barnabas.client.sync.caller_client import CallerClient


class CallerConfigAdmin:
    """The calls of Admin about properties and quotas."""

    _hosted: CallerClient[AsyncAdmin]
    _admin: AsyncAdmin

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
