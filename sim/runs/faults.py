"""Faults: what goes wrong and when, drawn from the seed."""

from collections.abc import Callable
from typing import NamedTuple

from sim.events import (
    Acknowledged,
    AcknowledgeDone,
    AllOnTheirWay,
    Committed,
    Delivered,
    Event,
    OffsetsEnded,
    PowerCut,
    Synced,
    TransactionEnded,
)
from sim.runs.cast import Cast
from sim.scenario import Scenario
from sim.world.clock import SimClock
from sim.world.entropy import SeededEntropy
from sim.world.loop import SimLoop
from sim.world.network import Net
from sim.world.node import SimNode

_MOST_JUMP_MS = 25 * 60_000
_MOST_STEPS = 40
_MOMENTS: tuple[type[Event], ...] = (
    Acknowledged,
    Committed,
    Synced,
    TransactionEnded,
    OffsetsEnded,
    Delivered,
    AcknowledgeDone,
)


class World(NamedTuple):
    """What faults do beside what they are."""

    loop: SimLoop
    tell: Callable[[PowerCut], None]
    disturb: Callable[[], None]
    """Tell that connections break."""
    note: Callable[[str, str], None]
    start: Callable[[], None]
    """Have the broker back."""


class Faults:
    """Plans them when it is made. A broker that died comes back by itself after a while."""

    def __init__(self, scenario: Scenario, entropy: SeededEntropy, world: World) -> None:
        self._scenario = scenario
        self._entropy = entropy
        self._loop = world.loop
        self._world = world
        self._note = world.note
        self._waiting: list[tuple[type[Event], Callable[[], str]]] = []

    def plan(self, node: SimNode, net: Net, clock: SimClock, cast: Cast) -> None:
        """Have them happen."""
        kinds: list[Callable[[], str]] = [
            lambda: self._kill(node),
            lambda: self._kill_within(node),
            lambda: self._stop(node),
            lambda: self._cut(net),
            lambda: self._clog(net),
            lambda: self._jump(clock),
            lambda: self._slow_down(node),
            lambda: self._lie_in_wait(lambda: self._kill(node)),
            *cast.faults(),
        ]
        if self._scenario.cuts_power:
            kinds += [
                lambda: self._power_cut(node),
                lambda: self._power_cut(node),
                lambda: self._lie_in_wait(lambda: self._power_cut(node)),
                lambda: self._lie_in_wait(lambda: self._power_cut(node)),
            ]
        for _ in range(self._scenario.faults):
            self._plan_one(self._entropy.one_of(kinds))
        for kind in cast.planned():
            self._plan_one(kind)
        entropy = self._entropy.stream("unanswered")
        for _ in range(self._scenario.kills_unanswered):
            when = entropy.between(0.5, self._scenario.trouble_seconds)
            self._loop.after(when, lambda: self._await_batches(node, net, entropy))
        self._watch(node)

    def _plan_one(self, fault: Callable[[], str]) -> None:
        when = self._entropy.between(0.5, self._scenario.trouble_seconds)
        self._loop.after(when, lambda: self._note("fault", fault()))

    def end(self, node: SimNode) -> None:
        """There are no more."""
        node.slow_down(1.0)
        self._waiting.clear()
        self._note("fault", "there are no more")

    def on_event(self, event: Event) -> None:
        """A client received a response: inject the faults that wait for it."""
        waiting, self._waiting = self._waiting, []
        for kind, fault in waiting:
            if isinstance(event, kind):
                self._loop.after(0.0, lambda fault=fault: self._note("fault", fault()))  # type: ignore[misc]
            else:
                self._waiting.append((kind, fault))

    def _watch(self, node: SimNode) -> None:
        """Bring the broker back whenever it is down."""
        if node.is_up:
            self._loop.after(0.05, lambda: self._watch(node))
        else:
            seconds = self._entropy.between(0.05, 6.0)
            self._note("fault", f"the broker is down, and returns in {seconds:.3f} s")
            self._loop.after(seconds, lambda: self._return(node))

    def _return(self, node: SimNode) -> None:
        if not node.is_up:
            self._world.start()
        self._watch(node)

    def _kill(self, node: SimNode) -> str:
        node.kill()
        return "the broker is killed"

    def _kill_within(self, node: SimNode) -> str:
        steps = self._entropy.below(_MOST_STEPS)
        node.kill_within(steps)
        return f"the broker will die of change {steps} to the disk"

    def _stop(self, node: SimNode) -> str:
        self._world.disturb()
        node.stop()
        return "the broker is stopped"

    def _power_cut(self, node: SimNode) -> str:
        lost = node.power_cut()
        self._world.tell(PowerCut(loses=not self._scenario.flushes))
        return f"the power is cut: {'; '.join(lost)}"

    def _lie_in_wait(self, fault: Callable[[], str]) -> str:
        """When the next client receives such a response."""
        kind = self._entropy.one_of(_MOMENTS)
        self._waiting.append((kind, fault))
        return f"something lies in wait for the next {kind.__name__}"

    def _await_batches(self, node: SimNode, net: Net, entropy: SeededEntropy) -> None:
        """When a producer has all batches on their way, no answer arrives, and the broker dies."""

        def strike() -> str:
            for link in net.links.values():
                link.swallows_answers = True
            self._world.disturb()
            self._loop.after(
                entropy.between(0.0, 1.0), lambda: self._note("fault", self._kill(node))
            )
            return "answers are swallowed until the broker is killed"

        self._waiting.append((AllOnTheirWay, strike))
        self._note("fault", "something lies in wait for batches without an answer")

    def _slow_down(self, node: SimNode) -> str:
        times = self._entropy.one_of((1.0, 10.0, 100.0))
        node.slow_down(times)
        return f"syncs take {times} times longer"

    def _cut(self, net: Net) -> str:
        links = list(net.links.values())
        self._world.disturb()
        if links:
            self._entropy.one_of(links).cut()
        return f"one of {len(links)} links is cut"

    def _clog(self, net: Net) -> str:
        """Some or all links give nothing for a while."""
        seconds = self._entropy.between(0.5, 20.0)
        share = self._entropy.one_of((0.2, 0.5, 1.0))
        for link in net.links.values():
            if self._entropy.chance(share):
                link.clogged_until = self._loop.now() + seconds
        return f"links give nothing for {seconds:.3f} s"

    def _jump(self, clock: SimClock) -> str:
        clock.jump_ms = self._entropy.below(2 * _MOST_JUMP_MS) - _MOST_JUMP_MS
        return f"the wall clock is off by {clock.jump_ms} ms"
