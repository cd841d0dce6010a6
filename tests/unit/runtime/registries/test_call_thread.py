"""Calls that wait on a thread: one after the other, their results on the loop, nothing after the end."""

import threading
from collections.abc import Callable
from queue import Queue

from barnabas.errors import RegistryUnavailable
from barnabas.runtime.registries.call_thread import CallThread

SECONDS = 10.0


class Loop:
    """What is handed over, for the test's thread."""

    def __init__(self) -> None:
        self.due: Queue[Callable[[], None]] = Queue()
        self.calls = CallThread(self.due.put)
        self.results: list[object] = []

    def turn(self) -> None:
        self.due.get(timeout=SECONDS)()


def test_a_call_waits_elsewhere_and_those_after_it_follow_in_order() -> None:
    loop, answered = Loop(), threading.Event()

    def first() -> str:
        assert answered.wait(SECONDS)
        return threading.current_thread().name

    loop.calls.later(first, loop.results.append)
    loop.calls.later(lambda: 2, loop.results.append)
    assert (loop.results, loop.due.empty()) == ([], True)
    answered.set()
    loop.turn()
    loop.turn()
    assert loop.results == ["barnabas-registry_0", 2]
    loop.calls.close()


def test_what_a_call_raises_is_its_result() -> None:
    loop, error = Loop(), RegistryUnavailable("it does not answer")

    def fail() -> None:
        raise error

    loop.calls.later(fail, loop.results.append)
    loop.turn()
    assert loop.results == [error]
    loop.calls.close()


def test_after_the_end_nothing_is_begun_and_nobody_waits() -> None:
    loop, begun, answered = Loop(), threading.Event(), threading.Event()

    def first() -> None:
        begun.set()
        answered.wait(SECONDS)

    loop.calls.later(first, loop.results.append)
    loop.calls.later(lambda: "never", loop.results.append)
    assert begun.wait(SECONDS)
    loop.calls.close()
    loop.calls.later(lambda: "never", loop.results.append)
    answered.set()
    loop.turn()
    assert (loop.results, loop.due.empty()) == ([None], True)
