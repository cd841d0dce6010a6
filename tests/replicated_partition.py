"""One replicated partition in memory: brokers, a network that delays and drops, and a controller.

The replicas are the machines of `barnabas.replication` over lists of records; the controller, and what its
requests make of a broker, are those of `barnabas.cluster`. What must hold is checked after every step; see
`ReplicatedPartition.check`.
"""

from dataclasses import dataclass, field, replace

from barnabas.cluster.controller import step
from barnabas.cluster.deltas import leader_and_isr, stop_replica, update_metadata
from barnabas.cluster.events import (
    BrokersChanged as BrokersRegistered,
)
from barnabas.cluster.events import (
    ControllerEvent,
    IsrProposed,
    PartitionsAdded,
    PreferredElection,
    Reassigned,
)
from barnabas.cluster.image import NO_LEADER, ClusterImage, PartitionState
from barnabas.cluster.image import Broker as Registration
from barnabas.cluster.reassignment import is_under_way
from barnabas.cluster.roles import role_changes
from barnabas.cluster.view import Decision, View
from barnabas.errors import ErrorCode
from barnabas.log.partition.leader_epochs import LeaderEpochs
from barnabas.protocol.leader_and_isr import LeaderAndIsrRequest
from barnabas.protocol.stop_replica import StopReplicaRequest
from barnabas.protocol.update_metadata import UpdateMetadataRequest
from barnabas.replication.acknowledgement import ALL, acknowledgement, refuse_append
from barnabas.replication.effects import NO_EFFECTS, IsrProposal, LeaderEffects
from barnabas.replication.events import (
    Appended,
    BrokersChanged,
    EpochBegun,
    FollowerFetched,
    IsrRefused,
    LeaderEvent,
    LogStartMoved,
    PartitionChanged,
    Ticked,
)
from barnabas.replication.follower import (
    EpochEndFound,
    Fetched,
    Follower,
    FollowerEffects,
    FollowerEvent,
    OffsetsFound,
    RequestFailed,
)
from barnabas.replication.leader import Leader, Leadership, Limits
from barnabas.replication.requests import AskEpochEnd, AskOffsets, FetchNext, FollowerRequest
from barnabas.replication.watermark import LogOffsets, recovered
from barnabas.types import NodeId, TopicPartition
from tests.memory_disk import MemoryDisk

LAG_MS = 100
NOBODY = NodeId(-1)
DOGS = TopicPartition("dogs", 0)

Record = tuple[int, int]
"""Its leader epoch, and a number that no other record has."""


class MemoryLog:
    """Records in [start, end), with the epochs of the real log."""

    def __init__(self) -> None:
        self.start = 0
        self.records: list[Record] = []
        self.epochs = LeaderEpochs(MemoryDisk(), "epochs")
        self.epochs.hold()  # What is written of them is no concern of these tests.

    @property
    def end(self) -> int:
        return self.start + len(self.records)

    def read(self, offset: int, count: int) -> list[Record]:
        return self.records[offset - self.start :][:count]

    def append(self, records: list[Record]) -> None:
        for record in records:
            self.epochs.assign(record[0], self.end)
            self.records.append(record)

    def truncate(self, offset: int) -> None:
        del self.records[max(0, offset - self.start) :]
        self.epochs.truncate_end(offset)

    def start_anew(self, offset: int) -> None:
        self.start, self.records = offset, []
        self.epochs.replace([])

    def delete_before(self, offset: int) -> None:
        del self.records[: offset - self.start]
        self.start = offset
        self.epochs.truncate_start(offset)


@dataclass
class Broker:
    """One broker, in one of its lives; -1 as its epoch: it is down."""

    node_id: NodeId
    broker_epoch: int
    log: MemoryLog = field(default_factory=MemoryLog)
    leader_epoch: int = -1
    leader_id: NodeId = NOBODY
    role: Leader | Follower | None = None
    checkpoint: int = 0
    """The high watermark as replication-offset-checkpoint has it."""
    image: ClusterImage = field(default_factory=ClusterImage)
    pending: list[tuple[int, int]] = field(default_factory=list)
    """(end offset, number) of records that wait for acks=all."""

    @property
    def is_up(self) -> bool:
        return self.broker_epoch >= 0

    @property
    def high_watermark(self) -> int:
        return self.role.high_watermark if self.role else self.checkpoint


@dataclass(frozen=True)
class Message:
    """On its way to one life of a broker; the controller is NOBODY."""

    to: NodeId
    to_epoch: int
    sender: NodeId
    sender_epoch: int
    content: object


