"""ReportedConfigs: announces changed properties to the other brokers through the registry."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from barnabas.broker.znodes.config_changes import CHANGES, PREFIX, encode_change, number_of
from barnabas.broker.znodes.config_znodes import CONFIGS
from barnabas.ports import SharedRegistry
from barnabas.types import NodeWrite

_MOST_KEPT: Final = 1000
"""Notifications that stay: Kafka's brokers delete theirs after 15 minutes, which ours do not count."""


class ReportedConfigs:
    """A Registry. A change below /config is reported as Kafka reports it; all else passes."""

    def __init__(self, registry: SharedRegistry) -> None:
        self._registry = registry
        self.get = registry.get
        self.get_all = registry.get_all
        self.children = registry.children
        self.create = registry.create
        self.create_all = registry.create_all
        self.later = registry.later
        self.close = registry.close

    def set(self, path: str, data: bytes, version: int = -1) -> int:
        """As `Registry.set`."""
        version = self._registry.set(path, data, version)
        self._report([path])
        return version

    def set_all(self, nodes: Mapping[str, bytes]) -> None:
        """As `Registry.set_all`."""
        self._registry.set_all(nodes)
        self._report(nodes)

    def commit(self, writes: Sequence[NodeWrite], checks: Mapping[str, int] | None = None) -> None:
        """As `SharedRegistry.commit`."""
        self._registry.commit(writes, checks)
        self._report([one.path for one in writes])

    def delete(self, *paths: str) -> None:
        """As `Registry.delete`."""
        self._registry.delete(*paths)
        self._report(paths)

    def _report(self, paths: Iterable[str]) -> None:
        start = f"{CONFIGS}/"
        changed = [path for path in paths if path.startswith(start)]
        for path in changed:
            self._registry.create_sequential(PREFIX, encode_change(path.removeprefix(start)))
        if changed:
            self._delete_old(self._registry.children(CHANGES))

    def _delete_old(self, names: Sequence[str]) -> None:
        old = sorted(names, key=number_of)[:-_MOST_KEPT]
        if old:
            self._registry.delete(*(f"{CHANGES}/{name}" for name in old))
