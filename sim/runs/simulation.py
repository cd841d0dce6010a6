"""Simulation: one run from one seed: a broker, its clients, what goes wrong, what must hold."""

import logging
from dataclasses import replace

from barnabas.broker.server.broker_server import BrokerServer
from barnabas.broker.zookeeper.registrations import Registries
from barnabas.config.broker import BrokerConfig
from barnabas.errors import ErrorCode
from barnabas.runtime.registries.embedded import EmbeddedRegistry
from sim.checkers import all_checkers
from sim.clients.reading import COMMITTED, read
from sim.events import (
    Asked,
    Disturbed,
    Event,
    Place,
    PowerCut,
    Violation,
    WholeCopy,
    WholeLog,
)
from sim.runs.audit import Audit
from sim.runs.cast import Cast
from sim.runs.faults import Faults, World
from sim.runs.outcome import Outcome
from sim.runs.standing import Standing
from sim.scenario import COPIES, TOPIC, copy_of, drawn
from sim.trace import KEPT_LINES, Trace, logged
from sim.world.caller import PORT, Caller, Lost
from sim.world.clock import SimClock
from sim.world.disk import SimDisk
from sim.world.entropy import SeededEntropy
from sim.world.loop import SimLoop
from sim.world.network import Net
from sim.world.node import DATA, SimNode
from sim.world.process import Process
from sim.world.site import Site
from sim.world.versions import drawn_versions

log = logging.getLogger(__name__)

_SETTLING_SECONDS = 120.0
"""After the last fault everything is served and committed within this, in virtual time."""
_READING_SECONDS = 30.0
_BACK_SECONDS = 10.0
"""The time after a kill in which the broker is back and has handled all members' requests."""
_REST_SECONDS = 16.0
"""Longer than the longest session: whose it was that has not come back, is no member any more."""


