"""Properties of resources without state: client metrics subscriptions and groups."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from barnabas.broker.properties.config_source import ValueSource
from barnabas.broker.properties.resource_kinds import ResourceKind
from barnabas.broker.znodes.config_znodes import (
    CONFIGS,
    name_of_node,
    node_name,
    read_config,
    write_config,
)
from barnabas.config.client_metrics import ClientMetricsConfig
from barnabas.config.configuration import Configuration
from barnabas.config.group import GroupConfig
from barnabas.ports import Registry

KINDS: Mapping[int, type[Configuration]] = MappingProxyType(
    {ResourceKind.CLIENT_METRICS: ClientMetricsConfig, ResourceKind.GROUP: GroupConfig}
)
"""What can be set, by the number of the resource's type."""

SOURCES: Mapping[int, ValueSource] = MappingProxyType(
    {
        ResourceKind.CLIENT_METRICS: ValueSource.CLIENT_METRICS,
        ResourceKind.GROUP: ValueSource.GROUP,
    }
)

_PATHS: Mapping[int, str] = {
    ResourceKind.CLIENT_METRICS: f"{CONFIGS}/client-metrics",
    ResourceKind.GROUP: f"{CONFIGS}/groups",
}


class ClientResources:
    """All of them that have properties. A change is durable after `write`.

    `changes` counts them, so that what was made from them can be kept until one moves. `on_change` is
    called after each.
    """

    __slots__ = ("_by_kind", "_registry", "changes", "on_change")

    def __init__(self, registry: Registry) -> None:
        """Have what there is; raises as `read`."""
        self._registry = registry
        self._by_kind: dict[int, dict[str, Mapping[str, str]]] = {}
        self.changes = 0
        self.on_change: list[Callable[[], None]] = []
        self.adopt(self.read())

    def read(self) -> dict[int, dict[str, Mapping[str, str]]]:
        """All that the registry has by now, by type and name, for `adopt`: others may have changed them.

        Raises:
            StorageError: the registry cannot be read.
        """
        registry = self._registry
        return {
            kind: {
                name_of_node(node): read_config(registry, f"{path}/{node}")
                for node in registry.children(path)
            }
            for kind, path in _PATHS.items()
        }

    def adopt(self, found: dict[int, dict[str, Mapping[str, str]]]) -> None:
        """These are there from now on, and no others."""
        self._by_kind = found
        self._changed()

    def names(self, kind: int) -> list[str]:
        """Those of a type, sorted."""
        return sorted(self._by_kind[kind])

    def get(self, kind: int, name: str) -> Mapping[str, str]:
        """The properties of a resource; none where it has none."""
        return self._by_kind[kind].get(name, {})

    def write(self, kind: int, name: str, config: Mapping[str, str]) -> None:
        """Write all properties of a resource down, for `take`; only the registry is called.

        Raises:
            StorageError: they cannot be written; nothing is changed.
        """
        write_config(self._registry, f"{_PATHS[kind]}/{node_name(name)}", config)

    def take(self, kind: int, name: str, config: Mapping[str, str]) -> None:
        """Replace the properties by those that were written; without any, the resource is removed."""
        if config:
            self._by_kind[kind][name] = dict(config)
        else:
            self._by_kind[kind].pop(name, None)
        self._changed()

    def _changed(self) -> None:
        self.changes += 1
        for tell in self.on_change:
            tell()
