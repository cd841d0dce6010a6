"""Requests that are repeated, answered from a connection's table or read each time: nothing else differs.

Two brokers have the same conversations with the same clients. After each event all have received the same
bytes; in the end files and sessions are the same.
"""

import gzip
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from struct import pack
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from barnabas.broker.broker import Broker
from barnabas.broker.connections.connection import ClientConnection
from barnabas.broker.connections.listener_dialects import dialect_for
from barnabas.broker.properties.resource_kinds import ResourceKind
from barnabas.config.listeners import KAFKA
from barnabas.errors import BrokerError, StorageError
from barnabas.kernels.connections.repeats import RepeatCounts, Repeats
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from barnabas.protocol.fetch import FetchPartition, FetchRequest, FetchTopic
from barnabas.protocol.headers import RequestHeader, decode_response, encode_request
from barnabas.protocol.heartbeat import HeartbeatRequest
from barnabas.protocol.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from barnabas.protocol.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from barnabas.protocol.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from barnabas.protocol.share_group_heartbeat import ShareGroupHeartbeatRequest
from barnabas.protocol.streams_group_heartbeat import (
    StreamsGroupHeartbeatRequest,
    Subtopology,
    Topology,
)
from barnabas.protocol.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from barnabas.records.checksums import crc32c
from barnabas.runtime.connections.connection import Connection
from barnabas.runtime.connections.loop_turn import LoopTurn
from barnabas.runtime.connections.memory import ConnectionMemory
from tests.memory_disk import MemoryDisk
from tests.unit.broker.batches import batch
from tests.unit.broker.changes import change_client_quotas, change_properties
from tests.unit.broker.groups.test_offsets import Around, Started
from tests.unit.broker.in_memory import Counting, StillClock
from tests.unit.runtime.manual_timers import ManualTimers
from tests.unit.runtime.scripted_channel import ScriptedChannel

pytestmark = pytest.mark.kernels

PROPERTIES = (
    {"offsets.topic.num.partitions": "1"}
    | {
        f"group.{kind}.{name}.ms": "0"
        for kind in ("consumer", "share", "streams")
        for name in ("assignment.interval", "min.assignment.interval")
    }
    | {"group.streams.initial.rebalance.delay.ms": "0", "group.initial.rebalance.delay.ms": "0"}
)
CLIENTS = 3
SESSION_MS = 45_000
CLASSIC, CONSUMER, SHARE, STREAMS = KINDS = ("classic", "consumer", "share", "streams")
PART = Subtopology(
    subtopology_id="0", source_topics=["dogs"], source_topic_regex=[], state_changelog_topics=[],
    repartition_sink_topics=[], repartition_source_topics=[], copartition_groups=[],
)  # fmt: skip
JOINS: dict[str, dict[str, Any]] = {
    CONSUMER: {
        "rebalance_timeout_ms": 60_000, "subscribed_topic_names": ["dogs"], "topic_partitions": [],
    },
    SHARE: {"subscribed_topic_names": ["dogs"]},
    STREAMS: {
        "rebalance_timeout_ms": 60_000, "topology": Topology(epoch=0, subtopologies=[PART]),
        "active_tasks": [], "standby_tasks": [], "warmup_tasks": [], "process_id": "p",
    },
}  # fmt: skip
BEATS: dict[str, tuple[ApiKey, int, Any, dict[str, Any]]] = {
    CONSUMER: (ApiKey.CONSUMER_GROUP_HEARTBEAT, 1, ConsumerGroupHeartbeatRequest, {}),
    SHARE: (ApiKey.SHARE_GROUP_HEARTBEAT, 1, ShareGroupHeartbeatRequest, {}),
    STREAMS: (
        ApiKey.STREAMS_GROUP_HEARTBEAT, 0, StreamsGroupHeartbeatRequest,
        {"endpoint_information_epoch": 0},
    ),
}  # fmt: skip


class Counted(ClientConnection):
    """Counts the requests that are read."""

    read = 0

    def on_frame(self, frame: memoryview) -> bool:
        type(self).read += 1
        return super().on_frame(frame)


class Quick(Counted):
    """As it is served."""


class Ordinary(Counted):
    """Reads everything."""

    def take_known(self, received: memoryview, start: int, end: int) -> int:
        del received, end
        return start


