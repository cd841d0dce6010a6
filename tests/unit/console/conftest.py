"""A broker with a topic or two, and a browser without a screen: starlette's client."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from starlette.testclient import TestClient

from barnabas import Admin, Producer
from barnabas.console.application import create_application
from barnabas.console.cluster import cluster_state
from barnabas.console.settings import ConsoleSettings
from barnabas.testing import EmbeddedBroker

Opened = Callable[..., TestClient]


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages wait for whole lists, on a busy machine too."""
    monkeypatch.setattr(cluster_state, "_SOON_S", 60.0)


@pytest.fixture(scope="session")
def console_broker() -> Iterator[EmbeddedBroker]:
    """One for all tests of the console; each uses topics and groups of its own."""
    with EmbeddedBroker() as broker:
        yield broker


@pytest.fixture
def opened(console_broker: EmbeddedBroker) -> Iterator[Opened]:
    """Open a console; keywords are settings, `servers` among them."""
    with ExitStack() as stack:

        def opening(servers: str = console_broker.bootstrap_servers, **given: Any) -> TestClient:
            refused = {"bootstrap.refused.timeout.ms": 0}
            settings = ConsoleSettings({"bootstrap.servers": servers, **refused}, **given)
            application = create_application(settings)
            return stack.enter_context(TestClient(application, base_url="http://localhost:8080"))

        yield opening


@pytest.fixture
def browser(opened: Opened) -> TestClient:
    """A console that may change things, without a password."""
    return opened()


@pytest.fixture
def producer(console_broker: EmbeddedBroker) -> Iterator[Producer]:
    """Sends records to the broker."""
    with Producer(bootstrap_servers=console_broker.bootstrap_servers, linger_ms=0) as made:
        yield made


@pytest.fixture
def admin(console_broker: EmbeddedBroker) -> Iterator[Admin]:
    """Looks at the broker past the console."""
    with Admin(bootstrap_servers=console_broker.bootstrap_servers) as made:
        yield made
