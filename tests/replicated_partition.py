"""One replicated partition in memory: brokers, a network that delays and drops, and a model controller.

The replicas are the machines of `barnabas.replication` over lists of records. What must hold is checked
after every step; see `ReplicatedPartition.check`.
"""

from dataclasses import dataclass, field, replace

from barnabas.errors import ErrorCode
from barnabas.log.partition.leader_epochs import LeaderEpochs
from barnabas.replication.acknowledgement import ALL, acknowledgement, refuse_append
from barnabas.replication.effects import NO_EFFECTS, IsrProposal, LeaderEffects
from barnabas.replication.events import (
    Appended,
    BrokersChanged,
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
from barnabas.types import NodeId
from tests.memory_disk import MemoryDisk

LAG_MS = 100
NOBODY = NodeId(-1)

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


@dataclass(frozen=True)
class Registrations:
    """The brokers that are alive, with their epochs; the controller's connection keeps the order."""

    version: int
    epochs: dict[NodeId, int]


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
    known: Registrations = field(default_factory=lambda: Registrations(0, {}))
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


@dataclass(frozen=True)
class State:
    """What the controller has decided."""

    leader: NodeId
    leader_epoch: int
    partition_epoch: int
    isr: frozenset[NodeId]
    replicas: tuple[NodeId, ...]


class ReplicatedPartition:
    """Brokers 1 to `brokers`, of which `replicas` have the partition at first."""

    def __init__(
        self,
        brokers: int = 4,
        replicas: int = 3,
        *,
        min_isr: int = 1,
        truncates_in_fetch: bool = True,
    ) -> None:
        self.now = 0
        self.limits = Limits(min_isr, LAG_MS)
        self.in_fetch = truncates_in_fetch
        self.next_broker_epoch = 1
        self.next_number = 1
        self.brokers: dict[NodeId, Broker] = {}
        self.registered: dict[NodeId, int] = {}
        """The broker epochs that the controller believes to be alive."""
        self.version = 0
        self.lossy: set[NodeId] = set()
        """Down, and with records lost: they may not count as in sync when they are back."""
        for number in range(1, brokers + 1):
            self.brokers[NodeId(number)] = Broker(NodeId(number), -1)
        assigned = tuple(NodeId(number) for number in range(1, replicas + 1))
        self.state = State(NOBODY, 0, 0, frozenset(assigned), assigned)
        self.network: list[Message] = []
        self.committed: dict[int, Record] = {}
        self.acknowledged: set[int] = set()
        self.watermarks: dict[tuple[NodeId, int, int], int] = {}
        for node_id in self.brokers:
            self.start(node_id)

    # Brokers.

    def start(self, node_id: NodeId) -> None:
        """A broker comes (back), and registers. Its session before that has ended by now."""
        broker = self.brokers[node_id]
        if broker.is_up:
            return
        self.expire(node_id)
        broker.broker_epoch = self.next_broker_epoch
        self.next_broker_epoch += 1
        self.registered[node_id] = broker.broker_epoch
        self.lossy.discard(node_id)
        self.elect()
        self.send_state(node_id)
        self.tell_brokers()

    def crash(self, node_id: NodeId, lost: int) -> None:
        """A broker is killed, and loses the last `lost` records where another one in sync has them."""
        broker = self.brokers[node_id]
        isr = self.state.isr
        others = [one for one in isr - {node_id} if self.is_sound(one)]
        if not broker.is_up or (isr & self.lossy and node_id in isr and not others):
            return
        if not others and node_id in isr:
            lost = 0
        if lost:
            self.lossy.add(node_id)
            broker.log.truncate(max(broker.log.start, broker.log.end - lost))
        broker.checkpoint = recovered(broker.checkpoint, broker.log.start, broker.log.end)
        broker.broker_epoch, broker.role, broker.leader_epoch = -1, None, -1
        broker.pending = []

    def is_sound(self, node_id: NodeId) -> bool:
        """Whether it has what it had when it was last in sync."""
        broker = self.brokers[node_id]
        return broker.is_up and self.registered.get(node_id) == broker.broker_epoch

    def save_checkpoint(self, node_id: NodeId) -> None:
        broker = self.brokers[node_id]
        broker.checkpoint = broker.high_watermark

    # The controller.

    def expire(self, node_id: NodeId) -> None:
        """The session of a broker that is down ends."""
        if self.brokers[node_id].is_up or node_id not in self.registered:
            return
        del self.registered[node_id]
        state = self.state
        if node_id in state.isr and len(state.isr) > 1:
            state = replace(state, isr=state.isr - {node_id})
        if node_id == state.leader:
            state = replace(state, leader=NOBODY)
        self.decide(state)
        self.elect()
        self.tell_brokers()

    def elect(self, wanted: NodeId = NOBODY) -> None:
        """Choose a leader from the ISR, where there is none or another one is wanted."""
        state = self.state
        able = [one for one in state.replicas if one in state.isr and one in self.registered]
        leader = wanted if wanted in able else state.leader
        if leader == NOBODY and able:
            leader = able[0]
        if leader != state.leader:
            self.decide(replace(state, leader=leader))

    def reassign(self, node_id: NodeId) -> None:
        """Add a replica, or take one away that is not in sync and delete it."""
        state = self.state
        if node_id not in state.replicas:
            self.decide(replace(state, replicas=(*state.replicas, node_id)))
        elif node_id not in state.isr and self.brokers[node_id].is_up:
            left = tuple(one for one in state.replicas if one != node_id)
            self.decide(replace(state, replicas=left))
            broker = self.brokers[node_id]
            broker.log, broker.role, broker.checkpoint = MemoryLog(), None, 0
            broker.leader_epoch = self.state.leader_epoch

    def decide(self, state: State) -> None:
        """Write a state of a new leader epoch, and send it to all."""
        if state == self.state:
            return
        self.state = replace(
            state,
            leader_epoch=self.state.leader_epoch + 1,
            partition_epoch=self.state.partition_epoch + 1,
        )
        for node_id in self.state.replicas:
            self.send_state(node_id)

    def send_state(self, node_id: NodeId) -> None:
        if node_id in self.registered:
            self.post(NOBODY, node_id, self.state, self.registered[node_id])

    def tell_brokers(self) -> None:
        self.version += 1
        for node_id, epoch in self.registered.items():
            self.post(NOBODY, node_id, Registrations(self.version, dict(self.registered)), epoch)

    def alter(self, message: Message, proposal: IsrProposal) -> None:
        """Change the ISR as its leader wants, if nothing has changed meanwhile (KIP-497, KIP-903)."""
        if message.sender in self.lossy:
            return  # It arrives too late, or what the dead leader lost was nowhere else.
        state = self.state
        error = ErrorCode.NONE
        if proposal.leader_epoch != state.leader_epoch:
            error = ErrorCode.FENCED_LEADER_EPOCH
        elif proposal.partition_epoch != state.partition_epoch:
            error = ErrorCode.INVALID_UPDATE_VERSION
        elif not all(self.is_eligible(one, epoch) for one, epoch in proposal.isr):
            error = ErrorCode.INELIGIBLE_REPLICA
        if error:
            answer: object = IsrRefused(proposal.partition_epoch, error, 0)
        else:
            isr = frozenset(one for one, _ in proposal.isr)
            answer = self.state = replace(state, isr=isr, partition_epoch=state.partition_epoch + 1)
        self.post(NOBODY, message.sender, answer, message.sender_epoch)

    def is_eligible(self, node_id: NodeId, broker_epoch: int) -> bool:
        return self.registered.get(node_id) == broker_epoch

    # The network.

    def post(self, sender: NodeId, to: NodeId, content: object, to_epoch: int = -1) -> None:
        sender_epoch = self.brokers[sender].broker_epoch if sender != NOBODY else -1
        self.network.append(Message(to, to_epoch, sender, sender_epoch, content))

    def deliver(self, index: int) -> None:
        if not self.network:
            return
        message = self.network.pop(index % len(self.network))
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
        if isinstance(message.content, State | Registrations):
            return
        del self.network[at]
        proposal = message.content
        if isinstance(proposal, IsrProposal):
            lost = IsrRefused(proposal.partition_epoch, ErrorCode.NETWORK_EXCEPTION, 0)
            self.post(NOBODY, message.sender, lost, message.sender_epoch)

    def receive(self, broker: Broker, message: Message) -> None:
        content = message.content
        if isinstance(content, State):
            self.on_state(broker, content)
        elif isinstance(content, Registrations):
            if content.version > broker.known.version:
                broker.known = content
                self.lead(broker, BrokersChanged(content.epochs, self.now))
        elif isinstance(content, IsrRefused):
            self.lead(broker, replace(content, now_ms=self.now))
        elif isinstance(content, FetchNext | AskEpochEnd | AskOffsets):
            answer = self.answer(broker, message, content)
            self.post(broker.node_id, message.sender, answer, message.sender_epoch)
        elif isinstance(content, Answer) and isinstance(broker.role, Follower):
            event = replace(content.event, now_ms=self.now)
            self.carry_out(broker, broker.role.step(event), content.records)

    # Roles.

    def on_state(self, broker: Broker, state: State) -> None:
        """LeaderAndIsr, or the answer to a proposal."""
        if state.leader_epoch == broker.leader_epoch:
            self.lead(
                broker,
                PartitionChanged(
                    state.isr, state.replicas, state.leader_epoch, state.partition_epoch, self.now
                ),
            )
        if state.leader_epoch <= broker.leader_epoch:
            return
        log = broker.log
        offsets = LogOffsets(log.start, log.end, broker.high_watermark)
        broker.checkpoint = broker.high_watermark
        broker.leader_epoch, broker.leader_id, broker.pending = state.leader_epoch, state.leader, []
        broker.role = None
        if broker.node_id not in state.replicas:
            return
        if state.leader == broker.node_id:
            log.epochs.assign(state.leader_epoch, log.end)
            leadership = Leadership(
                broker.node_id, state.leader_epoch, state.partition_epoch, state.isr, state.replicas
            )
            broker.role = Leader(leadership, offsets, log.epochs, self.limits, self.now)
            self.lead(broker, BrokersChanged(broker.known.epochs, self.now))
        elif state.leader != NOBODY:
            broker.role = Follower(
                state.leader_epoch,
                offsets,
                log.epochs,
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
        assert leader.role.isr == self.state.isr
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
