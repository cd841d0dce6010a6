"""A controller over a ZooKeeper in memory: nodes that cannot be read, and writes that fail."""

import json
from collections.abc import Callable
from typing import cast

import pytest

from barnabas.broker.cluster.controller_election import Term
from barnabas.broker.cluster.controllership import ControllerPorts, Controllership
from barnabas.broker.cluster.inter_broker import versions_of
from barnabas.broker.cluster.peer_connection import PeerConnection
from barnabas.cluster.events import Reassigned
from barnabas.cluster.image import NO_LEADER
from barnabas.errors import BrokerError, ErrorCode, StorageError
from barnabas.ports import SharedRegistry
from barnabas.runtime.entropy import SystemEntropy
from barnabas.types import NodeId, NodeWrite, TopicPartition
from sim.world.zookeeper import SimulatedSession, SimulatedZooKeeper
from tests.unit.runtime.manual_timers import ManualTimers

DOGS, CATS = TopicPartition("dogs", 0), TopicPartition("cats", 0)
STATE = {"controller_epoch": 0, "leader": 1, "version": 1, "leader_epoch": 0, "isr": [1]}
ELECTIONS = "/admin/preferred_replica_election"
MOVES = "/admin/reassign_partitions"


class Silent:
    """A broker that answers nothing."""

    is_busy = False

    def __init__(self, sent: list[object]) -> None:
        self._sent = sent

    def ask(self, *request: object) -> None:
        self._sent.append(request)

    def close(self) -> None:
        pass


class Started:
    """A controller that begins; `nodes` are there before."""

    def __init__(self, may_be_unclean: Callable[[], bool] = bool, /, **nodes: object) -> None:
        self.keeper = SimulatedZooKeeper()
        self.session: SimulatedSession = self.keeper.session()
        self.timers = ManualTimers()
        broker = {"endpoints": ["PLAINTEXT://localhost:1"], "version": 4}
        there: dict[str, object] = {
            "/brokers/ids/1": broker, "/brokers/ids/2": broker, "/controller_epoch": 1,
        }  # fmt: skip
        for topic in ("dogs", "cats"):
            path = f"/brokers/topics/{topic}"
            there[path] = {"version": 1, "partitions": {"0": [1]}}
            there[f"{path}/partitions/0/state"] = STATE
        there |= {path.replace("__", "/"): value for path, value in nodes.items()}
        for path, value in there.items():
            self.session.set(
                path, value if isinstance(value, bytes) else json.dumps(value).encode()
            )
        self.sent: list[object] = []
        self.begin(may_be_unclean)

    def begin(self, may_be_unclean: Callable[[], bool] = bool) -> None:
        """Have a controller over the nodes that there are."""
        ports = ControllerPorts(
            NodeId(1), cast("SharedRegistry", self.session), self.timers, SystemEntropy(),
            versions_of("3.9"), lambda _address: cast("PeerConnection", Silent(self.sent)),
            "PLAINTEXT", lambda: True, may_be_unclean=may_be_unclean,
        )  # fmt: skip
        version = self.keeper.nodes["/controller_epoch"][1]
        self.controller = Controllership(ports, Term(1, version), lambda: None)
        self.controller.begin()


@pytest.mark.parametrize("path", ["preferred_replica_election", "reassign_partitions"])
@pytest.mark.parametrize("data", [b"{", b"[]", b'{"partitions": [{"topic": "dogs"}]}'])
def test_a_tools_node_that_cannot_be_read_goes_and_the_controller_serves(
    path: str, data: bytes
) -> None:
    started = Started(**{f"__admin__{path}": data})
    assert started.controller.is_ready
    assert started.session.get(f"/admin/{path}") is None


def test_a_partition_whose_state_cannot_be_read_is_left_out_and_the_others_are_served() -> None:
    path = "__brokers__topics__dogs__partitions__0__state"
    started = Started(**{path: b"{"})
    assert started.controller.is_ready
    image = started.controller.view.image
    assert image.partition(DOGS) is None
    assert image.partition(CATS) is not None
    # Nobody has written over it.
    assert started.session.get("/brokers/topics/dogs/partitions/0/state") == (b"{", 0)