class Side:
    """A broker with the connections of some clients, all of one class."""

    def __init__(self, kind: type[Counted]) -> None:
        kind.read = 0
        self.clock, self.timers, self.disk = StillClock(), ManualTimers(), MemoryDisk()
        around = Around(self.clock, Counting(), self.timers, self.disk)
        self.started = Started(Path("/data"), around, **PROPERTIES)
        self.broker = self.started.broker
        memory = ConnectionMemory(1 << 24)
        turn = LoopTurn(self.timers, self.clock.monotonic)
        self.channels = []
        self.clients = []
        for number in range(CLIENTS):
            channel = ScriptedChannel()
            connection = Connection(channel, memory, turn, max_frame_bytes=1 << 20)
            client = kind(
                self.broker,
                dialect_for(KAFKA, self.broker),
                connection,
                listener="PLAINTEXT",
                number=number,
                on_gone=lambda _: None,
            )
            connection.serve(client)
            self.channels.append(channel)
            self.clients.append(client)

    def sessions(self) -> list[object]:
        """When the session of each member ends."""
        found: list[object] = []
        for held in self.broker.groups.loaded():
            shard = held.shard
            found += [dict(one.volatile.sessions) for one in shard.consumer.all()]
            found += [dict(one.sessions) for one in shard.share.all()]
            found += [dict(one.volatile.sessions) for one in shard.streams.all()]
            found += [
                {name: member.deadline for name, member in one.members.items()}
                for one in shard.groups()
            ]
        return found

    def files(self) -> dict[str, bytes]:
        return {path: bytes(file.now) for path, file in self.disk.files.items()}


@dataclass(slots=True)
class Member:
    """What a client knows of its membership, from the responses."""

    number: int
    kind: str = CLASSIC
    version: int = 4
    member_id: str = ""
    epoch: int = 0
    sent: int = 0
    topic_id: bytes = bytes(16)
    sequence: int = 0
    waiting: list[tuple[ApiKey, int]] = field(default_factory=list)

    @property
    def group(self) -> str:
        return f"group-{self.kind}"

    def frame(self, key: ApiKey, version: int, message: object, *, answered: bool = True) -> bytes:
        self.sent += 1
        if answered:
            self.waiting.append((key, version))
        header = RequestHeader(key, version, self.sent, f"client-{self.number}")
        return encode_request(header, message).joined()

    def joins(self) -> list[bytes]:
        if self.kind == CLASSIC:
            protocol = JoinGroupRequestProtocol(name="range", metadata=b"")
            asked = JoinGroupRequest(
                group_id=self.group, session_timeout_ms=SESSION_MS, rebalance_timeout_ms=60_000,
                member_id=self.member_id, protocol_type="consumer", protocols=[protocol],
            )  # fmt: skip
            return [self.frame(ApiKey.JOIN_GROUP, 2, asked)]
        self.member_id, self.epoch = f"member-{self.number}", 0
        return [self.beat(**JOINS[self.kind])]

    def syncs(self) -> bytes:
        mine = SyncGroupRequestAssignment(member_id=self.member_id, assignment=b"all")
        asked = SyncGroupRequest(
            group_id=self.group, generation_id=self.epoch, member_id=self.member_id,
            assignments=[mine],
        )  # fmt: skip
        return self.frame(ApiKey.SYNC_GROUP, 1, asked)

    def beat(self, **more: object) -> bytes:
        if self.kind == CLASSIC:
            asked = HeartbeatRequest(
                group_id=self.group, generation_id=self.epoch, member_id=self.member_id
            )
            return self.frame(ApiKey.HEARTBEAT, self.version, asked)
        key, version, request, always = BEATS[self.kind]
        answer = {"member_epoch": self.epoch, **always, **more}
        message = request(group_id=self.group, member_id=self.member_id, **answer)
        return self.frame(key, version, message)

    def commits(self, offsets: Sequence[int], topic: str = "dogs") -> bytes:
        partitions = [
            OffsetCommitRequestPartition(
                partition_index=index, committed_offset=offset, committed_metadata=""
            )
            for index, offset in enumerate(offsets)
        ]
        asked = OffsetCommitRequest(
            group_id=self.group, generation_id_or_member_epoch=self.epoch,
            member_id=self.member_id,
            topics=[OffsetCommitRequestTopic(name=topic, partitions=partitions)],
        )  # fmt: skip
        version = 9 if self.kind != CLASSIC else 2 + self.version
        return self.frame(ApiKey.OFFSET_COMMIT, version, asked)

    def produces(self, batch: bytes, version: int, acks: int = 1) -> bytes:
        data = PartitionProduceData(index=self.number % 2, records=batch)
        topic = TopicProduceData(name="dogs", topic_id=self.topic_id, partition_data=[data])
        asked = ProduceRequest(acks=acks, timeout_ms=1000, topic_data=[topic])
        return self.frame(ApiKey.PRODUCE, version, asked, answered=acks != 0)

    def fetches(self, offset: int) -> bytes:
        one = FetchPartition(
            partition=self.number % 2, fetch_offset=offset, partition_max_bytes=1 << 20
        )
        topic = FetchTopic(topic="dogs", partitions=[one])
        asked = FetchRequest(max_wait_ms=0, min_bytes=0, max_bytes=1 << 20, topics=[topic])
        return self.frame(ApiKey.FETCH, 4, asked)

    def hear(self, received: bytes) -> None:
        """Take in all responses of an event."""
        while received:
            size = 4 + int.from_bytes(received[:4])
            key, version = self.waiting.pop(0)
            _, reported = decode_response(key, version, received[4:size])
            received = received[size:]
            if key is ApiKey.JOIN_GROUP:
                self.member_id, self.epoch = reported.member_id, reported.generation_id  # type: ignore[attr-defined]
            elif key in {one[0] for one in BEATS.values()} and not reported.error_code:  # type: ignore[attr-defined]
                self.epoch = max(0, reported.member_epoch)  # type: ignore[attr-defined]


