"""Commits that come together: the same replies, records and state, whichever way they go."""

import struct
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from barnabas.broker.apis import offset_commit
from barnabas.broker.broker import Broker
from barnabas.broker.connections.connection import ClientConnection
from barnabas.broker.connections.listener_dialects import spoken
from barnabas.broker.purgatory.purgatory import Unwritten
from barnabas.broker.requests import commit_runs
from barnabas.coordinators.offsets.offset_records import CommittedOffset, Position
from barnabas.dialects.commands import CommitRow
from barnabas.errors import ErrorCode
from barnabas.log.segments.log_config import LogConfig
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from barnabas.protocol.headers import RequestHeader, decode_response, encode_request
from barnabas.protocol.heartbeat import HeartbeatRequest
from barnabas.protocol.join_group import (
    JoinGroupRequest,
    JoinGroupRequestProtocol,
    JoinGroupResponse,
)
from barnabas.protocol.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from barnabas.protocol.sync_group import SyncGroupRequest
from barnabas.runtime.connections.connection import Connection
from barnabas.runtime.connections.departures import Departures
from barnabas.runtime.connections.memory import ConnectionMemory
from tests.unit.broker.groups.test_offsets import Around, Started
from tests.unit.broker.in_memory import Counting, StillClock
from tests.unit.runtime.manual_timers import ManualTimers
from tests.unit.runtime.scripted_channel import ScriptedChannel

NO_ID = bytes(16)


class Ask(NamedTuple):
    """A commit."""

    group: str
    topic: str
    partition: int
    offset: int
    who: tuple[str, int] = ("", -1)
    instance: str | None = None
    metadata: str = ""


class Side:
    """A broker whose clients' commits go one way; everything else is as on the other side."""

    def __init__(self, path: Path, *, together: bool, **properties: str) -> None:
        path.mkdir()
        self.clock, self.timers = StillClock(), ManualTimers()
        joined = {"group.initial.rebalance.delay.ms": "0", **properties}
        self.started = Started(path, Around(self.clock, Counting(), self.timers), **joined)
        self.broker = self.started.broker
        self.together = together
        self.memory, self.departures = (
            ConnectionMemory(1 << 20),
            Departures(self.timers, lambda: self.timers.now),
        )
        self.channels: list[ScriptedChannel] = []
        self.numbers = 0

    def client(self) -> ScriptedChannel:
        channel = ScriptedChannel()
        connection = Connection(channel, self.memory, self.departures, max_frame_bytes=1 << 20)
        client = ClientConnection(
            self.broker,
            spoken("kafka", self.broker),
            connection,
            listener="PLAINTEXT",
            number=len(self.channels),
            on_gone=lambda _: None,
        )
        connection.serve(client, client.lone)
        if self.together:
            connection.several = client.on_several
        self.channels.append(channel)
        return channel

    def frame(self, key: ApiKey, version: int, request: object, client_id: str = "c") -> bytes:
        self.numbers += 1
        header = RequestHeader(key, version, self.numbers, client_id)
        return encode_request(header, request).joined()

    def turn(self, *events: tuple[ScriptedChannel, bytes]) -> None:
        for channel, frames in events:
            channel.arrive(frames)
        self.timers.run_soon()
        self.timers.advance(0)
        self.timers.run_soon()

    def join(self, group_id: str, instance_id: str | None = None) -> tuple[str, int]:
        """One member of a new group, and its generation."""
        channel = self.client()
        request = JoinGroupRequest(
            group_id=group_id, member_id="", session_timeout_ms=10_000, rebalance_timeout_ms=10_000,
            protocol_type="consumer", group_instance_id=instance_id,
            protocols=[JoinGroupRequestProtocol(name="range", metadata=b"")],
        )  # fmt: skip
        version = 5 if instance_id else 2
        self.turn((channel, self.frame(ApiKey.JOIN_GROUP, version, request)))
        _, joined = decode_response(ApiKey.JOIN_GROUP, version, bytes(channel.sent)[4:])
        assert isinstance(joined, JoinGroupResponse)
        return joined.member_id, joined.generation_id

    def sync(self, group_id: str, member: tuple[str, int]) -> None:
        request = SyncGroupRequest(
            group_id=group_id, member_id=member[0], generation_id=member[1], assignments=[]
        )
        self.turn((self.client(), self.frame(ApiKey.SYNC_GROUP, 2, request)))

    def commits(self, version: int, *positions: Ask, client_id: str = "c") -> bytes:
        """Frames of a commit each."""
        return b"".join(self._commit(version, one, client_id) for one in positions)

    def _commit(self, version: int, ask: Ask, client_id: str) -> bytes:
        found = self.broker.topics.get(ask.topic)
        partition = OffsetCommitRequestPartition(
            partition_index=ask.partition, committed_offset=ask.offset, committed_leader_epoch=3,
            committed_metadata=ask.metadata,
        )  # fmt: skip
        topic = OffsetCommitRequestTopic(
            name=ask.topic, topic_id=found.topic_id if found else NO_ID, partitions=[partition]
        )
        request = OffsetCommitRequest(
            group_id=ask.group, member_id=ask.who[0], generation_id_or_member_epoch=ask.who[1],
            group_instance_id=ask.instance, topics=[topic],
        )  # fmt: skip
        return self.frame(ApiKey.OFFSET_COMMIT, version, request, client_id)

    def state(self) -> list[object]:
        """All that may differ: what each client got, what is kept, what is in the files."""
        made: list[object] = [bytes(one.sent) for one in self.channels]
        made.append([one.closed for one in self.channels])
        for held in self.broker.groups.all():
            log = held.partition.log
            found = log.read(0, 1 << 20, max_offset=log.written_end, min_one=True).records
            made.append(found and found.file.read(found.position, found.size))
            shard = held.shard
            for group_id in shard.offsets.groups():
                positions = shard.offsets.positions(group_id)
                made.append((group_id, positions, shard.offsets.fetch(group_id, positions)))
            for group in shard.groups():
                due = [one.silent_until for one in group.members.values()]
                made.append((group.group_id, group.due, due))
        return made


