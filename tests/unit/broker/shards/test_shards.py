"""What coordinators would keep and their topic does not take as one batch."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from barnabas.broker.groups.group_shards import GroupShards
from barnabas.broker.purgatory.stepping import at_once
from barnabas.broker.replicas.partition import Partition
from barnabas.broker.replicas.role import Offline
from barnabas.broker.shards.shards import Shards
from barnabas.broker.transactions.transaction_shards import TransactionShards
from barnabas.coordinators.classic_group.group import ClassicGroup
from barnabas.coordinators.classic_group.settings import GroupSettings
from barnabas.coordinators.classic_group.snapshot import record_of
from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.coordinators.consumer_group.heartbeats import ConsumerHeartbeat, HeartbeatReply
from barnabas.coordinators.offsets.offset_records import OffsetAndMetadata, encode_commit
from barnabas.errors import BrokerError, ErrorCode
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from tests.unit.broker.groups.test_offsets import DOGS, NoTimers, Started, commit, fetch
from tests.unit.broker.replicas.test_replica_manager import a_request, codes_of

if TYPE_CHECKING:
    from barnabas.broker.cluster.member import ClusterMember

TOO_LARGE = ErrorCode.UNKNOWN_SERVER_ERROR


class Never:
    """A timer for a time that does not come."""

    def cancel(self) -> None:
        pass


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Started]:
    monkeypatch.setattr(NoTimers, "after", lambda *_: Never())
    one = Started(tmp_path)
    yield one
    one.stop()


def joins(started: Started, group: str, topics: tuple[str, ...], epoch: int = 0) -> list[object]:
    """A heartbeat that is queued, or refused at once; gives what is answered, once it is."""
    groups = started.broker.groups
    held = groups.of(group)
    beat = ConsumerHeartbeat(
        group_id=group,
        member_id="m",
        epoch=epoch,
        topics=topics,
        rebalance_timeout_ms=500,
        client_id="c",
        client_host="/h",
    )
    received: list[object] = []
    result = held.shard.consumer.heartbeat(beat, held.shard.group(group), 0)

    def respond(reply: HeartbeatReply | BrokerError) -> None:
        received.append(reply.code if isinstance(reply, BrokerError) else reply.epoch)

    groups.keep(held, result, respond)
    return received


def test_a_member_that_does_not_know_the_topic_yet_does_not_say_that_there_is_nothing(
    started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = started.broker.groups
    assert groups.find("cats") is None
    monkeypatch.setattr(groups.topics, "are_shared", True)
    with pytest.raises(BrokerError) as refused:
        groups.find("cats")
    assert refused.value.code is ErrorCode.NOT_COORDINATOR


MANY = tuple(f"{number:05}{'y' * 200}" for number in range(7000))


def allow(started: Started, limit: int) -> None:
    """Have the topic of the groups take no larger batches."""
    groups = started.broker.groups
    groups.prepare()
    for index in groups.indexes():
        log = groups.at(index).partition.log
        log.config = replace(log.config, max_message_bytes=limit)


def test_a_commit_of_too_much_is_refused_and_nothing_of_it_is_kept(started: Started) -> None:
    allow(started, 150)
    assert commit(started, 8, {0: 5}) == {0: ErrorCode.NONE}
    assert commit(started, 8, {0: 7, 1: 7}) == {0: TOO_LARGE, 1: TOO_LARGE}
    assert commit(started, 8, {0: 9, 2: 9}) == {
        0: ErrorCode.NONE,
        2: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    }
    assert fetch(started, 8, None) == {0: (9, "here")}


def test_who_says_too_much_does_not_become_a_member(started: Started) -> None:
    assert joins(started, "g", MANY) == [TOO_LARGE]
    assert started.broker.groups.of("g").shard.consumer.get("g") is None


def test_what_was_decided_before_in_the_same_turn_stays(started: Started) -> None:
    others = [f"o{number}" for number in range(9)]
    before = [joins(started, name, ("dogs",)) for name in ("g", *others)]
    assert joins(started, "g", MANY, 2) == [TOO_LARGE]
    after = joins(started, "g", ("dogs",), 2)
    started.broker.groups.write()
    assert before == [[2]] * 10
    assert after == [2]
    for name in ("g", *others):
        group = started.broker.groups.of(name).shard.consumer.get(name)
        assert group is not None
        assert list(group.members) == ["m"]
        assert (group.epoch, group.members["m"].topics) == (2, ("dogs",))


def test_just_as_much_as_the_topic_takes_is_kept(started: Started) -> None:
    groups = started.broker.groups
    held = groups.of("g")
    (key, value) = record_of(ClassicGroup("g", GroupSettings(0, 10)))
    assert value is not None
    held.partition.log.config = replace(
        held.partition.log.config, max_message_bytes=61 + 7 + len(key) + len(value)
    )
    received: list[ErrorCode] = []
    groups.append(held, [CoordinatorRecord(key, value)], received.append)
    groups.write()
    groups.append(held, [CoordinatorRecord(key, value + b"\0")], received.append)
    assert received == [ErrorCode.NONE, TOO_LARGE]


def test_what_is_large_takes_no_others_with_it(started: Started) -> None:
    groups = started.broker.groups
    held = groups.of("g")
    limit = held.partition.log.config.max_message_bytes
    received: list[ErrorCode] = []
    for length in (60_000, limit - 100, 60_000):
        groups.append(held, [CoordinatorRecord(b"\0\x7f", b"v" * length)], received.append)
    groups.write()
    assert received == [ErrorCode.NONE] * 3
    read = held.partition.log.read(0, 1, max_offset=1, min_one=True)[0]
    assert read is not None
    assert read.size < limit


def test_positions_of_a_topic_that_is_gone_are_forgotten_in_small_parts(started: Started) -> None:
    assert commit(started, 8, {0: 5, 1: 5}) == {0: ErrorCode.NONE, 1: ErrorCode.NONE}
    allow(started, 110)
    assert commit(started, 8, {0: 7}) == {0: TOO_LARGE}
    [*started.broker.offsets.forget_topics({"dogs"})]
    started.broker.groups.write()
    assert fetch(started, 8, None) == {}


def test_long_names_are_not_remembered(started: Started) -> None:
    groups = started.broker.groups
    for name in ("g", "g" * 32_767):
        assert groups.of(name) is groups.of(name)
    assert list(groups._by_key) == ["g"]


class Leads(Offline):
    """The role of a leader that may not know yet how far records are committed."""

    __slots__ = ("knows_committed_end",)

    leads = True

    def __init__(self) -> None:
        self.knows_committed_end = False


def test_a_new_leader_loads_when_it_knows_how_far_records_are_committed(started: Started) -> None:
    groups = started.broker.groups
    groups.prepare()
    first = groups.at(0)
    groups.unload(first.partition)
    assert not groups.is_loaded(first)
    role = first.partition.role = Leads()
    with pytest.raises(BrokerError) as refused:
        groups.at(0)
    assert refused.value.code == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    role.knows_committed_end = True
    assert groups.is_loaded(groups.at(0))


def test_a_role_that_ends_has_groups_and_transactions_forget_the_partition(
    started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker = started.broker
    broker.groups.prepare()
    broker.transactions.prepare()
    ended: list[Callable[[Partition], None]] = []
    broker.be_member(cast("ClusterMember", SimpleNamespace(on_lead=[], on_role_end=ended)))
    forgotten: list[tuple[type, Partition]] = []
    monkeypatch.setattr(
        Shards, "unload", lambda shards, partition: forgotten.append((type(shards), partition))
    )
    partition = broker.groups.at(0).partition
    for forget in ended:
        forget(partition)
    assert forgotten == [(GroupShards, partition), (TransactionShards, partition)]


def fill(started: Started, count: int = 1200) -> Partition:
    """Have the partition of a group larger than what is loaded at once, if there are so many records."""
    groups = started.broker.groups
    held = groups.of("kennel")
    codes: list[ErrorCode] = []
    for first in range(0, count, 50):
        commits = (
            OffsetAndMetadata(number, -1, "m" * 4000, 1, topic_id=started.topic_id())
            for number in range(first, first + 50)
        )
        records = [CoordinatorRecord(*encode_commit("kennel", DOGS, one)) for one in commits]
        groups.append(held, records, codes.append)
    groups.write()
    assert codes == [ErrorCode.NONE] * (count // 50)
    groups.unload(held.partition)
    return held.partition


def refusal(started: Started) -> ErrorCode:
    try:
        started.broker.groups.of("kennel")
    except BrokerError as error:
        return error.code
    return ErrorCode.NONE


def test_a_large_shard_is_loaded_in_steps_and_refused_until_then(started: Started) -> None:
    fill(started)
    assert refusal(started) == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    assert started.broker.members.heartbeat("kennel", "m", None, 1) == ErrorCode.NONE
    turns = 0
    while refusal(started):
        steps = [each for each in started.weighing.next if isinstance(each, partial)]
        assert len(steps) == 1, "one step in each turn, whoever asks meanwhile"
        started.weighing.run_turn()
        turns += 1
    assert turns > 1
    assert fetch(started, 8, None) == {0: (1199, "m" * 4000)}


def test_where_others_took_long_in_a_turn_less_is_loaded_at_once(started: Started) -> None:
    """After a start the groups of all shards come back together."""
    partition = fill(started, 400)
    assert refusal(started) == ErrorCode.NONE
    started.broker.groups.unload(partition)
    started.broker.groups._loader._spent_seconds = 1.0
    assert refusal(started) == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    started.weighing.run_soon()
    assert refusal(started) == ErrorCode.NONE
    # The turn is over by then.
    started.broker.groups._loader._on_turn_over()
    started.broker.groups.unload(partition)
    assert refusal(started) == ErrorCode.NONE


def test_what_asks_for_a_large_shard_in_steps_waits_for_it(started: Started) -> None:
    fill(started)
    received: list[object] = []

    def ask() -> Iterator[None]:
        received.append((yield from started.broker.groups.all()))

    assert len([*ask()]) > 3
    assert received == [started.broker.groups.loaded()]
    assert started.broker.groups.of("kennel") in started.broker.groups.loaded()


def test_what_is_committed_while_a_shard_is_loaded_is_part_of_it(started: Started) -> None:
    partition = fill(started)
    assert refusal(started) == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    late = OffsetAndMetadata(5000, -1, "late", 1, topic_id=started.topic_id())
    builder = BatchBuilder(Codec.NONE, 1000)
    builder.append(1, *encode_commit("kennel", DOGS, late))
    produced = a_request((*partition.log.topic_partition, memoryview(builder.build())))
    assert codes_of(at_once(started.broker.replicas.append(produced, to_internal=True))) == [
        ErrorCode.NONE
    ]
    started.broker.replicas.write()
    started.weighing.run_soon()
    assert fetch(started, 8, None) == {0: (5000, "late")}


def test_a_shard_that_is_forgotten_while_it_is_loaded_is_loaded_anew(started: Started) -> None:
    partition = fill(started)
    assert refusal(started) == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    started.broker.groups.unload(partition)
    started.weighing.run_soon()
    assert not started.broker.groups.loaded()
    assert refusal(started) == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    started.weighing.run_soon()
    assert refusal(started) == ErrorCode.NONE


def test_offsets_of_a_deleted_topic_go_also_while_their_shard_is_loaded(started: Started) -> None:
    fill(started)
    assert refusal(started) == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    [*started.broker.offsets.forget_topics({"dogs"})]
    started.broker.groups.write()
    started.weighing.run_soon()
    assert fetch(started, 8, None) == {}
