"""ClusterSimulation: one run from one seed: brokers, their clients, what goes wrong, what must hold."""

import logging

from barnabas.log.partition.partition_log import PartitionLog
from barnabas.records.columns.reading import decode_records
from barnabas.types import TopicPartition
from sim.checkers.commits_stay import CommitsStay
from sim.checkers.contents_stay import ContentsStay
from sim.checkers.whole_transactions import WholeTransactions
from sim.clients.transacting import SimTransactor
from sim.cluster.acknowledged import AcknowledgedStay
from sim.cluster.brokers import Brokers
from sim.cluster.committing import ClusterCommitter
from sim.cluster.faults import ClusterFaults
from sim.cluster.moving import Mover
from sim.cluster.producing import ClusterProducer, HastyProducer
from sim.cluster.reading import ClusterReader
from sim.cluster.routing import VERSIONS, Routing
from sim.cluster.scenario import drawn
from sim.cluster.transacting import ClusterTransaction
from sim.cluster.watch import Watch, aborted_in, batches
from sim.events import Event, Place, Violation, WholeLog
from sim.runs.outcome import Outcome
from sim.trace import KEPT_LINES, Trace, logged
from sim.world.clock import SimClock
from sim.world.disk import NO_SPACE
from sim.world.entropy import SeededEntropy
from sim.world.loop import SimLoop
from sim.world.network import Net
from sim.world.process import Process
from sim.world.site import Site
from sim.world.versions import drawn_versions

log = logging.getLogger(__name__)

_SETTLING_SECONDS = 120.0
"""After the last fault all is acknowledged, read, copied and in sync within this, in virtual time."""
_TRANSACTORS = 2
_OF_FULL_DISKS = NO_SPACE, "logs have failed"
"""Errors that brokers are to log; the second names the logs, each of which has an error of its own."""
_LOOK_SECONDS = 0.02


