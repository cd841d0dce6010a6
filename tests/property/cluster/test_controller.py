"""A controller under random events: what must hold of every state, and that all settles in the end."""

from dataclasses import replace

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from barnabas.cluster.controller import step
from barnabas.cluster.deltas import leader_and_isr, stop_replica, update_metadata
from barnabas.cluster.events import (
    BrokersChanged,
    ControllerEvent,
    DeletionAsked,
    Elected,
    IsrProposed,
    PartitionsAdded,
    PreferredElection,
    Reassigned,
    ReplicasDeleted,
    ReplicasFailed,
    ShutdownAsked,
    UncleanElection,
)
from barnabas.cluster.image import (
    NO_LEADER,
    Broker,
    ClusterImage,
    ImageDelta,
    PartitionState,
    TopicDelta,
)
from barnabas.cluster.partition_states import TRANSITIONS, phase
from barnabas.cluster.reassignment import is_under_way
from barnabas.cluster.view import View
from barnabas.cluster.znodes import state_path
from barnabas.errors import ErrorCode
from barnabas.protocol.leader_and_isr import LeaderAndIsrRequest
from barnabas.protocol.stop_replica import StopReplicaRequest
from barnabas.protocol.update_metadata import UpdateMetadataRequest
from barnabas.types import ANY_VERSION, MUST_BE_NEW, NodeId, TopicPartition

NODES = [NodeId(number) for number in range(1, 5)]
NODE = st.sampled_from(NODES)
TOPIC = st.sampled_from(["dogs", "cats"])
NUMBER = st.integers(0, 1)
REPLICAS = st.lists(NODE, min_size=1, max_size=3, unique=True).map(tuple)