class Both:
    """The two ways side by side.

    `taken` has for each run on the short one whether it was taken, `alone` for those of one request.
    """

    def __init__(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path = path
        self.taken: list[bool] = []
        self.alone: list[bool] = []
        self.sides: list[Side] = []

        def watched(broker: Broker, rows: list[CommitRow], *, by_id: bool) -> Unwritten | None:
            if not next(side.together for side in self.sides if side.broker is broker):
                return None
            outcome = commit_runs.commit_run(broker, rows, by_id=by_id)
            (self.taken if len(rows) > 1 else self.alone).append(outcome is not None)
            return outcome

        monkeypatch.setattr(offset_commit, "commit_run", watched)

    def begin(self, **properties: str) -> list[Side]:
        self.sides = [
            Side(self.path / str(together), together=together, **properties)
            for together in (False, True)
        ]
        return self.sides

    def agree(self) -> None:
        one, other = (side.state() for side in self.sides)
        assert one == other


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Both]:
    made = Both(tmp_path, monkeypatch)
    yield made
    for side in made.sides:
        side.started.stop()


def codes(channel: ScriptedChannel, version: int) -> list[int]:
    """What a client was told, of one partition each."""
    data, found = bytes(channel.sent), []
    while data:
        (size,) = struct.unpack_from(">i", data)
        _, answer = decode_response(ApiKey.OFFSET_COMMIT, version, data[4 : 4 + size])
        assert isinstance(answer, OffsetCommitResponse)
        found += [one.error_code for topic in answer.topics for one in topic.partitions]
        data = data[4 + size :]
    return found


@pytest.mark.parametrize("version", [8, 9, 10])
def test_several_groups_and_clients_of_one_turn(both: Both, version: int) -> None:
    for side in both.begin():
        side.broker.topics.create("cats", {0: [1]}, {})
        first, second = side.client(), side.client()
        side.turn(
            (first, side.commits(version, Ask("a", "dogs", 0, 1), Ask("a", "dogs", 1, 2))),
            (second, side.commits(version, *(Ask(f"g{n}", "dogs", n % 2, n) for n in range(9)))),
        )
        side.turn(
            (second, side.commits(version, Ask("a", "dogs", 0, 3), Ask("b", "dogs", 0, 4),
                                  Ask("a", "dogs", 0, 5), Ask("a", "cats", 0, 6), Ask("a", "dogs", 1, 7))),
            (first, side.commits(version, Ask("b", "dogs", 0, 8, ("", -1), None, "told"))),
        )  # fmt: skip
        assert codes(first, version) == [0] * 3
        assert codes(second, version) == [0] * 14
        kept = side.broker.offsets.fetch("a", [Position("dogs", 0), Position("cats", 0)])
        assert [one and one.offset for one in kept] == [5, 6]
    assert both.taken == [True] * 3
    both.agree()