class Conversations:
    """The same with both."""

    def __init__(self, kind: type[Side] = Side) -> None:
        self.sides = (kind(Quick), kind(Ordinary))
        self.members = [Member(number) for number in range(CLIENTS)]
        self.volatile = [0] * CLIENTS

    def send(self, number: int, *frames: bytes, cut: int = 0, goes_on: bool = False) -> None:
        """Frames of one client, in one event, or in two where they are cut.

        `goes_on`: what comes next is of the same turn of the loop.
        """
        data = b"".join(frames)
        for side in self.sides:
            for piece in (data[:cut], data[cut:]):
                if piece:
                    side.channels[number].arrive(piece)
        if not goes_on:
            self.end_turn()

    def end_turn(self) -> None:
        for side in self.sides:
            side.timers.run_soon()
            for channel in side.channels:
                channel.let_arrive()
            side.timers.run_soon()
        self.compare()

    def compare(self) -> None:
        quick, ordinary = self.sides
        for number, member in enumerate(self.members):
            sent = bytes(ordinary.channels[number].sent)
            assert bytes(quick.channels[number].sent) == sent
            assert quick.channels[number].closed == ordinary.channels[number].closed
            member.hear(sent[self.volatile[number] :])
            self.volatile[number] = len(sent)

    def join(self, number: int, kind: str) -> None:
        member = self.members[number]
        member.kind = kind
        self.send(number, *member.joins())
        self.pass_time(0.001)
        for each in self.members if kind == CLASSIC else ():
            if each.kind == CLASSIC and each.member_id:
                self.send(each.number, each.syncs())

    def pass_time(self, seconds: float) -> None:
        for side in self.sides:
            side.clock.seconds += seconds
            side.timers.advance(seconds)
        self.end_turn()

    def change(self, what: str, value: int) -> None:
        """Something that clients did not ask for here; it fails where the disk is full."""
        for side in self.sides:
            with suppress(StorageError, BrokerError):
                _change(side, what, value)
        self.end_turn()

    def end(self) -> None:
        quick, ordinary = self.sides
        assert quick.sessions() == ordinary.sessions()
        assert quick.files() == ordinary.files()
        for _ in range(5):
            self.pass_time(20)
            assert quick.sessions() == ordinary.sessions()
        assert quick.files() == ordinary.files()


def _change(side: Side, what: str, value: int) -> None:
    broker, topic = side.broker, side.broker.topics.get("dogs")
    match what:
        case "topic" if broker.topics.get(f"topic-{value}") is None:
            broker.topics.create(f"topic-{value}", {0: [1]}, {})
        case "interval":
            for kind in KINDS[1:]:
                own = {f"{kind}.heartbeat.interval.ms": str(5_000 + value)}
                change_properties(broker, ResourceKind.GROUP, f"group-{kind}", own)
        case "quota":
            limit = 1e9 if value else None
            change_client_quotas(broker, None, {"request_percentage": limit})
        case "disk":
            side.disk.is_full = bool(value)
        case "flushed":
            side.disk.end_syncs()
        case "dogs" if topic is None:
            broker.topics.create("dogs", {0: [1], 1: [1]}, {})
        case _:
            if topic is not None:
                _change_dogs(broker, what, value)


