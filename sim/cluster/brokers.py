"""Brokers: the machines of a simulated cluster with the registry they share."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from barnabas.broker.broker import Broker
from barnabas.broker.replicas.leader_role import LeaderRole
from barnabas.broker.server.broker_server import BrokerServer
from barnabas.broker.znodes.broker_znodes import BROKERS, CONTROLLER
from barnabas.broker.znodes.config_znodes import encode_config
from barnabas.broker.zookeeper.registrations import Registries
from barnabas.cluster.image import NO_LEADER, PartitionState, Topic
from barnabas.cluster.znodes import (
    decode_state,
    decode_topic,
    encode_topic,
    partition_of,
    topic_path,
)
from barnabas.config.broker import BrokerConfig
from barnabas.errors import KafkaError
from barnabas.types import NodeId, TopicPartition
from sim.cluster.scenario import (
    OFFSETS_TOPIC,
    TOPIC,
    TRANSACTIONS_TOPIC,
    UNCLEAN_TOPIC,
    ClusterScenario,
    port_of,
)
from sim.cluster.session import SimSession
from sim.cluster.watch import Life
from sim.world.clock import SimClock
from sim.world.disk import SimDisk
from sim.world.entropy import SeededEntropy
from sim.world.loop import SimLoop
from sim.world.network import Net
from sim.world.node import DATA, SimNode
from sim.world.process import Process
from sim.world.zookeeper import SimulatedZooKeeper

_AGAIN_SECONDS = 1.0
_UNCLEAN = encode_config({"unclean.leader.election.enable": "true", "min.insync.replicas": "1"})


class Brokers:
    """Brokers 1 to N. `note` is for the trace."""

    def __init__(
        self,
        scenario: ClusterScenario,
        entropy: SeededEntropy,
        loop: SimLoop,
        net: Net,
        note: Callable[[str, str], None],
    ) -> None:
        self._loop = loop
        self._note = note
        self.keeper = SimulatedZooKeeper()
        self.clocks = {one: SimClock(loop.now) for one in scenario.node_ids}
        self.sessions: dict[int, SimSession] = {}
        self._starts = dict.fromkeys(scenario.node_ids, 0)
        self.nodes = {
            one: SimNode(
                loop,
                net,
                self.clocks[one],
                entropy.stream(f"node {one}"),
                _config(scenario, one),
                self._registry_of(one, entropy.stream(f"session {one}")),
            )
            for one in scenario.node_ids
        }
        self._states: tuple[int, Mapping[TopicPartition, PartitionState]] = (-1, {})
        self._make_topic(TOPIC, scenario.assignment)
        if scenario.commits:
            self._make_topic(OFFSETS_TOPIC, scenario.assignment[-1:])
        if scenario.transactions:
            self._make_topic(TRANSACTIONS_TOPIC, scenario.assignment[:1])
        if scenario.unclean_places:
            session = self.keeper.session()
            session.create(f"/config/topics/{UNCLEAN_TOPIC}", _UNCLEAN)
            self._make_topic(UNCLEAN_TOPIC, scenario.assignment[:1])

    def start(self, node_id: int) -> None:
        """Start one; where the registry cannot be reached, again a little later."""
        node = self.nodes[node_id]
        if node.is_up:
            return

        def on_started(_server: BrokerServer) -> None:
            self._note("fault", f"broker {node_id} is up")

        self._starts[node_id] += 1
        try:
            node.start(on_started)
        except KafkaError as error:
            self._note("fault", f"broker {node_id} does not start: {error}")
            node.kill()
            self._loop.after(_AGAIN_SECONDS, lambda: self.start(node_id))

    def running(self) -> Iterator[tuple[Life, Broker]]:
        """Those that have started."""
        for node_id, node in self.nodes.items():
            if node.server is not None:
                yield Life(node_id, self._starts[node_id]), node.server.broker

    def is_running(self, node_id: int) -> bool:
        """Whether a broker has started and lives."""
        return self.nodes[node_id].server is not None

    def states(self) -> Mapping[TopicPartition, PartitionState]:
        """Leaders, ISRs and replicas of all topics in the registry; the same object until it changes."""
        revision, found = self._states
        if revision == self.keeper.revision:
            return found
        topics: dict[str, Topic] = {}
        states = {}
        for path, node in self.keeper.nodes.items():
            place = partition_of(path)
            if place is None:
                continue
            name = place.topic
            if name not in topics:
                topics[name] = decode_topic(name, self.keeper.nodes[topic_path(name)][0])
            states[place] = decode_state(*node, topics[name].partitions[place.partition])
        self._states = self.keeper.revision, states
        return states

    def promised(self) -> Mapping[TopicPartition, PartitionState]:
        """Those of the partitions from which nothing acknowledged may be lost."""
        return {
            place: state for place, state in self.states().items() if place.topic != UNCLEAN_TOPIC
        }

    def may_join(self, place: TopicPartition, state: PartitionState) -> set[int]:
        """Those whom the partition's leader takes into the ISR by a change that is under way."""
        found: set[int] = set()
        for _, broker in self.running():
            partition = broker.replicas.find(*place)
            role = partition.role if partition is not None else None
            if isinstance(role, LeaderRole) and role.leader.leader_epoch == state.leader_epoch:
                found |= role.leader.maximal_isr - {*state.isr}
        return found

    def controller(self) -> int | None:
        """The broker that is the controller by the registry."""
        owner = self.keeper.owners.get(CONTROLLER)
        for node_id, session in self.sessions.items():
            if session.number == owner:
                return node_id
        return None

    def is_known(self, node_id: int) -> bool:
        """Whether the controller knows the broker by the session that it has."""
        controller = self.controller()
        server = self.nodes[controller].server if controller is not None else None
        member = server.broker.member if server is not None else None
        if member is None or not member.controller.is_active:
            return False
        known = member.controller.view.image.brokers.get(NodeId(node_id))
        return known is not None and known.epoch == self.keeper.created.get(f"{BROKERS}/{node_id}")

    def _make_topic(self, name: str, assignment: Sequence[Sequence[int]]) -> None:
        partitions = {
            number: PartitionState(NO_LEADER, -1, (), tuple(map(NodeId, replicas)))
            for number, replicas in enumerate(assignment)
        }
        topic = Topic(name, partitions=partitions)
        self.keeper.session().create(topic_path(name), encode_topic(topic))

    def _registry_of(
        self, node_id: int, entropy: SeededEntropy
    ) -> Callable[[Process, SimDisk], Registries]:
        def open_registries(process: Process, _disk: SimDisk) -> Registries:
            session = SimSession(self.keeper, process, entropy)
            self.sessions[node_id] = session
            return Registries(session, session)

        return open_registries


def _config(scenario: ClusterScenario, node_id: int) -> BrokerConfig:
    return BrokerConfig.load(
        {
            "broker.id": node_id,
            "log.dirs": DATA,
            "listeners": f"PLAINTEXT://127.0.0.1:{port_of(node_id)}",
            "zookeeper.connect": "simulated:1",
            "cluster.member": "true",
            "inter.broker.protocol.version": scenario.protocol,
            **scenario.properties,
        }
    )
