"""Policies: the settings of groups of one type: the broker's properties and their own."""

from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

from barnabas.broker.properties.broker_settings import BrokerSettings
from barnabas.broker.properties.client_resources import ClientResources
from barnabas.broker.properties.resource_kinds import ResourceKind
from barnabas.config.broker import BrokerConfig

PolicyT = TypeVar("PolicyT")


class Policies(Generic[PolicyT]):
    """The policies of all groups of a kind, kept until a property moves.

    `known`: what was looked up since, by the ids of groups that have properties of their own; another
    object from the next change on.
    """

    def __init__(
        self,
        settings: BrokerSettings,
        resources: ClientResources,
        make: Callable[[BrokerConfig, Mapping[str, str]], PolicyT],
    ) -> None:
        self._settings = settings
        self._resources = resources
        self._make = make
        self.known: dict[str, PolicyT] = {}
        self._of_others: PolicyT | None = None
        settings.on_change.append(lambda _config: self._forget())
        resources.on_change.append(self._forget)

    def of(self, group_id: str) -> PolicyT:
        """What a group obeys now."""
        known = self.known.get(group_id)
        if known is not None:
            return known
        own = self._resources.get(ResourceKind.GROUP, group_id)
        if own:
            known = self.known[group_id] = self._make(self._settings.current, own)
            return known
        if self._of_others is None:
            self._of_others = self._make(self._settings.current, own)
        return self._of_others

    def _forget(self) -> None:
        self.known = {}
        self._of_others = None
