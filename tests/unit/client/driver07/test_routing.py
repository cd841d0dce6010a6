from collections.abc import Callable
from functools import partial

import pytest

from barnabas.client.driver07.assignment import BrokerPartition
from barnabas.client.driver07.routing import WatchedRouting
from sim.world.zookeeper import SimulatedSession, SimulatedZooKeeper

DOGS = "/brokers/topics/dogs"


def a_routing() -> tuple[WatchedRouting, SimulatedSession, SimulatedSession]:
    """With the session that it reads, and the one of a broker with a partition."""
    keeper = SimulatedZooKeeper()
    broker, reader = keeper.session(), keeper.session(lambda call: call())
    broker.create_ephemeral("/brokers/ids/1", b"x:here:1")
    broker.create_ephemeral(f"{DOGS}/1", b"1")
    return WatchedRouting(reader), reader, broker


def places(routing: WatchedRouting) -> list[BrokerPartition]:
    return [each.place for each in routing.destinations("dogs")]


Meanwhile = Callable[[SimulatedSession, str, Callable[[], object]], None]


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Meanwhile:
    """Has something happen when a node was read, and the answer is not yet there."""
    return partial(during_the_next, monkeypatch)


def during_the_next(
    monkeypatch: pytest.MonkeyPatch,
    reader: SimulatedSession,
    path: str,
    happens: Callable[[], object],
) -> None:
    get = reader.get

    def slowly(asked: str) -> tuple[bytes, int] | None:
        found = get(asked)
        if asked == path:
            monkeypatch.setattr(reader, "get", get)
            happens()
        return found

    monkeypatch.setattr(reader, "get", slowly)


def test_more_partitions_that_are_reported_during_a_read_are_there_at_the_next(
    meanwhile: Meanwhile,
) -> None:
    routing, reader, broker = a_routing()

    def grow() -> None:
        broker.delete(f"{DOGS}/1")
        broker.create_ephemeral(f"{DOGS}/1", b"2")

    meanwhile(reader, f"{DOGS}/1", grow)
    assert places(routing) == [BrokerPartition(1, 0)]
    assert places(routing) == [BrokerPartition(1, 0), BrokerPartition(1, 1)]


def test_a_broker_that_comes_during_a_read_is_there_at_the_next(meanwhile: Meanwhile) -> None:
    routing, reader, broker = a_routing()
    path = "/brokers/ids/2"
    meanwhile(reader, f"{DOGS}/1", lambda: broker.create_ephemeral(path, b"x:there:2"))
    assert places(routing) == [BrokerPartition(1, 0)]
    assert places(routing) == [BrokerPartition(1, 0), BrokerPartition(2, 0)]


def test_what_is_known_is_not_read_again_until_there_is_news() -> None:
    routing, reader, broker = a_routing()
    known = places(routing)
    reader.reachable = False
    assert places(routing) == known
    reader.reachable = True
    broker.close()
    assert places(routing) == []
