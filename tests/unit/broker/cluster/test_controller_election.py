"""Elections of a controller over a ZooKeeper in memory: one at a time, each with an epoch of its own."""

from typing import cast

from barnabas.broker.cluster.controller_election import ControllerElection, Term
from barnabas.ports import SharedRegistry
from barnabas.runtime.clock import SystemClock
from barnabas.types import NodeId
from sim.world.zookeeper import SimulatedSession, SimulatedZooKeeper
from tests.unit.runtime.manual_timers import ManualTimers


class Candidate:
    """A broker that stands for election; `terms` are those it was elected for, `is_active` now."""

    def __init__(self, keeper: SimulatedZooKeeper, node_id: int) -> None:
        self.session: SimulatedSession = keeper.session()
        self.timers = ManualTimers()
        self.terms: list[Term] = []
        self.is_active = False
        self.election = ControllerElection(
            NodeId(node_id),
            cast("SharedRegistry", self.session),
            SystemClock(),
            self.timers,
            self._elected,
            self._over,
        )

    def _elected(self, term: Term) -> None:
        self.terms.append(term)
        self.is_active = True

    def _over(self) -> None:
        self.is_active = False


def deliver(*candidates: Candidate) -> None:
    for candidate in candidates:
        candidate.session.deliver()


def test_the_first_is_elected_and_the_next_when_it_is_gone() -> None:
    keeper = SimulatedZooKeeper()
    one, two = Candidate(keeper, 1), Candidate(keeper, 2)
    one.election.start()
    two.election.start()
    assert one.terms == [Term(1, 0)]
    assert not two.terms
    one.session.close()
    deliver(one, two)
    assert two.terms == [Term(2, 1)]
    assert keeper.nodes["/controller_epoch"][0] == b"2"


def test_who_has_another_session_resigns_and_may_be_elected_anew() -> None:
    keeper = SimulatedZooKeeper()
    one = Candidate(keeper, 1)
    one.election.start()
    one.session.expire()
    deliver(one)
    assert one.terms == [Term(1, 0), Term(2, 1)]
    assert one.is_active


def test_who_finds_another_epoch_resigns() -> None:
    keeper = SimulatedZooKeeper()
    one = Candidate(keeper, 1)
    one.election.start()
    keeper.session().set("/controller_epoch", b"7")
    one.election.look()
    assert one.terms == [Term(1, 0), Term(8, 2)]


def test_a_controller_that_stops_stands_no_more() -> None:
    keeper = SimulatedZooKeeper()
    one = Candidate(keeper, 1)
    one.election.start()
    one.election.stop()
    assert not one.is_active
    keeper.drop("/controller")
    deliver(one)
    assert len(one.terms) == 1


def test_who_stops_while_zookeeper_does_not_answer_is_not_elected() -> None:
    one = Candidate(SimulatedZooKeeper(), 1)
    one.session.withheld = []
    one.election.start()
    one.election.stop()
    one.session.answer()
    assert not one.terms


def test_who_is_elected_in_a_session_that_is_gone_stands_again() -> None:
    keeper = SimulatedZooKeeper()
    one = Candidate(keeper, 1)
    one.session.withheld = []
    one.election.start()
    one.session.answer()
    one.session.withheld = []
    one.session.expire()
    deliver(one)
    # It is the controller as far as it knows, and each of its writes checks that.
    assert one.is_active
    one.session.answer()
    assert one.terms == [Term(1, 0), Term(2, 1)]