@dataclass(frozen=True)
class Answer:
    """To a follower; the records go with it."""

    event: FollowerEvent
    records: list[Record]


class ReplicatedPartition:
    """Brokers 1 to `brokers`, of which `replicas` have the partition at first."""

    def __init__(
        self,
        brokers: int = 4,
        replicas: int = 3,
        *,
        min_isr: int = 1,
        truncates_in_fetch: bool = True,
        tells_epochs: bool = True,
    ) -> None:
        self.now = 0
        self.limits = Limits(min_isr, LAG_MS)
        self.in_fetch = truncates_in_fetch
        self.tells_epochs = tells_epochs
        """Whether leaders know the epochs of brokers, as with KRaft."""
        self.next_broker_epoch = 1
        self.next_number = 1
        self.brokers: dict[NodeId, Broker] = {}
        self.lossy: set[NodeId] = set()
        """Down, and with records lost: they may not count as in sync when they are back."""
        self.network: list[Message] = []
        self.committed: dict[int, Record] = {}
        self.acknowledged: set[int] = set()
        self.watermarks: dict[tuple[NodeId, int, int], int] = {}
        self.view = View(ClusterImage(controller_epoch=1))
        for number in range(1, brokers + 1):
            self.brokers[NodeId(number)] = Broker(NodeId(number), -1)
            self.start(NodeId(number))
        assigned = tuple(NodeId(number) for number in range(1, replicas + 1))
        self.take(PartitionsAdded(DOGS.topic, b"d" * 16, {DOGS.partition: assigned}))

    @property
    def state(self) -> PartitionState:
        """What the controller has decided."""
        state = self.view.image.partition(DOGS)
        assert state is not None
        return state

    # Brokers.

    def start(self, node_id: NodeId) -> None:
        """A broker comes (back), and registers. The controller may not have noticed that it was away."""
        broker = self.brokers[node_id]
        if broker.is_up:
            return
        broker.broker_epoch = self.next_broker_epoch
        self.next_broker_epoch += 1
        registered = Registration(node_id, epoch=broker.broker_epoch)
        self.take(BrokersRegistered({**self.view.image.brokers, node_id: registered}))
        self.lossy.discard(node_id)

    def crash(self, node_id: NodeId, lost: int) -> None:
        """A broker is killed, and loses the last `lost` records where another one in sync has them."""
        broker = self.brokers[node_id]
        isr = self.state.isr
        others = [one for one in isr if one != node_id and self.is_sound(one)]
        if not broker.is_up or (self.lossy & set(isr) and node_id in isr and not others):
            return
        if not others and node_id in isr:
            lost = 0
        if lost:
            self.lossy.add(node_id)
            broker.log.truncate(max(broker.log.start, broker.log.end - lost))
        broker.checkpoint = recovered(broker.checkpoint, broker.log.start, broker.log.end)
        broker.broker_epoch, broker.role, broker.leader_epoch = -1, None, -1
        broker.pending, broker.image = [], ClusterImage()

    def is_sound(self, node_id: NodeId) -> bool:
        """Whether it has what it had when it was last in sync."""
        broker = self.brokers[node_id]
        registered = self.view.image.brokers.get(node_id)
        return broker.is_up and registered is not None and registered.epoch == broker.broker_epoch

    def save_checkpoint(self, node_id: NodeId) -> None:
        broker = self.brokers[node_id]
        broker.checkpoint = broker.high_watermark

    # The controller.

    def take(self, event: ControllerEvent) -> Decision:
        """The controller decides, and its requests are on their way."""
        decision = step(self.view, event)
        self.view = decision.after
        for request in decision.requests:
            self.post(NOBODY, request.node_id, request.message, request.message.broker_epoch)
        return decision

    def expire(self, node_id: NodeId) -> None:
        """The session of a broker that is down ends."""
        known = self.view.image.brokers
        if node_id in known and not self.brokers[node_id].is_up:
            left = {one: broker for one, broker in known.items() if one != node_id}
            self.take(BrokersRegistered(left))

    def elect(self, wanted: NodeId) -> None:
        """Prefer another leader."""
        replicas = self.state.replicas
        if wanted in replicas and not is_under_way(self.state):
            others = (one for one in replicas if one != wanted)
            self.take(Reassigned({DOGS: (wanted, *others)}))
        self.take(PreferredElection((DOGS,)))

    def reassign(self, node_id: NodeId) -> None:
        """Add a replica, or take one of three away, or cancel that.

        Not while a replica counts as in sync that has lost records: to take away the others would be to
        take away the records.
        """
        replicas = self.state.replicas
        if self.lossy & set(self.state.isr):
            return
        if is_under_way(self.state):
            self.take(Reassigned({DOGS: None}))
        elif node_id not in replicas:
            self.take(Reassigned({DOGS: (*replicas, node_id)}))
        elif len(replicas) > 2:
            self.take(Reassigned({DOGS: tuple(one for one in replicas if one != node_id)}))

    def alter(self, message: Message, proposal: IsrProposal) -> None:
        """A leader's proposal reaches the controller, and is answered."""
        if message.sender in self.lossy:
            return  # It arrives too late, or what the dead leader lost was nowhere else.
        if is_under_way(self.state) and self.lossy & set(self.state.isr):
            # It might end the move, as in `reassign`.
            lost = IsrRefused(proposal.partition_epoch, ErrorCode.NETWORK_EXCEPTION, 0)
            self.post(NOBODY, message.sender, lost, message.sender_epoch)
            return
        event = IsrProposed(
            message.sender,
            message.sender_epoch,
            DOGS,
            proposal.isr,
            proposal.leader_epoch,
            proposal.partition_epoch,
        )
        decision = self.take(event)
        error = decision.error or decision.errors.get(DOGS)
        if error:
            answer: object = IsrRefused(proposal.partition_epoch, error, 0)
        else:
            answer = self.state
        self.post(NOBODY, message.sender, answer, message.sender_epoch)

    # The network.

    def post(self, sender: NodeId, to: NodeId, content: object, to_epoch: int = -1) -> None:
        sender_epoch = self.brokers[sender].broker_epoch if sender != NOBODY else -1
        self.network.append(Message(to, to_epoch, sender, sender_epoch, content))

    def deliver(self, index: int) -> None:
        if not self.network:
            return
        at = index % len(self.network)
        if self.network[at].sender == NOBODY:
            # The controller's requests to a broker keep their order.
            to = self.network[at].to
            at = next(
                n for n, one in enumerate(self.network) if (one.sender, one.to) == (NOBODY, to)
            )
        message = self.network.pop(at)
        if message.to == NOBODY:
            assert isinstance(message.content, IsrProposal)
            self.alter(message, message.content)
            return
        broker = self.brokers[message.to]
        if not broker.is_up or message.to_epoch not in {-1, broker.broker_epoch}:
            return
        self.receive(broker, message)

    def drop(self, index: int) -> None:
        """Lose a message. A leader notices that; what the controller sends arrives at last."""
        if not self.network:
            return
        at = index % len(self.network)
        message = self.network[at]
        if message.sender == NOBODY:
            return
        del self.network[at]
        proposal = message.content
        if isinstance(proposal, IsrProposal):
            lost = IsrRefused(proposal.partition_epoch, ErrorCode.NETWORK_EXCEPTION, 0)
            self.post(NOBODY, message.sender, lost, message.sender_epoch)

    def receive(self, broker: Broker, message: Message) -> None:
        content = message.content
        if isinstance(content, LeaderAndIsrRequest | UpdateMetadataRequest | StopReplicaRequest):
            self.obey(broker, content)
        elif isinstance(content, PartitionState):
            self.lead(broker, self.changed(content))
        elif isinstance(content, IsrRefused):
            self.lead(broker, replace(content, now_ms=self.now))
        elif isinstance(content, FetchNext | AskEpochEnd | AskOffsets):
            answer = self.answer(broker, message, content)
            self.post(broker.node_id, message.sender, answer, message.sender_epoch)
        elif isinstance(content, Answer) and isinstance(broker.role, Follower):
            event = replace(content.event, now_ms=self.now)
            self.carry_out(broker, broker.role.step(event), content.records)

    # Roles.

    def obey(
        self,
        broker: Broker,
        request: LeaderAndIsrRequest | UpdateMetadataRequest | StopReplicaRequest,
    ) -> None:
        """What a controller's request makes of a broker's image, and that of its replica."""
        before, node_id, epoch = broker.image, broker.node_id, broker.broker_epoch
        deletes = False
        if isinstance(request, LeaderAndIsrRequest):
            outcome = leader_and_isr(before, request, node_id, epoch)
        elif isinstance(request, UpdateMetadataRequest):
            outcome = update_metadata(before, request, epoch)
        else:
            stop = stop_replica(before, request, node_id, epoch)
            outcome, deletes = stop.outcome, DOGS in stop.stopped
        assert not outcome.error
        broker.image = before.apply(outcome.delta)
        roles = role_changes(before, broker.image, node_id)
        for _ in roles.leave:
            broker.checkpoint, broker.role, broker.pending = broker.high_watermark, None, []
        for _, state in roles.lead:
            self.become_leader(broker, state)
        for _, state in roles.follow:
            self.become_follower(broker, state)
        for _, state in roles.update:
            self.lead(broker, self.changed(state))
        self.lead(broker, self.alive(broker))
        if deletes and broker.role is None:
            broker.log, broker.checkpoint = MemoryLog(), 0

    def changed(self, state: PartitionState) -> PartitionChanged:
        isr = frozenset(state.isr)
        epochs = state.leader_epoch, state.partition_epoch
        return PartitionChanged(isr, state.replicas, *epochs, self.now)

    def alive(self, broker: Broker) -> BrokersChanged:
        epochs = {
            one: self.brokers[one].broker_epoch if self.tells_epochs else -1
            for one in broker.image.brokers
        }
        return BrokersChanged(epochs, self.now)

    def begin_role(self, broker: Broker, state: PartitionState) -> LogOffsets:
        assert state.leader_epoch > broker.leader_epoch
        broker.checkpoint = broker.high_watermark
        broker.role, broker.pending = None, []
        broker.leader_epoch, broker.leader_id = state.leader_epoch, state.leader
        return LogOffsets(broker.log.start, broker.log.end, broker.checkpoint)

    def become_leader(self, broker: Broker, state: PartitionState) -> None:
        if isinstance(broker.role, Leader):
            assert state.leader_epoch > broker.leader_epoch
            broker.log.epochs.assign(state.leader_epoch, broker.log.end)
            broker.leader_epoch = state.leader_epoch
            isr, epoch = frozenset(state.isr), state.partition_epoch
            self.lead(broker, EpochBegun(isr, state.replicas, state.leader_epoch, epoch, self.now))
            return
        offsets, log = self.begin_role(broker, state), broker.log
        log.epochs.assign(state.leader_epoch, log.end)
        leadership = Leadership(
            broker.node_id,
            state.leader_epoch,
            state.partition_epoch,
            frozenset(state.isr),
            state.replicas,
        )
        broker.role = Leader(leadership, offsets, log.epochs, self.limits, self.now)

    def become_follower(self, broker: Broker, state: PartitionState) -> None:
        offsets = self.begin_role(broker, state)
        if state.leader != NO_LEADER:
            broker.role = Follower(
                state.leader_epoch,
                offsets,
                broker.log.epochs,
                truncates_in_fetch=self.in_fetch,
                back_off_ms=5,
            )
            self.carry_out(broker, broker.role.begin(), [])

    def lead(self, broker: Broker, event: LeaderEvent) -> LeaderEffects:
        leader = broker.role
        if not isinstance(leader, Leader):
            return NO_EFFECTS
        effects = leader.step(event)
        if effects.propose is not None:
            self.post(broker.node_id, NOBODY, effects.propose)
        for end_offset, number in list(broker.pending):
            error = acknowledgement(leader, ALL, end_offset)
            if error is not None:
                broker.pending.remove((end_offset, number))
                if error is ErrorCode.NONE:
                    self.acknowledged.add(number)
        self.note(broker, leader)
        return effects

    def note(self, broker: Broker, leader: Leader) -> None:
        """What is committed stays so: no leader may commit something else at its offset."""
        log = broker.log
        for offset in range(max(log.start, len(self.committed)), leader.high_watermark):
            self.committed[offset] = log.records[offset - log.start]

    def answer(self, broker: Broker, message: Message, request: FollowerRequest) -> Answer:
        """What a broker answers to a request of a follower's."""
        leader, log = broker.role, broker.log
        if not isinstance(leader, Leader):
            return Answer(RequestFailed(request, ErrorCode.NOT_LEADER_OR_FOLLOWER, 0), [])
        if isinstance(request, FetchNext):
            return self.answer_fetch(broker, message, request)
        epoch = request.epoch if isinstance(request, AskEpochEnd) else leader.leader_epoch
        found = leader.epoch_end(request.leader_epoch, epoch)
        if isinstance(found, ErrorCode):
            return Answer(RequestFailed(request, found, 0), [])
        if isinstance(request, AskEpochEnd):
            return Answer(EpochEndFound(request, found, 0), [])
        return Answer(OffsetsFound(request, log.start, log.end, 0), [])

    def answer_fetch(self, broker: Broker, message: Message, request: FetchNext) -> Answer:
        fetched = FollowerFetched(
            message.sender,
            request.offset,
            self.now,
            request.log_start,
            request.leader_epoch,
            request.last_epoch,
            message.sender_epoch,
        )
        effects = self.lead(broker, fetched)
        if effects.error:
            return Answer(RequestFailed(request, effects.error, 0), [])
        records = [] if effects.diverging else broker.log.read(request.offset, 3)
        end = request.offset + len(records)
        mark = broker.high_watermark
        return Answer(Fetched(request, end, mark, broker.log.start, 0, effects.diverging), records)

    def carry_out(self, broker: Broker, effects: FollowerEffects, records: list[Record]) -> None:
        log = broker.log
        if effects.truncate_to is not None:
            log.truncate(effects.truncate_to)
        if effects.start_anew_at is not None:
            log.start_anew(effects.start_anew_at)
        if effects.append:
            log.append(records)
        if effects.log_start is not None:
            log.delete_before(effects.log_start)

    # What users and time do.

    def fetch(self, node_id: NodeId) -> None:
        broker = self.brokers[node_id]
        if isinstance(broker.role, Follower):
            request = broker.role.next_request(self.now)
            if request is not None:
                self.post(node_id, broker.leader_id, request)

    def produce(self) -> None:
        """A record with acks=all, to whoever believes to lead."""
        for broker in self.brokers.values():
            leader = broker.role
            if isinstance(leader, Leader) and not refuse_append(leader, ALL):
                broker.log.append([(leader.leader_epoch, self.next_number)])
                broker.pending.append((broker.log.end, self.next_number))
                self.next_number += 1
                self.lead(broker, Appended(broker.log.end, self.now))

    def delete_records(self, node_id: NodeId) -> None:
        """Delete what is committed but for the last record."""
        broker = self.brokers[node_id]
        if isinstance(broker.role, Leader):
            start = max(broker.log.start, broker.role.high_watermark - 1)
            broker.log.delete_before(start)
            self.lead(broker, LogStartMoved(start, self.now))

    def tick(self, ms: int) -> None:
        self.now += ms
        for broker in self.brokers.values():
            self.lead(broker, Ticked(self.now))

    def pump(self) -> None:
        """All followers fetch, and all messages arrive."""
        for node_id in self.brokers:
            self.fetch(node_id)
        while self.network:
            self.deliver(0)

    def settle(self) -> None:
        """Heal: all brokers are up, all messages arrive, followers fetch until nothing is missing."""
        for node_id in self.brokers:
            self.start(node_id)
        for _ in range(60):
            self.pump()
            self.tick(10)
        leader = self.brokers[self.state.leader]
        assert isinstance(leader.role, Leader)
        assert set(self.state.isr) == set(self.state.replicas)
        assert leader.role.isr == frozenset(self.state.isr)
        for node_id in self.state.replicas:
            broker = self.brokers[node_id]
            start = max(broker.log.start, leader.log.start)  # A new leader's may be the older one.
            assert broker.log.read(start, 10_000) == leader.log.read(start, 10_000)
            assert broker.high_watermark == leader.log.end

    # What must hold.

    def check(self) -> None:
        """Nothing committed is lost, and no watermark goes back."""
        numbers = {number for _, number in self.committed.values()}
        assert self.acknowledged <= numbers, "acknowledged, and not committed"
        for broker in self.brokers.values():
            self.check_agreement(broker)
            if broker.role is not None:
                key = (broker.node_id, broker.broker_epoch, broker.leader_epoch)
                mark = broker.role.high_watermark
                assert mark >= self.watermarks.get(key, 0), "a watermark went back"
                self.watermarks[key] = mark
        for node_id in self.state.isr:
            broker = self.brokers[node_id]
            if self.is_sound(node_id):
                for offset, record in self.committed.items():
                    if offset >= broker.log.start:
                        assert broker.log.read(offset, 1) == [record], "in sync without a record"

    def check_agreement(self, broker: Broker) -> None:
        """Below its high watermark every log has what is committed."""
        log = broker.log
        if broker.role is not None:
            role = broker.role
            assert (role.log_start, role.end_offset) == (log.start, log.end)
            assert log.start <= role.high_watermark <= log.end
        for offset in range(log.start, min(broker.high_watermark, log.end)):
            assert log.records[offset - log.start] == self.committed[offset], "logs differ"