def _change_dogs(broker: Broker, what: str, value: int) -> None:
    partition = broker.replicas.find("dogs", value % 2)
    match what:
        case "delete" if not value:
            broker.topics.delete("dogs")
        case "stamps":
            own = ("CreateTime", "LogAppendTime")[value % 2]
            broker.topics.configure("dogs", {"message.timestamp.type": own})
        case "size":
            broker.topics.configure("dogs", {"max.message.bytes": str(100 + 400 * value)})
        case "flush":
            broker.topics.configure("dogs", {"flush.messages": "1"} if value else {})
        case "start" if partition is not None:
            partition.log.delete_before(min(value, partition.log.high_watermark))
        case "epoch" if partition is not None:
            partition.leader_epoch += 1


class Says(NamedTuple):
    """One event: requests of a client, some of which repeat earlier ones."""

    number: int
    what: tuple[str, ...]
    offset: int = 0
    cut: int = 0
    goes_on: bool = False

    def to(self, both: Conversations) -> None:
        member = both.members[self.number]
        frames = {"beat": member.beat, "commit": lambda: member.commits([self.offset, 7])}
        data = [frames[one]() for one in self.what]
        both.send(self.number, *data, cut=self.cut, goes_on=self.goes_on)


class Joins(NamedTuple):
    number: int
    kind: str
    version: int

    def to(self, both: Conversations) -> None:
        both.members[self.number].version = self.version
        both.join(self.number, self.kind)


class Passes(NamedTuple):
    seconds: float

    def to(self, both: Conversations) -> None:
        both.pass_time(self.seconds)


class Changes(NamedTuple):
    what: str
    value: int

    def to(self, both: Conversations) -> None:
        both.change(self.what, self.value)


class Batch(NamedTuple):
    """What a Produce request has: from an idempotent producer, damaged, compressed."""

    values: tuple[bytes, ...]
    kind: str

    def made(self, member: Member) -> bytes:
        data = bytearray(batch(*self.values, timestamp=1_000_000))
        match self.kind:
            case "damaged":
                data[-1] ^= 1
            case "two":
                data += bytes(data)
            case "short":
                del data[40:]
            case "empty":
                return b""
            case "sequenced" | "repeated" | "out of order":
                ahead = {"sequenced": 0, "repeated": -len(self.values), "out of order": 7}
                sequence = max(0, member.sequence + ahead[self.kind])
                data[43:57] = pack(">qhi", 1000 + member.number, 0, sequence)
                data[17:21] = crc32c(bytes(data[21:])).to_bytes(4)
                if self.kind == "sequenced":
                    member.sequence += len(self.values)
            case "gzip":
                records = gzip.compress(bytes(data[61:]), mtime=0)
                data[61:] = records
                data[22] |= 1
                data[8:12] = pack(">i", len(data) - 12)
                data[17:21] = crc32c(bytes(data[21:])).to_bytes(4)
            case _:
                assert self.kind == "plain"
        return bytes(data)


class Produces(NamedTuple):
    """One event: batches for one partition, and a fetch of what is there behind them."""

    number: int
    batches: tuple[Batch, ...]
    version: int
    acks: int = 1
    fetches: bool = False
    cut: int = 0
    goes_on: bool = False

    def to(self, both: Conversations) -> None:
        member = both.members[self.number]
        topic = both.sides[0].broker.topics.get("dogs")
        by_id = self.version >= 13 and topic is not None
        member.topic_id = topic.topic_id if by_id and topic is not None else bytes(16)
        made = [each.made(member) for each in self.batches]
        data = [member.produces(each, self.version, self.acks) for each in made]
        data += [member.fetches(0)] if self.fetches else []
        if both.sides[0].disk.is_full:
            # What is known is written before the rest is read: the rest may find the log offline.
            for each in data:
                both.send(self.number, each)
        else:
            both.send(self.number, *data, cut=self.cut, goes_on=self.goes_on)


