import pytest

from barnabas.broker.zookeeper.published_nodes import PublishedNodes
from sim.world.zookeeper import SimulatedSession, SimulatedZooKeeper
from tests.unit.runtime.manual_timers import ManualTimers


def held(*, anew: bool = False) -> tuple[PublishedNodes, SimulatedSession, ManualTimers]:
    session, timers = SimulatedZooKeeper().session(), ManualTimers()
    return PublishedNodes(session, timers, anew=anew), session, timers


def test_nodes_are_made_and_change_and_go() -> None:
    nodes, session, timers = held()
    nodes.hold("/brokers/ids/1", b"a")
    nodes.hold("/state", b"1", ephemeral=False)
    timers.advance(0)
    assert session.get("/brokers/ids/1") == (b"a", 0)
    assert session.is_mine("/brokers/ids/1")
    assert session.get("/state") == (b"1", 0)
    assert not session.is_mine("/state")
    nodes.hold("/brokers/ids/1", b"b")
    nodes.release(["/state", "/never/held"])
    timers.advance(0)
    assert session.get("/brokers/ids/1") == (b"b", 1)
    assert session.is_mine("/brokers/ids/1")
    assert session.get("/state") is None


@pytest.mark.parametrize("anew", [False, True])
def test_who_watches_the_names_hears_of_new_data_where_nodes_are_made_anew(*, anew: bool) -> None:
    nodes, session, timers = held(anew=anew)
    nodes.hold("/brokers/topics/dogs/1", b"2")
    timers.advance(0)
    received: list[str] = []
    reader = session.keeper.session(lambda call: call())
    reader.watch("/brokers/topics/dogs", lambda: received.append("dogs"))
    nodes.hold("/brokers/topics/dogs/1", b"4")
    timers.advance(0)
    assert bool(received) == anew
    assert session.is_mine("/brokers/topics/dogs/1")
    there = session.get("/brokers/topics/dogs/1")
    assert there is not None
    assert there[0] == b"4"


def test_a_node_that_is_as_it_should_be_is_not_written_again() -> None:
    nodes, session, timers = held()
    session.create("/state", b"1")
    nodes.hold("/state", b"1", ephemeral=False)
    timers.advance(0)
    assert session.get("/state") == (b"1", 0)


def test_ephemeral_nodes_are_made_again_in_a_new_session() -> None:
    nodes, session, timers = held()
    nodes.hold("/brokers/ids/1", b"a")
    nodes.hold("/state", b"1", ephemeral=False)
    timers.advance(0)
    session.expire()
    assert session.get("/brokers/ids/1") is None
    session.deliver()
    timers.advance(0)
    assert session.is_mine("/brokers/ids/1")
    assert session.get("/state") == (b"1", 0)


def test_what_fails_is_tried_again_at_longer_intervals_and_nothing_is_forgotten() -> None:
    nodes, session, timers = held()
    session.reachable = False
    nodes.hold("/a", b"1")
    nodes.hold("/b", b"2")
    pauses = []
    for _ in range(8):
        timers.advance(timers.waiting[0][0] - timers.now)
        pauses.append(round(timers.waiting[0][0] - timers.now, 3))
    assert pauses == [0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0, 5.0]
    session.reachable = True
    timers.advance(5)
    assert session.get("/a") is not None
    assert session.get("/b") is not None
    assert timers.waiting == []


def test_a_node_of_somebody_else_does_not_hold_up_the_others() -> None:
    nodes, session, timers = held()
    other = session.keeper.session()
    other.create_ephemeral("/controller", b"other")
    nodes.hold("/controller", b"me")
    nodes.hold("/brokers/ids/1", b"a")
    timers.advance(0)
    timers.advance(1)
    assert session.is_mine("/brokers/ids/1")
    assert session.get("/controller") == (b"other", 0)
    other.close()
    timers.advance(5)
    assert session.is_mine("/controller")


def test_many_nodes_are_written_a_part_at_a_time() -> None:
    nodes, session, timers = held()
    for index in range(300):
        nodes.hold(f"/topics/{index}", b"1")
    timers.advance(0)
    assert 0 < len(session.children("/topics")) < 300
    while timers.waiting:
        timers.advance(0)
    assert len(session.children("/topics")) == 300


def test_after_the_stop_nothing_is_written() -> None:
    nodes, session, timers = held()
    nodes.hold("/a", b"1")
    nodes.forget(["/a"])
    nodes.hold("/b", b"1")
    nodes.stop()
    timers.advance(10)
    assert session.children("/") == []


def test_what_lies_about_in_a_place_of_our_own_is_replaced_while_the_place_is_ours() -> None:
    session, timers = SimulatedZooKeeper().session(), ManualTimers()
    nodes = PublishedNodes(session, timers, anew=True, owner="/brokers/ids/1")
    session.create("/brokers/topics/cats/1", b"garbage")
    session.create("/brokers/topics/cats/1/below", b"")
    nodes.hold("/brokers/ids/1", b"here")
    nodes.hold("/brokers/topics/cats/1", b"2")
    nodes.hold("/brokers/topics/pigs/1", b"3")
    timers.advance(0)
    for topic, count in ((b"cats", b"2"), (b"pigs", b"3")):
        path = f"/brokers/topics/{topic.decode()}/1"
        there = session.get(path)
        assert there is not None
        assert (there[0], session.is_mine(path)) == (count, True)


def test_nothing_is_replaced_while_somebody_else_has_the_place() -> None:
    session, timers = SimulatedZooKeeper().session(), ManualTimers()
    nodes = PublishedNodes(session, timers, anew=True, owner="/brokers/ids/1")
    session.create("/brokers/ids/1", b"another broker")
    session.create("/brokers/topics/cats/1", b"its count")
    nodes.hold("/brokers/ids/1", b"here")
    nodes.hold("/brokers/topics/cats/1", b"2")
    timers.advance(0)
    timers.advance(1)
    assert session.get("/brokers/ids/1") == (b"another broker", 0)
    assert session.get("/brokers/topics/cats/1") == (b"its count", 0)
