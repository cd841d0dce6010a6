"""pytest fixtures: `pytest_plugins = ["barnabas.testing.fixtures"]` in a conftest."""

from collections.abc import Iterator

import pytest

from barnabas.testing.embedded_broker import EmbeddedBroker


@pytest.fixture(scope="session")
def kafka_release() -> str | None:
    """The Kafka release that the brokers emulate: override or parametrize it."""
    return None


@pytest.fixture
def broker(kafka_release: str | None) -> Iterator[EmbeddedBroker]:
    """A fresh broker for one test."""
    with EmbeddedBroker(profile=kafka_release) as embedded:
        yield embedded


@pytest.fixture(scope="module")
def module_broker(kafka_release: str | None) -> Iterator[EmbeddedBroker]:
    """One broker for all tests of a module; use a topic of your own in each."""
    with EmbeddedBroker(profile=kafka_release) as embedded:
        yield embedded
