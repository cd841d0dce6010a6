"""Policies: what groups of one kind obey, of the broker's properties and their own."""

from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

from barnabas.broker.broker_settings import BrokerSettings
from barnabas.broker.client_resources import ClientResources
from barnabas.broker.resource_kinds import ResourceKind
from barnabas.config.broker import BrokerConfig

PolicyT = TypeVar("PolicyT")


class Policies(Generic[PolicyT]):
    """The policies of all groups of a kind, kept until a property moves."""

    def __init__(
        self,
        settings: BrokerSettings,
        resources: ClientResources,
        make: Callable[[BrokerConfig, Mapping[str, str]], PolicyT],
    ) -> None:
        self._settings = settings
        self._resources = resources
        self._make = make
        self._made_from: tuple[BrokerConfig, int] | None = None
        self._known: dict[str, PolicyT] = {}

    def of(self, group_id: str) -> PolicyT:
        """What a group obeys now."""
        made_from = self._settings.current, self._resources.changes
        if made_from != self._made_from:
            self._made_from, self._known = made_from, {}
        known = self._known.get(group_id)
        if known is None:
            own = self._resources.get(ResourceKind.GROUP, group_id)
            known = self._known[group_id] = self._make(self._settings.current, own)
        return known
