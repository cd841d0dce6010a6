"""The pytest plugin: fixtures of a broker and of a topic. pytest finds it by the package's entry point.

It is loaded by every run of pytest where the package is installed, so that it imports no broker before a test
asks for one.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import count
from typing import TYPE_CHECKING, Literal, cast

import pytest

if TYPE_CHECKING:
    from barnabas.testing.embedded_broker import EmbeddedBroker

_SCOPE = "barnabas_broker_scope"
_Scope = Literal["function", "class", "module", "package", "session"]
_SCOPES = ("function", "class", "module", "package", "session")
_LONGEST_NAME = 200
_numbers = count(1)
_running: "list[EmbeddedBroker]" = []


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option of the ini file."""
    parser.addini(
        _SCOPE,
        f"Who shares one barnabas_broker: {', '.join(_SCOPES)} (default: function).",
        default="function",
    )


def _scope(fixture_name: str, config: pytest.Config) -> _Scope:
    del fixture_name
    scope = config.getini(_SCOPE)
    if scope not in _SCOPES:
        raise pytest.UsageError(f"{_SCOPE}={scope}: expected one of {', '.join(_SCOPES)}")
    return cast("_Scope", scope)


@pytest.fixture(scope="session")
def barnabas_config() -> Mapping[str, object]:
    """The properties of the brokers, by Kafka's names: override it where tests need others."""
    return {}


@pytest.fixture(scope="session")
def barnabas_profile() -> str | None:
    """The release of Kafka that the brokers emulate: override or parametrize it."""
    return None


def _serve(config: Mapping[str, object], profile: str | None) -> "Iterator[EmbeddedBroker]":
    from barnabas.testing.embedded_broker import EmbeddedBroker

    with EmbeddedBroker(config, profile=profile) as broker:
        _running.append(broker)
        try:
            yield broker
        finally:
            _running.remove(broker)


@pytest.fixture(scope=_scope)
def barnabas_broker(
    barnabas_config: Mapping[str, object], barnabas_profile: str | None
) -> "Iterator[EmbeddedBroker]":
    """A broker; by default each test has a new one, see the ini option barnabas_broker_scope."""
    yield from _serve(barnabas_config, barnabas_profile)


@pytest.fixture(scope="module")
def barnabas_module_broker(
    barnabas_config: Mapping[str, object], barnabas_profile: str | None
) -> "Iterator[EmbeddedBroker]":
    """One broker for all tests of a module."""
    yield from _serve(barnabas_config, barnabas_profile)


@pytest.fixture(scope="session")
def barnabas_session_broker(
    barnabas_config: Mapping[str, object], barnabas_profile: str | None
) -> "Iterator[EmbeddedBroker]":
    """One broker for all tests of a run; with pytest-xdist, for all of one worker."""
    yield from _serve(barnabas_config, barnabas_profile)


@pytest.fixture
def barnabas_topic(barnabas_broker: "EmbeddedBroker", request: pytest.FixtureRequest) -> str:
    """The name of a new topic of barnabas_broker, with one partition, that no other test has."""
    return new_topic(barnabas_broker, request.node.name)


def new_topic(broker: "EmbeddedBroker", test: str) -> str:
    """Create a topic that is named after a test, and return its name."""
    clean = re.sub(r"[^a-zA-Z0-9._-]+", "-", test)[:_LONGEST_NAME].strip("-")
    name = f"{clean}-{next(_numbers)}"
    broker.create_topic(name)
    return name


def pytest_runtest_teardown() -> None:
    """After a test, stop its faults and forget its requests, so that no other test sees them."""
    for broker in _running:
        broker.faults.stop()
        broker.requests.clear()