CHANGES = [
    "topic", "interval", "quota", "disk", "delete", "dogs", "stamps", "size", "flush", "start",
    "epoch", "flushed",
]  # fmt: skip
FAULTS = ["damaged", "two", "short", "empty", "sequenced", "repeated", "out of order", "gzip"]
BATCHES = st.builds(
    Batch,
    st.lists(st.binary(max_size=200), min_size=1, max_size=3).map(tuple),
    st.sampled_from(["plain"] * 8 + FAULTS + ["sequenced"] * 4),
)
NUMBERS = st.integers(0, CLIENTS - 1)
SAYS = st.builds(
    Says,
    NUMBERS,
    st.lists(st.sampled_from(["beat", "beat", "commit"]), min_size=1, max_size=4).map(tuple),
    st.integers(0, 2**40),
    st.sampled_from([0, 0, 0, 1, 20, 60, 100]),
    st.booleans(),
)
PRODUCES = st.builds(
    Produces,
    NUMBERS,
    st.lists(BATCHES, min_size=1, max_size=5).map(tuple),
    st.sampled_from([3, 5, 7, 8, 9, 9, 9, 10, 12, 13]),
    st.sampled_from([1, 1, 1, -1, 0, 2]),
    st.booleans(),
    st.sampled_from([0, 0, 0, 1, 20, 60, 100, 150]),
    st.booleans(),
)
Event = Says | Joins | Passes | Changes | Produces
EVENTS = st.one_of(
    SAYS,
    SAYS,
    SAYS,
    PRODUCES,
    PRODUCES,
    PRODUCES,
    st.builds(Joins, NUMBERS, st.sampled_from(KINDS), st.integers(0, 4)),
    st.builds(Passes, st.sampled_from([0.0, 3.0, 3.0, 20.0, 60.0])),
    st.builds(
        Changes,
        st.sampled_from(CHANGES),
        st.integers(0, 3),
    ),
)


def beats(number: int, count: int = 1) -> Says:
    return Says(number, ("beat",) * count)


def known(number: int, kind: str) -> list[Event]:
    """A member joins, and its heartbeats are known."""
    return [Joins(number, kind, 4), *[beats(number)] * 3]


FULL, FLUSHED = Changes("disk", 1), Changes("flushed", 0)
OTHERS_COMMIT = Says(1, ("commit",), goes_on=True)


ONE = Batch((b"woof",), "plain")


def committed(number: int, kind: str) -> list[Event]:
    """A member joins, and its commits are known."""
    return [*known(number, kind), *[Says(number, ("commit",), offset) for offset in range(4)]]


def produced(version: int, *batches: Batch) -> list[Event]:
    """A Produce request is known, and then comes with these."""
    return [*[Produces(0, (ONE,), version)] * 3, Produces(0, batches or (ONE,), version)]


@settings(deadline=None)
@example(events=[*committed(0, CLASSIC), Says(0, ("commit",) * 3, 9)])
@example(events=[*committed(0, CONSUMER), Says(0, ("commit", "beat", "commit"), 9)])
@example(events=[*committed(0, CONSUMER), FULL, Says(0, ("commit",), 9), Says(0, ("commit",), 9)])
@example(events=[*committed(0, STREAMS), Changes("delete", 0), Says(0, ("commit",) * 2, 9)])
@example(events=[*committed(0, CLASSIC), Joins(1, CLASSIC, 4), Says(0, ("commit",) * 2, 9)])
@example(events=[*committed(0, CLASSIC), OTHERS_COMMIT, Says(0, ("commit",), 9), Passes(90)])
@example(events=[*committed(0, CLASSIC), Says(0, ("commit",), 9, goes_on=True), *produced(9), FULL])
@example(events=[*produced(9), *committed(0, CLASSIC), FULL, Says(0, ("commit",), 9), *produced(9)])
@example(events=[*committed(0, CLASSIC), Passes(60), Says(0, ("commit",) * 2, 9)])
@example(events=[*committed(0, CONSUMER), Passes(60), Says(0, ("commit",) * 2, 9)])
@example(events=[*committed(0, SHARE)])
@example(events=[*produced(9, *[Batch((b"woof",), kind) for kind in FAULTS])])
@example(events=[*produced(5), FULL, *produced(5), Produces(0, (ONE, ONE), 5)])
@example(events=[*produced(7), Changes("start", 2), *produced(7)])
@example(events=[*produced(13), Changes("delete", 0), Changes("dogs", 0), *produced(13)])
@example(events=[*produced(9), Changes("delete", 0), *produced(9)])
@example(events=[*produced(9), Changes("delete", 0), Changes("dogs", 0), *produced(9)])
@example(events=[Changes("stamps", 1), *produced(8), Passes(3), *produced(8), Changes("epoch", 0)])
@example(events=[Produces(0, (ONE,), 9, acks) for acks in [0, 0, 0, -1, -1, -1, 2, 2, 2]])
@example(events=[*produced(9), Changes("flush", 1), *[Produces(0, (ONE,), 9), FLUSHED] * 3])
@example(events=[*produced(3), Changes("size", 0), *produced(3, Batch((bytes(150),), "plain"))])
@example(events=[*produced(9), Produces(0, (ONE, ONE), 9, 1, fetches=True), *produced(9, ONE, ONE)])
@example(events=[*known(0, CLASSIC), Joins(1, CLASSIC, 2), beats(0, 2), beats(1)])
@example(events=[*known(0, CONSUMER), Changes("interval", 1), Passes(3), beats(0), beats(0)])
@example(events=[*known(0, SHARE), Changes("interval", 1), Passes(3), beats(0), beats(0)])
@example(events=[*known(0, STREAMS), Changes("interval", 1), Passes(3), beats(0), beats(0)])
@example(events=[*known(0, CONSUMER), *known(1, CLASSIC), FULL, OTHERS_COMMIT, beats(0)])
@example(events=[*known(0, SHARE), FULL, Says(0, ("commit", "beat")), beats(0)])
@example(events=[*known(0, STREAMS), Changes("quota", 1), beats(0), Changes("quota", 0), beats(0)])
@given(events=st.lists(EVENTS, max_size=30))
def test_both_ways_come_to_the_same(events: Iterable[Event]) -> None:
    both = Conversations()
    for event in events:
        event.to(both)
    both.end()


