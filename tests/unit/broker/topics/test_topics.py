"""What the registry still has of a topic whose creation did not continue."""

from typing import cast

from barnabas.broker.topics.registered_topics import host_registered
from barnabas.broker.topics.topics import Topics
from barnabas.broker.znodes.topic_znodes import CONFIGS, TOPICS
from barnabas.config.broker import BrokerConfig
from barnabas.log.manager import LogManager
from tests.unit.broker.in_memory import Counting, MemoryRegistry, NoLogs

PROPERTIES = b'{"version":1,"config":{"retention.ms":"1000"}}'


class Empty:
    """A broker's directories without a log."""

    def logs(self) -> list[object]:
        return []


def topics_of(registry: MemoryRegistry) -> Topics:
    topics = Topics(registry, NoLogs(), Counting(), BrokerConfig())
    host_registered(topics, cast("LogManager", Empty()))
    return topics


def test_a_later_topic_does_not_have_its_properties() -> None:
    registry = MemoryRegistry()
    topics = topics_of(registry)
    registry.set(f"{CONFIGS}/dogs", PROPERTIES)
    topics.create("dogs", {0: [1]}, {})
    assert topics_of(registry).get("dogs") == topics.get("dogs")
    assert registry.get(f"{CONFIGS}/dogs") is None


def test_its_properties_are_gone_after_the_next_start() -> None:
    registry = MemoryRegistry()
    topics_of(registry).create("cats", {0: [1]}, {"retention.ms": "5"})
    registry.set(f"{CONFIGS}/dogs", PROPERTIES)
    (cats,) = topics_of(registry)
    assert cats.config == {"retention.ms": "5"}
    assert registry.children(CONFIGS) == registry.children(TOPICS) == ["cats"]
