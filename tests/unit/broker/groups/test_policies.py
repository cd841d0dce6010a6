"""What groups obey is kept, and forgotten with each change of a property."""

from collections.abc import Callable, Mapping

import pytest

from barnabas.broker.groups.policies import Policies
from barnabas.broker.properties.broker_settings import EVERY, BrokerSettings
from barnabas.broker.properties.client_resources import ClientResources
from barnabas.broker.properties.resource_kinds import ResourceKind
from barnabas.config.broker import BrokerConfig
from barnabas.ports import Registry
from tests.unit.broker.in_memory import MemoryRegistry

INTERVAL = "group.consumer.assignment.interval.ms"
BEFORE = BrokerConfig.load({}).group_consumer_assignment_interval_ms


class Place:
    """The properties of a broker and of its groups; a policy is what both say of an interval."""

    def __init__(self) -> None:
        self.registry: Registry = MemoryRegistry()
        self.settings = BrokerSettings(BrokerConfig.load({}))
        self.resources = ClientResources(self.registry)
        self.policies = Policies(self.settings, self.resources, self._make)

    @staticmethod
    def _make(config: BrokerConfig, own: Mapping[str, str]) -> tuple[int, str | None]:
        return config.group_consumer_assignment_interval_ms, own.get("a")


def of_the_broker(place: Place) -> None:
    place.settings.take(EVERY, {INTERVAL: "5"})


def of_the_group(place: Place) -> None:
    place.resources.take(ResourceKind.GROUP, "g", {"a": "b"})


@pytest.mark.parametrize(
    ("change", "to"), [(of_the_broker, (5, None)), (of_the_group, (BEFORE, "b"))]
)
def test_a_policy_is_the_same_object_until_a_property_moves(
    change: Callable[[Place], None], to: tuple[int, str | None]
) -> None:
    place = Place()
    known = place.policies.known
    was = place.policies.of("g")
    assert place.policies.of("g") is was
    assert place.policies.known is known
    change(place)
    assert place.policies.known is not known
    assert place.policies.of("g") == to != was


def test_groups_without_properties_of_their_own_are_not_remembered() -> None:
    place = Place()
    policies = [place.policies.of(f"group {number}") for number in range(1000)]
    assert all(policy is policies[0] for policy in policies)
    assert not place.policies.known