def test_members_are_heard(both: Both) -> None:
    for side in both.begin():
        member = side.join("pack")
        side.sync("pack", member)
        static = side.join("kennel", "rex")
        side.sync("kennel", static)
        side.clock.seconds += 4
        channel = side.client()
        mine = [Ask("pack", "dogs", n, 5 + n, member) for n in range(2)]
        theirs = [Ask("kennel", "dogs", n, 7 + n, static, "rex") for n in range(2)]
        side.turn((channel, side.commits(9, *mine, *theirs)))
        assert codes(channel, 9) == [0] * 4
    assert both.taken == [True]
    both.agree()


REFUSED: dict[str, Ask] = {
    "a topic that is not there": Ask("a", "birds", 0, 1),
    "a partition that is not there": Ask("a", "dogs", 7, 1),
    "a member of nothing": Ask("a", "dogs", 0, 1, ("m", 1)),
    "from outside of a group with members": Ask("pack", "dogs", 0, 1),
    "no member": Ask("pack", "dogs", 0, 1, ("m", 1)),
    "fenced": Ask("pack", "dogs", 0, 1, ("m", 1), "rex"),
    "metadata that are too long": Ask("a", "dogs", 0, 1, ("", -1), None, "x" * 120),
}


@pytest.mark.parametrize("version", [9, 10])
@pytest.mark.parametrize("why", REFUSED)
def test_what_is_refused_is_left_to_the_longer_way(both: Both, why: str, version: int) -> None:
    for side in both.begin(**{"offset.metadata.max.bytes": "100"}):
        side.sync("pack", side.join("pack", "rex"))
        channel = side.client()
        side.turn((channel, side.commits(version, Ask("a", "dogs", 0, 1), REFUSED[why])))
        first, second = codes(channel, version)
        assert (first, bool(second)) == (0, True)
        side.turn((channel, side.commits(version, Ask("a", "dogs", 1, 1))))
        side.turn((channel, side.commits(version, REFUSED[why])))
        first, second = codes(channel, version)[2:]
        assert (first, bool(second)) == (0, True)
    assert both.taken == [False]
    assert both.alone == [True, False] * 2
    both.agree()


def test_a_group_amid_a_rebalance(both: Both) -> None:
    for side in both.begin():
        member = side.join("pack")
        channel = side.client()
        side.turn(
            (channel, side.commits(9, *(Ask("pack", "dogs", n, 1, member) for n in range(2))))
        )
        assert codes(channel, 9) == [ErrorCode.REBALANCE_IN_PROGRESS] * 2
    assert both.taken == [False]
    both.agree()


def test_a_group_whose_broker_assigns(both: Both) -> None:
    for side in both.begin():
        beat = ConsumerGroupHeartbeatRequest(
            group_id="pack", member_id="m", member_epoch=0, rebalance_timeout_ms=10_000,
            subscribed_topic_names=["dogs"], topic_partitions=[],
        )  # fmt: skip
        side.turn((side.client(), side.frame(ApiKey.CONSUMER_GROUP_HEARTBEAT, 1, beat)))
        channel = side.client()
        mine = [Ask("pack", "dogs", n, 1, ("m", epoch)) for n, epoch in enumerate((2, 1))]
        side.turn((channel, side.commits(9, *mine)))
        side.turn((channel, side.commits(9, Ask("pack", "dogs", 1, 1))))
        assert codes(channel, 9) == [0, ErrorCode.STALE_MEMBER_EPOCH, ErrorCode.UNKNOWN_MEMBER_ID]
    assert both.taken == [False]
    assert both.alone == [False] * 3
    both.agree()


