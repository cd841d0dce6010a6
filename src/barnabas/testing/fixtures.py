"""pytest fixtures: `pytest_plugins = ["barnabas.testing.fixtures"]` in a conftest."""

from collections.abc import Iterator

import pytest

from barnabas.testing.embedded_broker import EmbeddedBroker


@pytest.fixture
def broker() -> Iterator[EmbeddedBroker]:
    """A fresh broker for one test."""
    with EmbeddedBroker() as embedded:
        yield embedded


@pytest.fixture(scope="module")
def module_broker() -> Iterator[EmbeddedBroker]:
    """One broker for all tests of a module; give topics names of their own."""
    with EmbeddedBroker() as embedded:
        yield embedded