class Simulation:
    """To be run once."""

    def __init__(self, seed: int, kept_lines: int | None = KEPT_LINES) -> None:
        self._seed = seed
        self._entropy = SeededEntropy(str(seed))
        self.scenario = drawn(self._entropy.stream("scenario"))
        self._loop = SimLoop()
        self.trace = Trace(self._loop.now, kept_lines)
        self._clock = SimClock(self._loop.now)
        self._net = Net(self._entropy.stream("net"))
        entropy = self._entropy.stream("node")
        config = BrokerConfig.load(
            {
                "node.id": 1,
                "log.dirs": DATA,
                "listeners": f"PLAINTEXT://127.0.0.1:{PORT}",
                **self.scenario.properties,
            },
            release=self.scenario.release,
        )
        self._node = SimNode(self._loop, self._net, self._clock, entropy, config, _open_registry)
        self._checkers = all_checkers(self.scenario)
        self._marks = 0
        self._lost_at = 0
        """The mark of the last power cut that took what was acknowledged."""
        self._is_made = False
        self._logged_error = ""
        self._faults: Faults | None = None
        self._read: set[Place] = set()

    def run(self) -> Outcome:
        """Do it."""
        problem = ""
        with logged(self.trace, self._on_logged_error):
            try:
                self._run()
            except Exception as error:  # Whatever it is, it is what the seed has found.
                problem = f"{type(error).__name__}: {error}"
                log.exception("the run failed")
        lines = tuple(self.trace.lines)
        return Outcome(self._seed, problem, self.trace.digest, lines, self._loop.now())

    def _run(self) -> None:
        scenario = self.scenario
        self.trace.add("scenario", str(scenario))
        self._start()
        cast = Cast(scenario, self._entropy.stream("cast"), self._site)
        entropy = self._entropy.stream("faults")
        faults = self._faults = Faults(
            scenario,
            entropy,
            World(self._loop, self._on_power_cut, self._disturb, self.trace.add, self._start),
        )
        faults.plan(self._node, self._net, self._clock, cast)
        self._run_until(scenario.trouble_seconds)
        faults.end(self._node)
        until = scenario.trouble_seconds + _SETTLING_SECONDS
        while why := cast.unsettled():
            if self._loop.now() >= until:
                raise Violation(f"not settled in {_SETTLING_SECONDS} s: {why}")
            self._run_until(self._loop.now() + 0.5)
        self._come_back(cast)
        self._read_all()

    def _run_until(self, seconds: float) -> None:
        if self._loop.run_until(seconds, lambda: bool(self._logged_error)):
            raise Violation(f"the broker logged an error: {self._logged_error}")

    def _start(self) -> None:
        self._node.start(self._on_started)

    def _on_started(self, server: BrokerServer) -> None:
        self.trace.add("fault", "the broker is up")
        self._disturb()
        if not self._is_made:
            partitions, properties = self.scenario.partitions, self.scenario.topic_properties
            server.create_topic(TOPIC, partitions, properties)
            if self.scenario.copiers:
                server.create_topic(COPIES, partitions, properties)
            self._is_made = True

    def _disturb(self) -> None:
        self._tell("fault", Disturbed(self._mark()))

    def _on_power_cut(self, event: PowerCut) -> None:
        self._tell("fault", event)
        if event.loses:
            self._lost_at = self._mark()

    def _site(self, name: str, entropy: SeededEntropy) -> Site:
        return Site(
            name=name,
            process=Process(self._loop, name),
            net=self._net,
            clock=self._clock,
            entropy=entropy,
            versions=drawn_versions(entropy),
            places=self.scenario.places,
            tell=self._tell,
            note=self.trace.add,
            mark=self._mark,
            may_lose=lambda: bool(self._lost_at),
        )

    def _mark(self) -> int:
        self._marks += 1
        return self._marks

    def _tell(self, who: str, event: Event) -> None:
        self.trace.add(who, str(event))
        if isinstance(event, Asked) and event.mark < self._lost_at:
            return  # An answer from before a power cut: its promise went with the records.
        for checker in self._checkers:
            checker.take(event)
        if self._faults is not None:
            self._faults.on_event(event)

    def _come_back(self, cast: Cast) -> None:
        """A broker that is killed when nothing happens comes back with the groups that it had."""
        before = self._standing("before the last kill", cast, _REST_SECONDS)
        self._node.kill()
        self._run_until(self._loop.now() + _BACK_SECONDS)
        after = self._standing("after the last kill", cast, 0.0)
        for one, other in zip(before, after, strict=True):
            if one != other:
                raise Violation(f"before the last kill: {one}, and after it: {other}")

    def _standing(self, name: str, cast: Cast, rest_seconds: float) -> list[object]:
        """How all groups stand when nothing has changed for so long."""
        site = self._site(name, self._entropy.stream(name))
        standing = Standing(site, self.scenario, rest_seconds)
        until = self._loop.now() + _SETTLING_SECONDS
        while standing.found is None:
            if self._loop.now() >= until:
                raise Violation(f"no rest in {_SETTLING_SECONDS} s")
            self._run_until(self._loop.now() + 0.1)
        if not self.scenario.streamers:
            return [*standing.found]
        audit = Audit(site, self.scenario, cast.streamers.present)
        while audit.found is None:
            if self._loop.now() >= until:
                raise Violation(f"not so in {_SETTLING_SECONDS} s: {audit.lacks}")
            self._run_until(self._loop.now() + 0.1)
        return [*standing.found, replace(audit.found, mark=0, answered=0)]

    def _read_all(self) -> None:
        """Give the checkers all that is in the logs now."""
        site = self._site("reader", self._entropy.stream("reader"))
        for place in self.scenario.places:
            site.process.begin(self._read_one(site, place))
        wanted = set(self.scenario.places)
        until = self._loop.now() + _READING_SECONDS
        while self._read != wanted:
            if self._loop.now() >= until:
                raise Violation(f"not read in {_READING_SECONDS} s: {sorted(wanted - self._read)}")
            self._run_until(self._loop.now() + 0.1)

    async def _read_one(self, site: Site, place: Place) -> None:
        caller = site.caller()
        values: dict[int, bytes] = {}
        offset = 0
        while True:
            try:
                part = await read(caller, place, offset)
            except Lost:
                continue
            assert part.error is ErrorCode.NONE, f"{place} at {offset}: {part.error}"
            values |= part.values
            if part.next_offset == offset:
                break
            offset = part.next_offset
        committed = await self._read_committed(site, caller, place)
        self._tell(site.name, WholeLog(place, values, committed))
        if self.scenario.copiers:
            copies = await self._read_committed(site, caller, copy_of(place))
            copied = tuple(copies[offset] for offset in sorted(copies))
            self._tell(site.name, WholeCopy(place, copied))
        self._read.add(place)
        caller.hang_up()

    async def _read_committed(self, site: Site, caller: Caller, place: Place) -> dict[int, bytes]:
        """The same of what counts, once no transaction is open."""
        values: dict[int, bytes] = {}
        offset = 0
        while True:
            try:
                part = await read(caller, place, offset, isolation=COMMITTED)
            except Lost:
                continue
            values |= part.values
            if part.next_offset == offset == part.high_watermark:
                return values
            if part.next_offset == offset:
                await site.sleep(0.2, 0.5)
            offset = part.next_offset

    def _on_logged_error(self, text: str) -> None:
        self._logged_error = self._logged_error or text


def _open_registry(_process: Process, disk: SimDisk) -> Registries:
    return Registries(EmbeddedRegistry(disk, f"{DATA}/barnabas.registry"))
