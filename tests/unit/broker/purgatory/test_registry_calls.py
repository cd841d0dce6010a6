"""Steps that wait for a registry: in their order, and an error is raised where it is waited for."""

import pytest

from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.registry_calls import RegistryCalls, StepQueue, ask
from barnabas.broker.purgatory.stepping import Steps, at_once
from barnabas.errors import RegistryUnavailable, StorageError
from sim.world.zookeeper import SimulatedSession, SimulatedZooKeeper


class Queue:
    """A queue whose steps read a node and write what they found."""

    def __init__(self) -> None:
        self.session: SimulatedSession = SimulatedZooKeeper().session()
        self.steps = StepQueue()
        self.found: list[object] = []

    def put(self, name: str) -> None:
        self.steps.put(self._read(name)).on_done(self.found.append)

    def _read(self, name: str) -> Steps[str]:
        before = yield ask(self.session, lambda: self.session.children("/a"))
        yield
        yield ask(self.session, lambda: self.session.create(f"/a/{name}", b""))
        return f"{name} after {before}"


def test_steps_of_one_event_come_after_those_of_the_other() -> None:
    queue = Queue()
    queue.session.withheld = []
    queue.put("dogs")
    queue.put("cats")
    assert len(queue.session.withheld) == 1
    queue.session.answer()
    assert queue.found == ["dogs after []", "cats after ['dogs']"]


def test_an_error_is_raised_in_the_steps_and_the_next_ones_go_on() -> None:
    queue = Queue()
    queue.session.withheld = []
    queue.session.reachable = False
    queue.put("dogs")
    queue.session.reachable = True
    queue.put("cats")
    queue.session.answer()
    error, after = queue.found
    assert isinstance(error, RegistryUnavailable)
    assert after == "cats after []"


def test_a_listener_that_fails_keeps_nobody_waiting() -> None:
    queue = Queue()
    queue.session.withheld = []

    def fail(_outcome: object) -> None:
        raise ValueError("a listener's mistake")

    queue.put("dogs")
    queue.steps.put(queue._read("birds")).on_done(fail)
    queue.put("cats")
    with pytest.raises(ValueError, match="a listener's mistake"):
        queue.session.answer()
    queue.session.answer()
    assert queue.found == ["dogs after []", "cats after ['birds', 'dogs']"]


def test_steps_may_put_others() -> None:
    queue, order = StepQueue(), list[str]()

    def second() -> Steps[None]:
        yield
        order.append("second")

    def first() -> Steps[None]:
        queue.put(second())
        order.append("first")
        yield
        raise StorageError("it fails")

    queue.put(first())
    assert order == ["first", "second"]


def test_thousands_that_end_at_once_do_so_one_after_the_other() -> None:
    """Each was begun from within the end of the last: of 1,000 new topics some got no leaders."""
    queue, gate, order = StepQueue(), Pending(), list[int]()

    def wait() -> Steps[None]:
        yield gate

    def step(number: int) -> Steps[None]:
        order.append(number)
        yield

    queue.put(wait())
    for number in range(2000):
        queue.put(step(number))
    gate.complete(None)
    assert order == [*range(2000)]


def test_changes_are_made_in_turn_also_after_one_that_fails_or_is_ended() -> None:
    session = SimulatedZooKeeper().session()
    session.withheld = []
    calls, queue = RegistryCalls(session), list[StepQueue]()
    found = list[object]()

    def change(name: str) -> Steps[str]:
        before = yield from calls.make(lambda: session.children("/a"))
        yield
        yield from calls.make(lambda: session.create(f"/a/{name}", b""))
        return f"{name} after {before}"

    def begin(name: str) -> Steps[str]:
        steps = calls.in_turn(change(name))
        queue.append(StepQueue())
        queue[-1].put(steps).on_done(found.append)
        return steps

    session.reachable = False
    begin("mice")
    session.reachable = True
    begin("dogs")
    ended = begin("birds")
    begin("cats")
    ended.close()
    assert len(session.withheld) == 1, "the others wait"
    session.answer()
    made = {one for one in found if isinstance(one, str)}
    (error,) = (one for one in found if not isinstance(one, str))
    assert made == {"dogs after []", "cats after ['dogs']"}
    assert isinstance(error, RegistryUnavailable)


def test_a_registry_of_the_brokers_own_is_called_at_once() -> None:
    made = RegistryCalls(None).make(lambda: "made")
    assert at_once(made) == "made"