class Cluster(RuleBasedStateMachine):
    """Four brokers that may be up, whose images are what they got; ZooKeeper as versions of nodes."""

    def __init__(self) -> None:
        super().__init__()
        self.view = View(ClusterImage(controller=NODES[0], controller_epoch=1))
        self.versions: dict[str, int] = {}
        self.images: dict[NodeId, ClusterImage] = {}
        self.life = 0
        self.may_be_unclean = False
        self.stops: list[tuple[NodeId, int, StopReplicaRequest]] = []

    @initialize()
    def start(self) -> None:
        for node_id in NODES[:3]:
            self.up(node_id)
        self.create("dogs", [(NODES[0], NODES[1]), (NODES[1], NODES[2], NODES[0])])

    def take(self, event: ControllerEvent) -> ErrorCode:
        """Step, write and send; the states that it leads to are checked on the way."""
        before = self.view
        decision = step(before, event)
        for write in decision.writes:
            known = self.versions.get(write.path, MUST_BE_NEW)
            if write.data is None:
                self.versions = {
                    path: one for path, one in self.versions.items()
                    if not path.startswith(write.path + "/") and path != write.path
                }  # fmt: skip
                continue
            if write.version != ANY_VERSION:
                assert write.version == known, write
            self.versions[write.path] = 0 if known == MUST_BE_NEW else known + 1
        self.view = decision.after
        for request in decision.requests:
            self.receive(request.node_id, request.message)
        self.check_moves(before.image, self.view.image)
        return decision.error

    def receive(
        self,
        node_id: NodeId,
        message: LeaderAndIsrRequest | UpdateMetadataRequest | StopReplicaRequest,
    ) -> None:
        image = self.images[node_id]
        epoch = message.broker_epoch
        assert epoch <= self.view.image.brokers[node_id].epoch
        if isinstance(message, LeaderAndIsrRequest):
            outcome = leader_and_isr(image, message, node_id, epoch)
            assert not outcome.errors
        elif isinstance(message, UpdateMetadataRequest):
            outcome = update_metadata(image, message, epoch)
        else:
            self.stops.append((node_id, epoch, message))
            outcome = stop_replica(image, message, node_id, epoch).outcome
            assert not outcome.errors
        assert not outcome.error
        self.images[node_id] = image.apply(outcome.delta)

    def check_moves(self, before: ClusterImage, after: ClusterImage) -> None:
        olds, news = dict(before.partitions()), dict(after.partitions())
        for partition in olds.keys() | news.keys():
            old, new = olds.get(partition), news.get(partition)
            if old is new:
                continue
            assert phase(new) is phase(old) or phase(new) in TRANSITIONS[phase(old)]
            if old and new and old.leader_epoch >= 0:
                assert new.age >= old.age
                if new.leader != old.leader:
                    assert new.leader_epoch > old.leader_epoch
                clean = set(new.isr) <= set(old.isr)
                assert clean or self.may_be_unclean or self.grows, "the ISR grew"

    grows = False
    """Whether a leader has proposed another ISR."""

    def up(self, node_id: NodeId) -> None:
        self.life += 1
        self.images[node_id] = ClusterImage()
        brokers = dict(self.view.image.brokers)
        brokers[node_id] = Broker(node_id, epoch=self.life)
        self.take(BrokersChanged(brokers))

    def create(self, topic: str, replicas: list[tuple[NodeId, ...]]) -> None:
        if topic not in self.view.image.topics:
            self.take(PartitionsAdded(topic, topic[:1].encode() * 16, dict(enumerate(replicas))))

    @rule(node_id=NODE)
    def come_or_bounce(self, node_id: NodeId) -> None:
        self.up(node_id)

    @rule(node_id=NODE)
    def go(self, node_id: NodeId) -> None:
        brokers = {one: it for one, it in self.view.image.brokers.items() if one != node_id}
        self.take(BrokersChanged(brokers))

    @rule(nodes=st.sets(NODE, max_size=3))
    def go_at_once(self, nodes: set[NodeId]) -> None:
        brokers = {one: it for one, it in self.view.image.brokers.items() if one not in nodes}
        self.take(BrokersChanged(brokers))

    @rule(topic=TOPIC, replicas=st.lists(REPLICAS, min_size=1, max_size=2))
    def create_topic(self, topic: str, replicas: list[tuple[NodeId, ...]]) -> None:
        self.create(topic, replicas)

    @rule(topic=TOPIC, number=NUMBER, node_id=NODE, joins=st.booleans())
    def propose(self, topic: str, number: int, node_id: NodeId, *, joins: bool) -> None:
        partition = TopicPartition(topic, number)
        state = self.view.image.partition(partition)
        if state is None or state.leader == NO_LEADER:
            return
        others = [one for one in state.isr if one != node_id]
        self.propose_isr(partition, state, [*others, node_id] if joins else others)

    def propose_isr(
        self, partition: TopicPartition, state: PartitionState, isr: list[NodeId]
    ) -> None:
        self.grows = True
        rows = tuple((one, -1) for one in isr)
        event = IsrProposed(
            state.leader, -1, partition, rows, state.leader_epoch, state.partition_epoch
        )
        self.take(event)
        self.grows = False

    @rule(topic=TOPIC, number=NUMBER, unclean=st.booleans())
    def elect(self, topic: str, number: int, *, unclean: bool) -> None:
        partition = TopicPartition(topic, number)
        self.may_be_unclean = unclean
        self.take((UncleanElection if unclean else PreferredElection)((partition,)))
        self.may_be_unclean = False

    @rule(node_id=NODE)
    def shut_down(self, node_id: NodeId) -> None:
        error = self.take(ShutdownAsked(node_id, -1))
        assert (error == ErrorCode.NONE) == (node_id in self.view.image.brokers)

    @rule(topic=TOPIC, number=NUMBER, wanted=st.none() | REPLICAS)
    def reassign(self, topic: str, number: int, wanted: tuple[NodeId, ...] | None) -> None:
        self.take(Reassigned({TopicPartition(topic, number): wanted}))

    @rule(topic=TOPIC)
    def delete(self, topic: str) -> None:
        known = topic in self.view.image.topics
        assert (self.take(DeletionAsked(topic)) == ErrorCode.NONE) == known

    @rule(fails=st.booleans())
    def answer_stops(self, *, fails: bool) -> None:
        stops, self.stops = self.stops, []
        for node_id, epoch, message in stops:
            broker = self.view.image.brokers.get(node_id)
            if message.delete_partitions and broker and broker.epoch == epoch:
                error = ErrorCode.KAFKA_STORAGE_ERROR if fails else ErrorCode.NONE
                names = [TopicPartition(one.topic_name, one.partition_index)
                         for one in message.ungrouped_partitions]  # fmt: skip
                self.take(ReplicasDeleted(node_id, dict.fromkeys(names, error)))

    @rule(node_id=NODE, topic=TOPIC, number=NUMBER)
    def fail(self, node_id: NodeId, topic: str, number: int) -> None:
        if node_id in self.view.image.brokers:
            self.take(ReplicasFailed(node_id, (TopicPartition(topic, number),)))

    @rule(node_id=NODE)
    def another_controller(self, node_id: NodeId) -> None:
        """It knows what is in ZooKeeper: not which brokers were about to stop, nor which directories failed."""
        image = self.view.image
        for partition, state in image.partitions():
            if state.offline:
                rows = {partition.partition: replace(state, offline=())}
                delta = TopicDelta(image.topics[partition.topic].topic_id, rows)
                image = image.apply(ImageDelta(topics={partition.topic: delta}))
        image = replace(image, controller=node_id, controller_epoch=image.controller_epoch + 1)
        self.view = replace(self.view, image=image, shutting_down=frozenset())
        self.take(Elected())

    @invariant()
    def states_make_sense(self) -> None:
        image = self.view.image
        for partition, state in image.partitions():
            assert set(state.isr) <= set(state.replicas)
            assert {*state.adding, *state.removing} <= set(state.replicas)
            assert len(set(state.replicas)) == len(state.replicas) > 0
            if state.leader_epoch >= 0:
                assert state.isr
                assert self.versions[state_path(partition)] == state.partition_epoch
            if state.leader != NO_LEADER:
                assert state.leader in state.isr
                if partition.topic not in self.view.deletions:
                    assert state.leader in image.live_replicas(state)

    @invariant()
    def brokers_know_what_the_controller_knows(self) -> None:
        image = self.view.image
        for node_id in image.brokers:
            known = self.images[node_id]
            # A broker does not learn the epochs of the others.
            assert known.brokers.keys() == image.brokers.keys()
            for partition, state in image.partitions():
                if partition.topic in self.view.deletions or state.leader_epoch < 0:
                    continue
                found = known.partition(partition)
                assert found is not None
                assert (found.leader, found.isr, found.replicas, found.age) == (
                    state.leader, state.isr, state.replicas, state.age,
                )  # fmt: skip
                if node_id in self.view.live(state):  # One that stops need not know.
                    assert (found.adding, found.removing) == (state.adding, state.removing)
                live = image.live_replicas(state)
                assert set(found.offline) == set(state.replicas) - set(live)

    def teardown(self) -> None:
        """Heal: all brokers come, leaders have all replicas in sync, stops are answered."""
        if not self.view.image.brokers:
            return
        self.another_controller(NODES[0])
        for node_id in NODES:
            self.up(node_id)
        for _ in range(4):
            self.answer_stops(fails=False)
            for partition, state in list(self.view.image.partitions()):
                if partition.topic not in self.view.deletions and state.leader_epoch >= 0:
                    assert state.leader != NO_LEADER
                    self.propose_isr(partition, state, list(state.replicas))
        assert not self.view.deletions
        for _, state in self.view.image.partitions():
            assert state.leader != NO_LEADER
            assert set(state.isr) == set(state.replicas)
            assert not is_under_way(state)


Cluster.TestCase.settings = settings(max_examples=60, stateful_step_count=40)
TestController = Cluster.TestCase
