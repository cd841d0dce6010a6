"""ClusterFaults: what goes wrong with brokers, their links and their sessions, drawn from the seed."""

from collections.abc import Callable

from barnabas.types import TopicPartition
from sim.cluster.brokers import Brokers
from sim.cluster.scenario import ClusterScenario
from sim.cluster.session import SESSION_SECONDS
from sim.world.entropy import SeededEntropy
from sim.world.loop import SimLoop
from sim.world.network import Net
from sim.world.process import Process

_MOST_JUMP_MS = 25 * 60_000
_MOST_STEPS = 40
_LONGEST_CUT = 15.0
_LONGEST_FULL = 10.0
_WATCH_SECONDS = 0.05


class ClusterFaults:
    """Plans them. A broker that died comes back by itself after a while."""

    def __init__(
        self,
        scenario: ClusterScenario,
        entropy: SeededEntropy,
        loop: SimLoop,
        net: Net,
        brokers: Brokers,
        note: Callable[[str, str], None],
    ) -> None:
        self._scenario = scenario
        self._entropy = entropy
        self._loop = loop
        self._net = net
        self._brokers = brokers
        self._note = note
        self._are_over = False
        self._without_power: set[int] = set()
        self._stopping: dict[int, Process | None] = {}
        self._spared: dict[int, set[int]] = {}
        """By brokers without power: those that have what was acknowledged, and do not fail as well."""

    def plan(self) -> None:
        """Have them happen."""
        kinds: list[Callable[[], str]] = [
            self._kill,
            self._kill,
            self._kill_within,
            self._stop,
            self._cut_one_way,
            self._cut_both_ways,
            self._cut_off,
            self._break_links,
            self._clog,
            self._expire,
            self._cut_registry,
            self._stall,
            self._stall_controller,
            self._kill_controller,
            self._kill_leader,
            self._kill_the_last_in_sync,
            self._power_cut,
            self._power_cut,
            self._power_cut,
            self._jump,
            self._slow_down,
            self._fill_disk,
        ]
        for _ in range(self._scenario.faults):
            fault = self._entropy.one_of(kinds)
            when = self._entropy.between(3.0, self._scenario.trouble_seconds)
            self._loop.after(when, lambda fault=fault: self._note("fault", fault()))  # type: ignore[misc]
        for node_id in self._scenario.node_ids:
            self._watch(node_id)

    def end(self) -> None:
        """All is healed."""
        self._are_over = True
        self._net.cuts.clear()
        for node in self._brokers.nodes.values():
            node.slow_down(1.0)
        self._note("fault", "there are no more")

    # --- Brokers that die and return ----------------------------------------------------------

    def _watch(self, node_id: int) -> None:
        """Bring a broker back whenever it is down."""
        if self._brokers.nodes[node_id].is_up:
            self._loop.after(_WATCH_SECONDS, lambda: self._watch(node_id))
        else:
            seconds = self._entropy.between(0.05, 10.0)
            self._note("fault", f"broker {node_id} returns in {seconds:.3f} s")
            self._loop.after(seconds, lambda: self._return(node_id))

    def _return(self, node_id: int) -> None:
        if node_id in self._without_power and not self._may_return(node_id):
            self._loop.after(0.5, lambda: self._return(node_id))
            return
        self._without_power.discard(node_id)
        self._spared.pop(node_id, None)
        self._brokers.start(node_id)
        self._loop.after(_WATCH_SECONDS, lambda: self._watch(node_id))

    def _may_return(self, node_id: int) -> bool:
        """Whether nobody counts any more on what the power cut took.

        A broker that is back before its session has ended is elected by a new controller as if it
        had all records; so it is with Kafka and ZooKeeper.
        """
        states = self._brokers.promised().values()
        return self._scenario.flushes or all(
            node_id not in state.isr and state.leader != node_id for state in states
        )

    def _one(self) -> int:
        """A broker that may fail."""
        spared = {one for each in self._spared.values() for one in each}
        there = [one for one in self._scenario.node_ids if one not in spared]
        return self._entropy.one_of(there)

    def _any(self) -> int:
        return self._entropy.one_of(self._scenario.node_ids)

    def _or_one(self, node_id: int | None) -> int:
        """This broker, if there is one and it may fail, or another one."""
        spared = {one for each in self._spared.values() for one in each}
        return self._one() if node_id is None or node_id in spared else node_id

    def _kill(self, node_id: int | None = None) -> str:
        node_id = self._or_one(node_id)
        self._brokers.nodes[node_id].kill()
        return f"broker {node_id} is killed"

    def _kill_within(self) -> str:
        node_id, steps = self._one(), self._entropy.below(_MOST_STEPS)
        self._brokers.nodes[node_id].kill_within(steps)
        return f"broker {node_id} will die of change {steps} to the disk"

    def _stop(self) -> str:
        node_id = self._one()
        node = self._brokers.nodes[node_id]
        node.stop()
        self._stopping[node_id] = node.process
        return f"broker {node_id} is stopped"

    def _kill_controller(self) -> str:
        return self._kill(self._brokers.controller())

    def _kill_leader(self) -> str:
        states = [*self._brokers.states().values()]
        leader = self._entropy.one_of(states).leader if states else -1
        return self._kill(leader if leader > 0 else None)

    def _kill_the_last_in_sync(self) -> str:
        """One follower of a partition after the other, then its leader, when it is alone in the ISR."""
        states = [*self._brokers.promised().items()]
        if not states:
            return "no partition has a leader"
        place, state = self._entropy.one_of(states)
        for one in state.isr:
            if one != state.leader:
                self._kill(one)
        self._loop.after(_WATCH_SECONDS, lambda: self._kill_when_alone(place))
        return f"the followers of {place} are killed, and its leader will be"

    def _kill_when_alone(self, place: TopicPartition) -> None:
        state = self._brokers.promised()[place]
        if self._are_over:
            return
        if state.isr == (state.leader,):
            self._note("fault", f"{place}: {self._kill(state.leader)}")
        else:
            self._loop.after(_WATCH_SECONDS, lambda: self._kill_when_alone(place))

    def _power_cut(self) -> str:
        """Where records are flushed, of any; else of one on which nothing depends alone."""
        node_id = self._one()
        if not self._scenario.flushes:
            keepers = self._keepers(node_id)
            if keepers is None:
                return f"the power of broker {node_id} stays: others may fail, too"
            self._without_power.add(node_id)
            self._spared[node_id] = keepers
            for one in keepers:
                self._brokers.nodes[one].kill_within(None)
        name = self._brokers.nodes[node_id].name
        for link in [*self._net.links.values()]:
            if name in {end.process.host for end in link.ends}:
                link.cut()
        lost = self._brokers.nodes[node_id].power_cut()
        return f"the power of broker {node_id} is cut: {'; '.join(lost)}"

    def _keepers(self, node_id: int) -> set[int] | None:
        """Those that are in sync with a broker and well; None: one of them is not, or there is none.

        A broker is not well, too, whose new session the controller does not know: it is about to
        put it out of the replicas in sync. One that is about to be in sync may be so after its death.
        """
        keepers: set[int] = set()
        for place, state in self._brokers.promised().items():
            others = {*state.isr} - {node_id}
            if node_id in {*state.isr, *self._brokers.may_join(place, state)}:
                if not others or not all(map(self._is_well, others)):
                    return None
                keepers |= others
        return keepers

    def _is_well(self, node_id: int) -> bool:
        process, session = self._brokers.nodes[node_id].process, self._brokers.sessions[node_id]
        return (
            self._brokers.is_running(node_id)
            and process is not None
            and process is not self._stopping.get(node_id)
            and process.stalled_until <= self._loop.now()
            and session.reachable
            and self._brokers.is_known(node_id)
        )

    def _stall(self, node_id: int | None = None) -> str:
        """It does nothing for a while, and does not know."""
        node_id, seconds = self._or_one(node_id), self._entropy.between(0.5, 2.0 * SESSION_SECONDS)
        process = self._brokers.nodes[node_id].process
        session = self._brokers.sessions.get(node_id)
        if process is not None and process.alive and session is not None:
            process.stalled_until = self._loop.now() + seconds
            session.cut_off(seconds + self._entropy.between(0.0, 1.0))
        return f"broker {node_id} stands still for {seconds:.3f} s"

    def _stall_controller(self) -> str:
        return self._stall(self._brokers.controller())

    def _jump(self) -> str:
        node_id = self._one()
        clock = self._brokers.clocks[node_id]
        clock.jump_ms = self._entropy.below(2 * _MOST_JUMP_MS) - _MOST_JUMP_MS
        return f"the clock of broker {node_id} is off by {clock.jump_ms} ms"

    def _slow_down(self) -> str:
        node_id, times = self._one(), self._entropy.one_of((1.0, 10.0, 100.0))
        self._brokers.nodes[node_id].slow_down(times)
        return f"syncs of broker {node_id} take {times} times longer"

    def _fill_disk(self) -> str:
        """Nothing can be written there for a while."""
        node_id, seconds = self._one(), self._entropy.between(0.5, _LONGEST_FULL)
        self._brokers.nodes[node_id].fill_disk(is_full=True)
        self._loop.after(seconds, lambda: self._make_room(node_id))
        return f"the disk of broker {node_id} is full for {seconds:.3f} s"

    def _make_room(self, node_id: int) -> None:
        """There is room again, and the broker is restarted: logs that failed are offline until then."""
        if any(node_id in each for each in self._spared.values()):
            self._loop.after(_WATCH_SECONDS, lambda: self._make_room(node_id))
            return
        self._brokers.nodes[node_id].fill_disk(is_full=False)
        self._note("fault", f"there is room again: {self._kill(node_id)}")

    # --- Links and sessions -------------------------------------------------------------------

    def _hold(self, ways: list[tuple[int, int]]) -> str:
        seconds = self._entropy.between(0.5, _LONGEST_CUT)
        for one, other in ways:
            way = self._brokers.nodes[one].name, self._brokers.nodes[other].name
            until = self._loop.now() + seconds
            self._net.cuts[way] = max(self._net.cuts.get(way, 0.0), until)
            if self._entropy.chance(0.5):
                self._break(*way)
        return f"nothing arrives for {seconds:.3f} s on the ways {ways}"

    def _break(self, one: str, other: str) -> None:
        """Connections between two hosts end."""
        for link in [*self._net.links.values()]:
            if {end.process.host for end in link.ends} == {one, other}:
                link.cut()

    def _cut_one_way(self) -> str:
        one, other = self._any(), self._any()
        return self._hold([(one, other)])

    def _cut_both_ways(self) -> str:
        one, other = self._any(), self._any()
        return self._hold([(one, other), (other, one)])

    def _cut_off(self) -> str:
        """One broker reaches no other, but clients reach it."""
        one = self._any()
        others = [other for other in self._scenario.node_ids if other != one]
        ways = [way for other in others for way in ((one, other), (other, one))]
        text = self._hold(ways)
        if self._entropy.chance(0.5):
            text = f"{text}; {self._cut_registry(one)}"
        return text

    def _break_links(self) -> str:
        links = [*self._net.links.values()]
        for link in links:
            if self._entropy.chance(0.3):
                link.cut()
        return f"some of {len(links)} links break"

    def _clog(self) -> str:
        """Some links give nothing for a while."""
        seconds, share = self._entropy.between(0.1, 8.0), self._entropy.one_of((0.2, 0.5, 1.0))
        for link in self._net.links.values():
            if self._entropy.chance(share):
                link.clogged_until = self._loop.now() + seconds
        return f"links give nothing for {seconds:.3f} s"

    def _expire(self) -> str:
        node_id = self._one()
        session = self._brokers.sessions.get(node_id)
        if session is not None and not session.closed and session.reachable:
            session.expire()
        return f"the session of broker {node_id} expires"

    def _cut_registry(self, node_id: int | None = None) -> str:
        node_id, seconds = self._or_one(node_id), self._entropy.between(0.2, 2 * SESSION_SECONDS)
        session = self._brokers.sessions.get(node_id)
        if session is not None and not session.closed:
            session.cut_off(seconds)
        return f"broker {node_id} does not reach the registry for {seconds:.3f} s"