@pytest.mark.parametrize("name", ["9", "99999999999", "\u0661\u0662"])
def test_a_broker_that_fits_no_request_is_left_out(name: str) -> None:
    damaged = {"endpoints": ["PLAINTEXT://localhost:1"], "rack": 5 if name == "9" else None}
    started = Started(**{f"__brokers__ids__{name}": damaged})
    assert started.controller.is_ready
    assert started.controller.view.image.brokers.keys() == {1, 2}


def test_a_topic_whose_name_no_request_may_have_is_left_out() -> None:
    wanted = {"version": 1, "partitions": {"0": [1]}}
    started = Started(
        **{"__brokers__topics__a b": wanted, "__brokers__topics__" + "t" * 300: wanted}
    )
    assert started.controller.view.image.topics.keys() == {"dogs", "cats"}


def with_id(version: int) -> dict[str, object]:
    return {"version": version, "topic_id": "A" * 20 + "EQ", "partitions": {"0": [1]}}


@pytest.mark.parametrize("is_first", [True, False])
def test_of_two_topics_with_one_id_the_one_created_first_is_served(
    caplog: pytest.LogCaptureFixture, *, is_first: bool
) -> None:
    """Requests name topics by id: followers and readers of one would get the records of the other."""
    twins = ["__brokers__topics__a", "__brokers__topics__b"]
    started = Started(**dict.fromkeys(twins if is_first else twins[::-1], with_id(3)))
    topics = started.controller.view.image.topics
    assert ("a" in topics, "b" in topics) == (is_first, not is_first)
    errors = {vars(one)["topic"] for one in caplog.records if one.levelname == "ERROR"}
    assert errors == {"b" if is_first else "a"}


def test_a_new_topic_with_the_id_of_a_known_one_is_not_served() -> None:
    started = Started(__brokers__topics__b=with_id(3))
    for name, node in ("a", with_id(3)), ("c", {"version": 1, "partitions": {"0": [1]}}):
        started.session.set(f"/brokers/topics/{name}", json.dumps(node).encode())
    started.session.deliver()
    assert started.controller.view.image.topics.keys() == {"dogs", "cats", "b", "c"}


def test_properties_that_cannot_be_read_leave_the_controller_and_other_topics_as_they_are() -> None:
    unclean = {"version": 1, "config": {"unclean.leader.election.enable": "true"}}
    started = Started(__config__topics__dogs=b"{", __config__topics__cats=unclean)
    assert started.controller.is_ready
    assert started.controller.view.unclean == {"cats": True}


