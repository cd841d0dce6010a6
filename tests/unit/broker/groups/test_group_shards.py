"""What groups are when a record that says so could not be written: what the log says."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from barnabas.broker.groups.group_shards import GroupShards
from barnabas.broker.purgatory.pending import Pending
from barnabas.coordinators.classic_group.group import ClassicGroup
from barnabas.coordinators.classic_group.group_states import GroupState
from barnabas.coordinators.classic_group.settings import GroupSettings
from barnabas.coordinators.classic_group.snapshot import record_of
from barnabas.coordinators.common.shard import Replayed
from barnabas.coordinators.common.topic_partitions import TopicIdPartition
from barnabas.coordinators.consumer_group.heartbeats import ConsumerHeartbeat
from barnabas.coordinators.share_group.groups import ShareHeartbeat, ShareSettings
from barnabas.coordinators.share_state.states import StateKey
from barnabas.coordinators.streams_group.heartbeats import StreamsHeartbeat, StreamsHeartbeatReply
from barnabas.coordinators.streams_group.settings import StreamsSettings
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.delete_topics import DeleteTopicsRequest, DeleteTopicState
from barnabas.wire.schema import NO_UUID
from tests.unit.broker.groups.test_offsets import Started
from tests.unit.coordinators.streams_group.a_topology import part, topology

NOT_WRITTEN = ErrorCode.COORDINATOR_NOT_AVAILABLE
SHARED = ShareSettings(session_ms=1000, heartbeat_ms=100, assignment_interval_ms=0, max_size=10)


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    """With a consumer group, a share group and a classic one that nobody is in any more."""
    one = Started(tmp_path)
    groups = one.broker.groups
    held, share = groups.of("g"), groups.of("s")
    for epoch in (0, -1):
        topics = None if epoch else ("dogs",)
        who = {"member_id": "m", "epoch": epoch, "client_id": "c", "client_host": "/h"}
        beat = ConsumerHeartbeat(group_id="g", topics=topics, rebalance_timeout_ms=500, **who)  # type: ignore[arg-type]
        groups.append(held, held.shard.consumer.heartbeat(beat, None, 0).records, print)
        asked = ShareHeartbeat(group_id="s", topics=topics, **who)  # type: ignore[arg-type]
        groups.append(share, share.shard.share.heartbeat(asked, SHARED, 0).records, print)
    classic = ClassicGroup("c", GroupSettings(0, 10), generation=3, protocol_type="consumer")
    ended = groups.of("c")
    ended.shard.replay(*record_of(classic))
    groups.append(ended, [record_of(classic)], print)
    groups.write()
    yield one
    one.stop()


def test_of_a_topic_that_is_deleted_nothing_is_kept_for_share_groups(started: Started) -> None:
    broker = started.broker
    place = TopicIdPartition(started.topic_id(), 1)
    broker.shares.partitions.find(StateKey("s", place))
    broker.shares.partitions.stored.move(StateKey("other", place), 0, lambda _code: None)
    broker.replicas.write()
    assert broker.shares.partitions.stored.start_of(StateKey("s", place)) == 0
    gone = DeleteTopicState(name="dogs", topic_id=NO_UUID)
    started.ask(ApiKey.DELETE_TOPICS, 6, DeleteTopicsRequest(topics=[gone], timeout_ms=1))
    for group in ("s", "other"):
        assert broker.shares.partitions.stored.start_of(StateKey(group, place)) is None
    assert broker.shares.offsets.group("s").read == frozenset()


def test_an_answer_waits_for_what_was_queued_before_it(started: Started) -> None:
    groups = started.broker.groups
    held, nothing_new = groups.of("c"), Replayed("reply")
    received: list[object] = []
    assert groups.keep(held, nothing_new, lambda reply: reply) == "reply"
    groups.append(held, [record_of(ClassicGroup("d", GroupSettings(0, 10)))], received.append)
    assert isinstance(groups.keep(held, nothing_new, received.append), Pending)
    assert received == []
    groups.write()
    assert received == [ErrorCode.NONE, "reply"]


@pytest.fixture
def failing(started: Started, monkeypatch: pytest.MonkeyPatch) -> Started:
    def fail(
        _self: object,
        _held: object,
        _records: object,
        _replay: object,
        received: Callable[[ErrorCode], None],
    ) -> None:
        received(NOT_WRITTEN)

    monkeypatch.setattr(GroupShards, "_append", fail)
    return started


def test_groups_that_could_not_be_deleted_are_there(failing: Started) -> None:
    steps = failing.broker.group_removal.delete_groups(["g"])
    assert failing.broker.stepping.run(steps) == {"g": NOT_WRITTEN}
    assert failing.broker.groups.of("g").shard.consumer.get("g") is not None


def test_a_classic_group_that_could_not_be_deleted_is_there(failing: Started) -> None:
    steps = failing.broker.group_removal.delete_groups(["c"])
    assert failing.broker.stepping.run(steps) == {"c": NOT_WRITTEN}
    group = failing.broker.groups.of("c").shard.group("c")
    assert group is not None
    assert (group.state, group.generation) == (GroupState.EMPTY, 3)


def test_groups_that_could_not_expire_are_there(failing: Started) -> None:
    [*failing.broker.offsets.expire()]
    assert failing.broker.groups.of("g").shard.consumer.get("g") is not None


def test_what_share_groups_have_read_is_what_is_written(failing: Started) -> None:
    broker = failing.broker
    place = TopicIdPartition(failing.topic_id(), 0)
    before = broker.shares.offsets.group("s").read
    assert place in before
    broker.stepping.run(broker.shares.offsets.forget("s", [place]))
    assert broker.shares.offsets.group("s").read == before


def test_a_streams_member_whose_join_could_not_be_written_is_none(failing: Started) -> None:
    asked = StreamsHeartbeat(
        group_id="app",
        member_id="m",
        epoch=0,
        client_id="c",
        client_host="/h",
        topology=topology(part("0", "dogs")),
        rebalance_timeout_ms=500,
    )
    held = failing.broker.groups.of("app")
    settings = StreamsSettings(1000, 100, 0, 0, 0, 10)
    received: list[StreamsHeartbeatReply | BrokerError] = []
    failing.broker.groups.keep(
        held, held.shard.streams.heartbeat(asked, None, settings, 0), received.append
    )
    assert [one.code for one in received if isinstance(one, BrokerError)] == [NOT_WRITTEN]
    assert held.shard.kind_of("app") is None
