"""BrokerCase: a broker for the tests of a unittest.TestCase."""

from collections.abc import Iterator, Mapping
from itertools import count
from typing import ClassVar

from barnabas.testing.embedded_broker import EmbeddedBroker


class BrokerCase:
    """A mixin: `class TestOrders(BrokerCase, unittest.TestCase)`.

    `broker` serves all tests of the class, from its `setUpClass` on. Each test has a `topic` of its own.
    `broker_config` and `broker_profile` are for `EmbeddedBroker`: set them in your class.
    """

    broker: ClassVar[EmbeddedBroker]
    broker_config: ClassVar[Mapping[str, object]] = {}
    broker_profile: ClassVar[str | None] = None
    topic: str
    _numbers: ClassVar[Iterator[int]]

    @classmethod
    def setUpClass(cls) -> None:
        """Start the broker."""
        super().setUpClass()  # type: ignore[misc] # of the TestCase beside
        cls._numbers = count(1)
        cls.broker = EmbeddedBroker(cls.broker_config, profile=cls.broker_profile)
        cls.broker.start()
        cls.addClassCleanup(cls.broker.stop)  # type: ignore[attr-defined] # the same

    def setUp(self) -> None:
        """Create the test's topic."""
        super().setUp()  # type: ignore[misc] # of the TestCase beside
        self.topic = f"{type(self).__name__}-{next(self._numbers)}"
        self.broker.create_topic(self.topic)
        self.addCleanup(self._forget)  # type: ignore[attr-defined] # the same

    def _forget(self) -> None:
        """Stop this test's faults and forget its requests, so that no other test sees them."""
        self.broker.faults.stop()
        self.broker.requests.clear()