@pytest.mark.parametrize("data", [b"{", b"[]", b"", b'{"broker": "x", "partitions": [{}]}'])
@pytest.mark.parametrize("kind", ["isr_change", "log_dir_event"])
def test_a_report_that_cannot_be_read_goes_and_the_controller_serves(
    kind: str, data: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    below = f"/{kind}_notification"
    whole = {"broker": 1, "partitions": [{"topic": "dogs", "partition": 0}]}
    nodes = {f"{below}/{kind}1": data, f"{below}/{kind}2": whole}
    started = Started(**{path.replace("/", "__"): value for path, value in nodes.items()})
    assert started.controller.is_ready
    assert started.session.children(below) == []
    (warning,) = (one for one in caplog.records if one.levelname == "WARNING")
    assert vars(warning)["path"] == f"{below}/{kind}1"


def test_a_move_that_could_not_be_written_is_begun_again(monkeypatch: pytest.MonkeyPatch) -> None:
    started = Started()
    commit, fails = started.session.commit, [True]

    def failing_once(writes: list[NodeWrite], checks: dict[str, int]) -> None:
        if fails and any("topics/dogs" in one.path for one in writes):
            fails.pop()
            raise StorageError("ZooKeeper does not answer")
        commit(writes, checks)

    monkeypatch.setattr(started.session, "commit", failing_once)
    row = {"topic": "dogs", "partition": 0, "replicas": [2]}
    started.session.set(MOVES, json.dumps({"version": 1, "partitions": [row]}).encode())
    started.session.deliver()
    assert (fails, started.controller.is_ready) == ([], False)
    started.timers.advance(1)
    # The tool's node stays while its partitions move.
    assert started.session.get(MOVES) is not None
    state = started.controller.view.image.partition(DOGS)
    assert state is not None
    assert state.adding == (2,)


def test_a_partition_without_a_leader_gets_one_once_its_topic_allows_an_unclean_one() -> None:
    path = "__brokers__topics__dogs__partitions__0__state"
    started = Started(**{path: {**STATE, "leader": -1, "isr": [9]}})
    found = started.controller.view.image.partition(DOGS)
    assert found is not None
    assert found.leader == NO_LEADER
    config = {"unclean.leader.election.enable": "true"}
    started.controller.attempt(lambda: started.controller.take_config("dogs", config))
    found = started.controller.view.image.partition(DOGS)
    assert found is not None
    assert (found.leader, found.isr) == (1, (1,))


def test_while_zookeeper_does_not_answer_nobody_waits_and_events_follow_one_after_the_other() -> (
    None
):
    started = Started()
    started.session.withheld = []
    controller, moved = started.controller, list[object]()
    for place in (DOGS, CATS):
        controller.put(controller.take(Reassigned({place: (NodeId(2),)}))).on_done(moved.append)
    assert (moved, len(started.session.withheld)) == ([], 1)
    started.session.answer()
    assert len(moved) == 2
    for place in (DOGS, CATS):
        state = controller.view.image.partition(place)
        assert state is not None
        assert state.adding == (2,)


def test_what_is_answered_after_the_end_of_the_term_has_no_effect() -> None:
    started = Started()
    controller, outcomes, sent = started.controller, list[object](), len(started.sent)
    started.session.withheld = []
    for place in (DOGS, CATS):
        controller.put(controller.take(Reassigned({place: (NodeId(2),)}))).on_done(outcomes.append)
    before, cats = controller.view, started.keeper.nodes["/brokers/topics/cats"]
    controller.end()
    started.session.answer()
    codes = [one.code for one in outcomes if isinstance(one, BrokerError)]
    assert codes == [ErrorCode.NOT_CONTROLLER] * 2
    assert controller.view is before
    assert len(started.sent) == sent
    # What had not begun by then is not written.
    assert started.keeper.nodes["/brokers/topics/cats"] == cats


def test_a_controller_of_an_old_epoch_takes_no_tools_node_away() -> None:
    started = Started()
    started.session.set("/controller_epoch", b"2")
    row = {"topic": "dogs", "partition": 0}
    started.session.set(ELECTIONS, json.dumps({"version": 1, "partitions": [row]}).encode())
    started.session.deliver()
    assert not started.controller.is_ready
    assert started.session.get(ELECTIONS) is not None


@pytest.mark.parametrize("unclean", [False, True])
def test_a_controller_begins_with_the_brokers_own_property(*, unclean: bool) -> None:
    path = "__brokers__topics__dogs__partitions__0__state"
    started = Started(lambda: unclean, **{path: {**STATE, "leader": -1, "isr": [9]}})
    found = started.controller.view.image.partition(DOGS)
    assert found is not None
    assert found.leader == (1 if unclean else NO_LEADER)


def test_a_broker_that_was_back_before_there_was_a_controller_does_not_lead_with_what_it_has() -> (
    None
):
    started = Started(
        __brokers__topics__dogs={"version": 1, "partitions": {"0": [1, 2]}},
        __brokers__topics__dogs__partitions__0__state={**STATE, "isr": [1, 2]},
    )
    node, _ = started.session.get("/brokers/ids/1") or (b"", 0)
    session = started.keeper.session()
    # Registered before the state was written, and again: nobody was the controller then.
    for path in ("/brokers/ids/2", "/brokers/topics/dogs/partitions/0/state"):
        data, _ = session.get(path) or (b"", 0)
        session.delete(path)
        session.set(path, data)
    session.delete("/brokers/ids/1")
    session.set("/brokers/ids/1", node)
    started.controller.end()
    started.begin()
    state = started.controller.view.image.partition(DOGS)
    assert state is not None
    assert (state.leader, state.isr, state.leader_epoch) == (2, (2,), 1)