@pytest.mark.parametrize("kind", KINDS)
def test_idle_heartbeats_are_not_read(kind: str) -> None:
    both = Conversations()
    Joins(0, kind, 4).to(both)
    for _ in range(10):
        beats(0, 2).to(both)
        both.pass_time(3)
    assert Ordinary.read - Quick.read >= 16


def test_repeated_records_are_appended_without_being_read() -> None:
    both = Conversations()
    for event in produced(9, *[ONE] * 5):
        event.to(both)
    assert (Quick.read, Ordinary.read) == (2, 8)
    both.end()


@pytest.mark.parametrize("kind", [CLASSIC, CONSUMER, STREAMS])
def test_repeated_commits_are_not_read(kind: str) -> None:
    both = Conversations()
    for event in committed(0, kind):
        event.to(both)
    before = Quick.read, Ordinary.read
    for offset in (7, 2**40, -1):
        Says(0, ("commit", "commit"), offset).to(both)
    assert (Quick.read, Ordinary.read) == (before[0], before[1] + 6)
    both.end()


def test_commits_that_are_written_in_another_way_are_always_read() -> None:
    both = Conversations()
    for event in committed(0, CONSUMER):
        event.to(both)
    before = Quick.read
    for offset in range(5):
        frame = both.members[0].commits([offset, offset])
        # "No tagged fields" in two bytes, where one would do.
        body = frame[4:-1] + b"\x80\x00"
        both.send(0, len(body).to_bytes(4) + body)
    assert Quick.read == before + 5
    both.end()


def test_frames_above_the_largest_are_left_to_the_ordinary_way() -> None:
    frame, response = bytes(4) + b"\0\0\0\1" + b"woof", bytes(8)
    received = memoryview(len(frame).to_bytes(4) + frame)
    for largest, end in ((len(frame), len(received)), (len(frame) - 1, 0)):
        repeats = Repeats(largest)
        repeats.learn(frame, response, lambda: True)
        assert repeats.take(received, 0, len(received), [], []) == end


def test_what_is_answered_is_counted_by_its_api() -> None:
    counts = RepeatCounts()
    repeats = Repeats(100, counts)
    heartbeat, commit = b"\0\14\0\4" + b"\0\0\0\1" + b"woof", b"\0\10\0\2" + b"\0\0\0\2"
    repeats.learn(heartbeat, bytes(8), lambda: True)
    repeats.learn(commit, bytes(8), lambda: False)
    frames = [heartbeat, heartbeat, commit]
    received = memoryview(b"".join(len(one).to_bytes(4) + one for one in frames))
    assert repeats.take(received, 0, len(received), [], []) == 2 * (4 + len(heartbeat))
    assert (counts.of(12), counts.of(8)) == ((2, 2 * len(heartbeat)), (0, 0))