class ClusterSimulation:
    """To be run once."""

    def __init__(self, seed: int, kept_lines: int | None = KEPT_LINES) -> None:
        self._seed = seed
        self._entropy = SeededEntropy(f"cluster {seed}")
        self.scenario = drawn(self._entropy.stream("scenario"))
        self._loop = SimLoop()
        self.trace = Trace(self._loop.now, kept_lines)
        self._net = Net(self._entropy.stream("net"))
        entropy = self._entropy.stream("brokers")
        self._brokers = Brokers(self.scenario, entropy, self._loop, self._net, self.trace.add)
        self._watch = Watch(self.scenario.places, self.scenario.unclean_places)
        self._acknowledged = AcknowledgedStay()
        self._contents = ContentsStay()
        self._marks = 0
        self._logged_error = ""
        self._producers: list[ClusterProducer] = []
        self._hasty: list[HastyProducer] = []
        self._readers: list[ClusterReader] = []
        self._movers: list[Mover] = []
        self._committers: list[ClusterCommitter] = []
        self._commits = CommitsStay()
        self._transactors: list[SimTransactor] = []
        self._transactions = WholeTransactions()

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
        for node_id in scenario.node_ids:
            self._brokers.start(node_id)
        self._begin_clients()
        entropy = self._entropy.stream("faults")
        faults = ClusterFaults(
            scenario, entropy, self._loop, self._net, self._brokers, self.trace.add
        )
        faults.plan()
        self._run_until(scenario.trouble_seconds)
        faults.end()
        for hasty in self._hasty:
            hasty.is_done = True
        for reader in self._readers:
            reader.starts_anew = False
        for mover in self._movers:
            mover.is_done = True
        until = scenario.trouble_seconds + _SETTLING_SECONDS
        while why := self._unsettled():
            if self._loop.now() >= until:
                raise Violation(f"not settled in {_SETTLING_SECONDS} s: {why}")
            self._run_until(self._loop.now() + 0.5)
        self._judge()

    def _run_until(self, seconds: float) -> None:
        while self._loop.now() < seconds:
            until = min(self._loop.now() + _LOOK_SECONDS, seconds)
            if self._loop.run_until(until, lambda: bool(self._logged_error)):
                raise Violation(f"a broker logged an error: {self._logged_error}")
            self._watch.look(self._brokers.running(), self._brokers.states())

    def _begin_clients(self) -> None:
        scenario = self.scenario
        for number in range(scenario.producers):
            site, routing = self._site(f"producer-{number}")
            producer = ClusterProducer(site, routing, scenario.rounds)
            self._producers.append(producer)
            site.process.begin(producer.run())
        hasty_places = [scenario.places] * scenario.hasty_producers
        if scenario.unclean_places:
            hasty_places.append(scenario.unclean_places)
        for number, places in enumerate(hasty_places):
            hasty = HastyProducer(*self._site(f"hasty-{number}", places))
            self._hasty.append(hasty)
            hasty.site.process.begin(hasty.run())
        for number in range(scenario.readers):
            reader = ClusterReader(*self._site(f"reader-{number}"))
            self._readers.append(reader)
            reader.site.process.begin(reader.run())

        if scenario.transactions:
            site, routing = self._site("committed reader")
            reader = ClusterReader(site, routing, committed=True)
            self._readers.append(reader)
            site.process.begin(reader.run())
        for number in range(_TRANSACTORS if scenario.transactions else 0):
            site, routing = self._site(f"transactor-{number}")
            transaction = ClusterTransaction(site, routing)
            transactor = SimTransactor(site, {}, [scenario.transactions], transaction)
            self._transactors.append(transactor)
            site.process.begin(transactor.run())
        if scenario.commits:
            committer = ClusterCommitter(*self._site("group"), scenario.commits)
            self._committers.append(committer)
            committer.site.process.begin(committer.run())
        if scenario.moves or scenario.unclean_places:
            places = (*scenario.places, *scenario.unclean_places)
            mover = Mover(*self._site("mover", places), scenario)
            self._movers.append(mover)
            mover.site.process.begin(mover.run())

    def _site(self, name: str, places: tuple[Place, ...] = ()) -> tuple[Site, Routing]:
        entropy = self._entropy.stream(name)
        site = Site(
            name=name,
            process=Process(self._loop, name),
            net=self._net,
            clock=SimClock(self._loop.now),
            entropy=entropy,
            versions={**drawn_versions(entropy), **VERSIONS},
            places=places or self.scenario.places,
            tell=self._tell,
            note=self.trace.add,
            mark=self._mark,
            may_lose=lambda: False,
        )
        return site, Routing(site, self.scenario.node_ids)

    def _mark(self) -> int:
        self._marks += 1
        return self._marks

    def _tell(self, who: str, event: Event) -> None:
        self.trace.add(who, str(event))
        self._acknowledged.take(event)
        self._contents.take(event)
        self._commits.take(event)
        self._transactions.take(event)

    # --- The end ------------------------------------------------------------------------------

    def _unsettled(self) -> str:
        """Why not all is done yet; nothing if it is."""
        working = sum(not one.is_done for one in self._producers)
        working += sum(not one.is_done for one in self._committers)
        working += sum(not one.is_done for one in self._transactors)
        if working:
            return f"{working} producers or groups are not done"
        states = self._brokers.states()
        led = {*self.scenario.places, *self.scenario.unclean_places}
        if not led <= {*states}:
            return f"only {[*states]} ever had a leader"
        for place, state in states.items():
            if {*state.isr} != {*state.replicas} or state.leader not in state.isr or state.adding:
                return f"{place}: {state}"
        logs = {
            place: [(log.high_watermark, log.written_end) for _, log in self._replicas(place)]
            for place in states
        }
        for place, offsets in logs.items():
            ends = {end for pair in offsets for end in pair}
            if len(ends) != 1 or len(offsets) != len(states[place].replicas):
                return f"{place}: high watermarks and ends {offsets}"
            for reader in self._readers if place in self.scenario.places else ():
                end = offsets[0][1]
                if reader.positions[place] != end or reader.ends[place] != end:
                    return f"{place}: a reader is at {reader.positions[place]} of {end}"
        return ""

    def _judge(self) -> None:
        """All replicas have all that was committed, and that is what was acknowledged and read."""
        for place, committed in self._watch.committed.items():
            for node_id, replica in self._replicas(place):
                committed.compare_whole(node_id, replica)
            data = b"".join(committed.batches[base].data for base in sorted(committed.batches))
            records, _ = decode_records(data, *place)
            values = {one.offset: bytes(one.value or b"") for one in records}
            self._acknowledged.judge(place, values)
            committing, _ = decode_records(data, *place, aborted=aborted_in(committed.batches))
            counting = {one.offset: bytes(one.value or b"") for one in committing}
            self._tell("end", WholeLog(place, values, counting))
        for place in self.scenario.unclean_places:
            (_, first), *others = self._replicas(place)
            there = dict(batches(first, 0, first.written_end))
            for node_id, replica in others:
                if dict(batches(replica, 0, replica.written_end)) != there:
                    raise Violation(f"{place}: the log of broker {node_id} is another one")

    def _replicas(self, place: Place) -> list[tuple[int, PartitionLog]]:
        """The logs of a partition; one that moved away from a broker that was down may still be there."""
        replicas = self._brokers.states()[TopicPartition(*place)].replicas
        return [
            (life.node_id, found.log)
            for life, broker in self._brokers.running()
            if life.node_id in replicas
            and (found := broker.replicas.find(*place)) is not None
            and found.role is not None
        ]

    def _on_logged_error(self, text: str) -> None:
        if not any(one in text for one in _OF_FULL_DISKS):
            self._logged_error = self._logged_error or text
