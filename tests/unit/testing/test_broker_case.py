"""The mixin for unittest: a broker for a class, a topic for each test, and nothing of one left for the next."""

import unittest
from collections.abc import Mapping
from typing import ClassVar

from barnabas import Consumer, Producer
from barnabas.errors import LocalProtocolError
from barnabas.testing import BrokerCase, EmbeddedBroker

seen: list[tuple[EmbeddedBroker, str]] = []


class Dogs(BrokerCase, unittest.TestCase):
    """What a user writes."""

    broker_config: ClassVar[Mapping[str, object]] = {"num.partitions": 2}

    def test_one(self) -> None:
        self.bark()

    def test_two(self) -> None:
        self.bark()

    def bark(self) -> None:
        assert not self.broker.requests.of("Produce")
        with Producer(bootstrap_servers=self.broker.bootstrap_servers) as producer:
            assert producer.send(self.topic, "barks").result().offset == 0
        with Consumer(bootstrap_servers=self.broker.bootstrap_servers) as consumer:
            assert len(consumer.partitions_for(self.topic)) == 1
        self.broker.faults.fail("Produce", error="NOT_ENOUGH_REPLICAS")
        seen.append((self.broker, self.topic))


def test_a_class_shares_a_broker_and_its_tests_share_nothing() -> None:
    seen.clear()
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Dogs).run(result)
    assert (result.errors, result.failures, result.testsRun) == ([], [], 2)
    (first, one), (second, two) = seen
    assert first is second
    assert one != two
    try:
        assert first.port
    except LocalProtocolError:
        return
    raise AssertionError("the broker runs on")


class TestAsUnittest(Dogs):
    """pytest runs it too."""
