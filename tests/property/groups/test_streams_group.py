"""Streams groups whose members join, stall, crash, miss responses and release tasks at their own pace."""

from dataclasses import dataclass, replace

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from barnabas.coordinators.streams_group.group import StreamsGroup, StreamsVolatileState
from barnabas.coordinators.streams_group.groups import StreamsGroups, deadline, loaded
from barnabas.coordinators.streams_group.heartbeats import StreamsHeartbeat, StreamsHeartbeatReply
from barnabas.coordinators.streams_group.settings import StreamsSettings
from barnabas.coordinators.streams_group.tasks import NO_TASKS, Role, Task, Tasks
from barnabas.errors import BrokerError
from tests.unit.coordinators.compacting import CompactedLog
from tests.unit.coordinators.refusals import refused_first
from tests.unit.coordinators.some_topics import SomeTopics, a_shard
from tests.unit.coordinators.streams_group.a_topology import internal, part, topology

INSTANCES = st.sampled_from(["p/1", "p/2", "q/1", "r/1", "s/1"])
"""Processes, and threads of them."""
COUNTING = topology(
    part("0", "words", writes=["by-word"]),
    part("1", reads=[internal("by-word")], keeps=["counts"]),
)
ALL = dict.fromkeys(("words", "by-word", "counts"), 4)
SETTINGS = StreamsSettings(
    session_ms=1000,
    heartbeat_ms=100,
    assignment_interval_ms=40,
    initial_delay_ms=60,
    standbys=0,
    max_size=10,
)


@dataclass
class Client:
    """An instance as KIP-1071 wants it. It gives back what it is not to do when it gets to it."""

    name: str
    lives: int = 0
    epoch: int = 0
    does: Tasks = NO_TASKS
    received: Tasks = NO_TASKS

    @property
    def member_id(self) -> str:
        return f"{self.name}-{self.lives}"

    @property
    def process_id(self) -> str:
        return self.name.split("/")[0]

    def begin_again(self) -> None:
        self.epoch, self.does, self.received = 0, NO_TASKS, NO_TASKS


