"""Registry calls that run beside the loop; steps continue with their results."""

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TypeVar, cast

from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.stepping import Steps
from barnabas.errors import KafkaError
from barnabas.ports import Registry

Made = TypeVar("Made")


def ask(registry: Registry, work: Callable[[], object]) -> Pending:
    """Run `work` beside the loop; its result or error completes the Pending. See `Registry.later`."""
    pending = Pending()
    registry.later(work, pending.complete)
    return pending


class StepQueue:
    """Runs the steps of several events one event after the other, so that each sees the results of the last."""

    __slots__ = ("_is_beginning", "_is_busy", "_waiting")

    def __init__(self) -> None:
        self._waiting: deque[tuple[Steps[object], Pending]] = deque()
        self._is_busy = False
        self._is_beginning = False

    def put(self, steps: Steps[object]) -> Pending:
        """Run steps after all earlier ones; their result or error completes the Pending."""
        pending = Pending()
        self._waiting.append((steps, pending))
        self._begin()
        return pending

    def _begin(self) -> None:
        """Run the waiting steps in a loop, not recursively, because hundreds may wait."""
        if self._is_beginning:
            return
        self._is_beginning = True
        try:
            while self._waiting and not self._is_busy:
                self._is_busy = True
                self._go_on(*self._waiting.popleft(), None)
        except BaseException:
            self._is_beginning = False
            self._begin()
            raise
        self._is_beginning = False

    def _go_on(self, steps: Steps[object], pending: Pending, given: object) -> None:
        outcome: object
        try:
            while True:
                waits_for = (
                    steps.throw(given) if isinstance(given, Exception) else steps.send(given)
                )
                if waits_for is not None and not waits_for.is_done:
                    waits_for.on_done(partial(self._go_on, steps, pending))
                    return
                given = waits_for.outcome if waits_for is not None else None
        except StopIteration as end:
            outcome = end.value
        except KafkaError as error:
            outcome = error
        except Exception as error:
            self._end(pending, error)
            raise
        self._end(pending, outcome)

    def _end(self, pending: Pending, outcome: object) -> None:
        self._is_busy = False
        try:
            pending.complete(outcome)
        finally:
            self._begin()


class RegistryCalls:
    """The registry calls of requests, beside the loop: a server may be away, and a disk slow to sync."""

    __slots__ = ("_registry", "_turns")

    def __init__(self, registry: Registry | None) -> None:
        """`registry`: the broker's; None for calls that are made at once."""
        self._registry = registry
        self._turns = StepQueue()
        """The requests that change something."""

    def make(self, work: Callable[[], Made]) -> Steps[Made]:
        """Run `work`; return its result or raise its error. See `Registry.later`."""
        if self._registry is None:
            return work()
        pending = ask(self._registry, work)
        made = pending.outcome if pending.is_done else (yield pending)
        if isinstance(made, Exception):
            raise made
        return cast("Made", made)

    def in_turn(self, steps: Steps[Made]) -> Steps[Made]:
        """Run steps that change something after all earlier ones, so that each sees their results."""
        begun, over = Pending(), Pending()
        self._turns.put(_turn(begun, over))
        try:
            if not begun.is_done:
                yield begun
            return (yield from steps)
        finally:
            over.complete(None)


def _turn(begun: Pending, over: Pending) -> Steps[None]:
    if not over.is_done:  # It is complete if the waiting request was ended.
        begun.complete(None)
        yield over


AT_ONCE = RegistryCalls(None)
"""Makes calls at once: at the start of a broker, and where a handler cannot wait."""