def test_what_is_not_read_as_one(both: Both) -> None:
    for side in both.begin():
        channel = side.client()
        one = Ask("a", "dogs", 0, 1)
        asked = HeartbeatRequest(group_id="a", generation_id=1, member_id="m")
        beat = side.frame(ApiKey.HEARTBEAT, 4, asked)
        side.turn((channel, side.commits(9, one, one) + beat))
        side.turn((channel, side.commits(9, one) + side.commits(8, one)))
        side.turn((channel, side.commits(9, one) + side.commits(9, one, client_id="d")))
        side.turn((channel, side.commits(7, one, one)))
        whole = side.commits(9, one, one)
        side.turn((channel, whole[:-5]))
        side.turn((channel, whole[-5:]))
        side.turn((channel, side.commits(9, one)))
        two = OffsetCommitRequestPartition(
            partition_index=0, committed_offset=9, committed_metadata=None
        )
        request = OffsetCommitRequest(
            group_id="a", topics=[OffsetCommitRequestTopic(name="dogs", partitions=[two, two])]
        )
        side.turn((channel, side.commits(9, one) + side.frame(ApiKey.OFFSET_COMMIT, 9, request)))
        side.turn((channel, side.commits(9, *[one] * 257)))
    assert both.taken == []
    assert all(both.alone)
    assert len(both.alone) == 267
    both.agree()


def test_what_shows_when_it_is_flushed_and_small_batches(both: Both) -> None:
    for side in both.begin():
        side.broker.groups.prepare()
        channel = side.client()
        for number, (name, value) in enumerate(
            [("max_message_bytes", 1000), ("flush_messages", 1 << 40)]
        ):
            for held in side.broker.groups.all():
                log = held.partition.log
                log.config = replace(LogConfig(), **{name: value})  # type: ignore[arg-type]
            side.turn(
                (channel, side.commits(9, Ask("a", "dogs", 0, number), Ask("b", "dogs", 0, 1)))
            )
        assert codes(channel, 9) == [0] * 4
    assert both.taken == [False] * 2
    both.agree()


def test_quotas_have_each_measured(both: Both) -> None:
    for side in both.begin():
        channel = side.client()
        side.broker.quotas.in_force = True
        side.turn((channel, side.commits(9, Ask("a", "dogs", 0, 1), Ask("b", "dogs", 0, 1))))
        side.timers.run_soon()
        assert codes(channel, 9) == [0] * 2
    assert both.taken == []


def test_a_partition_that_fails(both: Both) -> None:
    """Those in other partitions are kept."""
    for side in both.begin():
        channel = side.client()
        side.turn((channel, side.commits(9, Ask("a", "dogs", 0, 1))))
        failing = side.broker.groups.of("a").partition.log
        failing.segments.active.file.close()
        groups = [f"g{number}" for number in range(8)]
        side.turn((channel, side.commits(9, *(Ask(one, "dogs", 0, 2) for one in groups))))
        told = codes(channel, 9)[1:]
        wrong = {ErrorCode.COORDINATOR_NOT_AVAILABLE}
        expected = [
            wrong if side.broker.groups.of(one).partition.log is failing else {ErrorCode.NONE}
            for one in groups
        ]
        assert [{code} for code in told] == expected
        kept = [side.broker.offsets.fetch(one, [Position("dogs", 0)])[0] for one in groups]
        assert [one is not None for one in kept] == [code == 0 for code in told]
        assert len(set(told)) == 2
    assert both.taken == [True]
    one, other = (bytes(side.channels[0].sent) for side in both.sides)
    assert one == other


def test_an_offset_of_an_open_transaction_is_outdated(both: Both) -> None:
    for side in both.begin():
        channel = side.client()
        shard = side.broker.groups.of("a").shard
        side.turn((channel, side.commits(9, Ask("a", "dogs", 0, 1))))
        old = CommittedOffset(7, 0, "", 0)
        shard.offsets._pending.add(77, "a", Position("dogs", 0), old)
        shard.offsets._pending.add(77, "a", Position("dogs", 1), old)
        side.turn((channel, side.commits(9, Ask("a", "dogs", 0, 2), Ask("b", "dogs", 0, 2))))
        shard.offsets.end_transaction(77, committed=True)
        kept = shard.offsets.fetch("a", [Position("dogs", 0), Position("dogs", 1)])
        assert [one and one.offset for one in kept] == [2, 7]
    assert both.taken == [True]
    both.agree()