class Application(RuleBasedStateMachine):
    """One group; `log` is what is there of what was written. Each change is refused at first."""

    def __init__(self) -> None:
        super().__init__()
        self.topics = SomeTopics(**ALL)
        self.shard = a_shard(self.topics)
        self.settings = SETTINGS
        self.now = 1
        self.clients: dict[str, Client] = {}
        self.log = CompactedLog()

    @property
    def groups(self) -> StreamsGroups:
        return self.shard.streams

    @property
    def group(self) -> StreamsGroup:
        return self.groups.get("g") or StreamsGroup("g")

    def ask(
        self, client: Client, epoch: int, *, brief: bool = False
    ) -> StreamsHeartbeatReply | None:
        joins = epoch == 0
        asked = StreamsHeartbeat(
            group_id="g",
            member_id=client.member_id,
            epoch=epoch,
            client_id="c",
            client_host="/h",
            topology=COUNTING if joins else None,
            rebalance_timeout_ms=500 if joins else -1,
            process_id=client.process_id if joins else None,
            owned=None if brief else client.does,
        )
        try:
            result = refused_first(
                self.shard,
                lambda: self.groups.heartbeat(asked, None, self.settings, self.now),
            )
        except BrokerError:
            client.begin_again()
            return None
        self.log += result.records
        return result.reply

    def pass_time(self) -> None:
        self.log += refused_first(
            self.shard, lambda: self.groups.on_time(self.group, self.settings, self.now)
        ).records

    @rule(name=INSTANCES, brief=st.booleans())
    def beat(self, name: str, *, brief: bool) -> None:
        client = self.clients.setdefault(name, Client(name))
        reply = self.ask(client, client.epoch, brief=brief and client.epoch > 0)
        if reply is not None:
            client.epoch = reply.epoch
            if reply.tasks is not None:
                client.received = reply.tasks
                client.does |= reply.tasks

    @rule(name=INSTANCES)
    def lose_the_answer(self, name: str) -> None:
        client = self.clients.get(name)
        if client is not None and client.epoch:
            self.ask(client, client.epoch)

    @rule(name=INSTANCES)
    def give_back(self, name: str) -> None:
        if name in self.clients:
            self.clients[name].does &= self.clients[name].received

    @rule(name=INSTANCES)
    def leave(self, name: str) -> None:
        client = self.clients.pop(name, None)
        if client is not None and client.epoch:
            self.ask(client, -1)

    @rule(name=INSTANCES)
    def die(self, name: str) -> None:
        if name in self.clients:
            self.clients[name].lives += 1
            self.clients[name].begin_again()

    @rule(ms=st.sampled_from([1, 50, 300, 2000]))
    def wait(self, ms: int) -> None:
        end = self.now + ms
        while (due := deadline(self.group)) is not None and due <= end:
            self.now = max(self.now, due)
            self.pass_time()
        self.now = end

    @rule(standbys=st.integers(0, 2))
    def keep_copies(self, standbys: int) -> None:
        self.settings = SETTINGS._replace(standbys=standbys)

    @rule(name=st.sampled_from(sorted(ALL)))
    def lose_a_topic(self, name: str) -> None:
        self.topics.partitions.pop(name, None)
        self.topics.change()

    @rule()
    def make_all_topics(self) -> None:
        self.topics.change(**ALL)

    @rule(data=st.data())
    def compact(self, data: st.DataObject) -> None:
        """A restart does not see that."""
        self.log.compact(data)

    @rule()
    def delete(self) -> None:
        if self.groups.get("g") is not None and not self.group.members:
            result = refused_first(self.shard, lambda: self.groups.delete(self.group))
            self.log += result.records

    @rule(data=st.data())
    def read_a_part_of_the_log(self, data: st.DataObject) -> None:
        """Any prefix can be read."""
        again = a_shard(self.topics)
        for record in self.log.beginning(data):
            again.replay(*record)
        for group in again.streams.all():
            check_holders(group)

    @rule()
    def restart(self) -> None:
        again = a_shard(self.topics)
        for record in self.log:
            again.replay(*record)
        assert restored(again.streams) == restored(self.groups)
        self.shard = again
        for group in self.groups.all():
            loaded(group, self.settings, self.now)

    @rule()
    def settle(self) -> None:
        """Where everybody follows its responses, every task is done, after the sessions of the dead too."""
        for _ in range(20):
            self.now += 100
            self.pass_time()
            for client in self.clients.values():
                client.does &= client.received
                self.beat(client.name, brief=False)
                client.does &= client.received
        group = self.group
        if not self.clients or set(group.members) != {
            one.member_id for one in self.clients.values()
        }:
            return
        assert group.state == (
            "Stable" if ALL.keys() <= self.topics.partitions.keys() else "NotReady"
        )
        done = [task for client in self.clients.values() for task in client.does]
        active = [task for task in done if task.role is Role.ACTIVE]
        wanted = {Task(Role.ACTIVE, name, one) for name in "01" for one in range(4)}
        assert len(active) == len(set(active))
        assert set(active) == (wanted if group.state == "Stable" else set())
        for client in self.clients.values():
            assert client.does == group.members[client.member_id].assigned.keys()

    @invariant()
    def nobody_does_what_another_does(self) -> None:
        check_holders(self.group)
        done = [
            (task, one)
            for one in self.clients.values()
            if one.epoch and one.member_id in self.group.members
            for task in one.does
        ]
        active = [task for task, _ in done if task.role is Role.ACTIVE]
        assert len(active) == len(set(active))


def check_holders(group: StreamsGroup) -> None:
    """A task is processed by one, and a process has it in one role."""
    active: set[Task] = set()
    of_processes: set[tuple[str, Task]] = set()
    for member in group.members.values():
        for task in (*member.assigned, *member.revoking):
            place = member.process_id, task.as_(Role.ACTIVE)
            assert place not in of_processes
            of_processes.add(place)
            assert task.role is not Role.ACTIVE or task not in active
            active |= {task} if task.role is Role.ACTIVE else set()


def restored(groups: StreamsGroups) -> list[StreamsGroup]:
    nothing = StreamsVolatileState()
    return [replace(one, volatile=nothing) for one in groups.all()]


TestStreamsGroup = Application.TestCase
TestStreamsGroup.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
