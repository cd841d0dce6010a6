"""The simulated ZooKeeper is held to what the real one does (tests/interop/clusters/test_zookeeper.py)."""

from collections.abc import Callable
from functools import partial
from typing import cast

import pytest

from barnabas.ports import Registry, SharedRegistry
from sim.world.zookeeper import SimulatedSession, SimulatedZooKeeper
from tests import registry_scenarios
from tests.registry_scenarios import Sessions, Until


@pytest.fixture
def keeper() -> SimulatedZooKeeper:
    return SimulatedZooKeeper()


@pytest.fixture
def until(keeper: SimulatedZooKeeper) -> Until:
    def deliver(condition: Callable[[], bool]) -> None:
        for session in keeper.sessions:
            session.deliver()
        assert condition()

    return deliver


def test_the_node_above_does_not_hear_of_data(keeper: SimulatedZooKeeper) -> None:
    session = keeper.session()
    session.create("/topics/dogs", b"1")
    received: list[str] = []
    for path in ("/topics", "/topics/dogs"):
        session.watch(path, partial(received.append, path))
    session.set("/topics/dogs", b"2")
    session.deliver()
    assert received == ["/topics/dogs"]
    session.delete("/topics/dogs")
    session.deliver()
    assert received == ["/topics/dogs", "/topics/dogs", "/topics"]


@pytest.mark.parametrize("scenario", registry_scenarios.STORES, ids=lambda each: each.__name__)
def test_store(scenario: Callable[[Registry], None], keeper: SimulatedZooKeeper) -> None:
    scenario(keeper.session())


@pytest.mark.parametrize("scenario", registry_scenarios.SHARED, ids=lambda each: each.__name__)
def test_shared(
    scenario: Callable[[Sessions, Until], None], keeper: SimulatedZooKeeper, until: Until
) -> None:
    scenario(keeper.session, until)


def test_new_session(keeper: SimulatedZooKeeper, until: Until) -> None:
    def expire(session: SharedRegistry) -> None:
        cast("SimulatedSession", session).expire()

    registry_scenarios.a_new_session_notifies_and_ephemeral_nodes_are_gone(
        keeper.session, until, expire
    )
