"""Consumer groups step by step; what holds of all of them is in tests/property."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from barnabas.coordinators.classic_group.group import ClassicGroup
from barnabas.coordinators.classic_group.group_states import GroupState
from barnabas.coordinators.classic_group.joining import Join
from barnabas.coordinators.classic_group.leaving import loaded
from barnabas.coordinators.classic_group.member import NO_ASSIGNMENT, Identity, Member
from barnabas.coordinators.classic_group.protocols import assignment_of, encode_assignment
from barnabas.coordinators.classic_group.settings import GroupSettings
from barnabas.coordinators.consumer_group.group import ConsumerGroup, ConsumerGroupState
from barnabas.coordinators.consumer_group.heartbeats import ConsumerHeartbeat, HeartbeatReply
from barnabas.coordinators.consumer_group.member import ConsumerMemberState
from barnabas.coordinators.groups_shard import GroupShard
from barnabas.coordinators.offsets.commit import Commit
from barnabas.coordinators.offsets.offset_records import OffsetAndMetadata
from barnabas.errors import BrokerError, ErrorCode
from barnabas.types import TopicPartition
from tests.unit.coordinators.refusals import refused_first
from tests.unit.coordinators.some_topics import SETTINGS, SomeTopics, a_shard

TOPICS = SomeTopics(dogs=4)
DOGS = TOPICS.places("dogs")


def asked(name: str, epoch: int = 0, **more: object) -> ConsumerHeartbeat:
    """All that a member says; less where it goes on."""
    given: dict[str, object] = {
        "group_id": "g", "member_id": name, "epoch": epoch, "client_id": "c", "client_host": "/h",
    }  # fmt: skip
    if not epoch:
        given |= {"rebalance_timeout_ms": 500, "topics": ("dogs",), "owned": frozenset()}
    return ConsumerHeartbeat(**(given | more))  # type: ignore[arg-type]


def beat(
    shard: GroupShard, name: str, epoch: int = 0, now: int = 0, **more: object
) -> HeartbeatReply:
    one = asked(name, epoch, **more)
    return refused_first(shard, lambda: shard.consumer.heartbeat(one, None, now)).reply


def refused(shard: GroupShard, name: str, epoch: int = 0, **more: object) -> ErrorCode:
    with pytest.raises(BrokerError) as caught:
        shard.consumer.heartbeat(asked(name, epoch, **more), None, 0)
    return caught.value.code


def test_the_second_member_waits_until_the_first_gives_back() -> None:
    shard = a_shard(TOPICS)
    assert set(beat(shard, "one").assigned or ()) == DOGS
    two = beat(shard, "two")
    assert (two.epoch, set(two.assigned or ())) == (3, set())
    one = beat(shard, "one", 2)
    kept = frozenset(one.assigned or ())
    assert (one.epoch, len(kept)) == (2, 2)
    assert beat(shard, "two", 3).assigned is None
    assert beat(shard, "one", 2, owned=kept).epoch == 3
    two = beat(shard, "two", 3)
    assert set(two.assigned or ()) == DOGS - kept
    group = shard.consumer.get("g")
    assert group is not None
    assert group.state is ConsumerGroupState.STABLE


def test_who_gives_nothing_back_in_time_is_given_up() -> None:
    shard = a_shard(TOPICS)
    beat(shard, "one")
    beat(shard, "two")
    beat(shard, "one", 2, now=10)
    group = shard.consumer.get("g")
    assert group is not None
    assert group.members["one"].state is ConsumerMemberState.UNREVOKED
    assert shard.consumer.deadline(group) == 510
    shard.consumer.on_time(group, 510)
    assert set(group.members) == {"two"}
    assert set(beat(shard, "two", 3, now=510).assigned or ()) == DOGS


def test_an_idle_heartbeat_writes_nothing_and_puts_the_session_off() -> None:
    shard = a_shard(TOPICS)
    beat(shard, "one")
    result = shard.consumer.heartbeat(asked("one", 2), None, 700)
    assert result.records == ()
    group = shard.consumer.get("g")
    assert group is not None
    assert shard.consumer.deadline(group) == 700 + SETTINGS.session_ms


def test_a_group_may_have_so_many_members() -> None:
    shard = a_shard(TOPICS, replace(SETTINGS, max_size=1))
    beat(shard, "one")
    assert refused(shard, "two") is ErrorCode.GROUP_MAX_SIZE_REACHED
    beat(shard, "one")


def test_assignments_come_no_faster_than_they_may() -> None:
    shard = a_shard(TOPICS, replace(SETTINGS, assignment_interval_ms=100))
    beat(shard, "one", now=1)
    beat(shard, "two", now=2)
    group = shard.consumer.get("g")
    assert group is not None
    assert (group.epoch, group.assignment_epoch) == (3, 2)
    beat(shard, "one", 2, now=100)
    assert group.assignment_epoch == 2
    beat(shard, "one", 2, now=101)
    assert group.assignment_epoch == 3


def test_only_a_heartbeat_makes_an_assignment() -> None:
    shard = a_shard(TOPICS)
    beat(shard, "one")
    beat(shard, "two")
    group = shard.consumer.get("g")
    assert group is not None
    shard.consumer.leave(group, [Identity("two")], 10)
    shard.consumer.on_time(group, 20)
    assert (group.epoch, group.assignment_epoch) == (4, 3)
    beat(shard, "one", 2, now=30)
    assert group.assignment_epoch == 4


def test_a_clock_that_went_back_puts_no_assignment_off() -> None:
    settings = replace(SETTINGS, assignment_interval_ms=100)
    before, shard = a_shard(TOPICS, settings), a_shard(TOPICS, settings)
    for key, value in before.consumer.heartbeat(asked("one"), None, 1_000_000).records:
        shard.replay(key, value)
    group = shard.consumer.get("g")
    assert group is not None
    shard.consumer.loaded(group, 5000)
    beat(shard, "two", now=5000)
    beat(shard, "two", 2, now=5100)
    assert group.target["two"]


def test_a_bad_expression_leaves_nothing_behind() -> None:
    shard = a_shard(TOPICS)
    code = refused(shard, "one", topics=None, regex="(?=a)")
    assert code is ErrorCode.INVALID_REGULAR_EXPRESSION
    assert shard.consumer.get("g") is None


def a_classic_group(shard: GroupShard, *names: str) -> ClassicGroup:
    """One of consumers that have no assignment yet."""
    given = bytes.fromhex("0000 00000001 0004 646f6773 ffffffff")
    classic = shard.group_to_join("g")
    classic.protocol_type, classic.protocol, classic.generation = "consumer", "range", 1
    for name in names:
        classic.state = GroupState.STABLE
        classic.members[name] = Member(
            member_id=name, instance_id=None, client_id="c", client_host="/h",
            session_timeout_ms=1000, rebalance_timeout_ms=500, protocols=(("range", given),),
            assignment=bytes.fromhex("0000 00000000 ffffffff"),
        )  # fmt: skip
        classic.supporters.add(classic.members[name].protocols)
    return classic


def joins(shard: GroupShard, classic: ClassicGroup, **more: object) -> ErrorCode:
    try:
        one = asked("new", 0, **more)
        refused_first(shard, lambda: shard.consumer.heartbeat(one, classic, 0))
    except BrokerError as error:
        return error.code
    return ErrorCode.NONE


def leave(shard: GroupShard, group: ConsumerGroup, who: list[Identity]) -> list[ErrorCode]:
    return refused_first(shard, lambda: shard.consumer.leave(group, who, 0)).reply


def test_a_classic_group_becomes_another_one() -> None:
    shard = a_shard(TOPICS)
    assert joins(shard, a_classic_group(shard, "old")) is ErrorCode.NONE
    group = shard.consumer.get("g")
    assert group is not None
    assert (set(group.members), shard.group("g")) == ({"old", "new"}, None)


def test_one_that_still_gathers_its_first_members_does_too() -> None:
    shard = a_shard(TOPICS)
    classic = a_classic_group(shard, "old")
    classic.state, classic.protocol, classic.generation = GroupState.PREPARING_REBALANCE, None, 0
    classic.members["old"].assignment = NO_ASSIGNMENT
    assert joins(shard, classic) is ErrorCode.NONE
    group = shard.consumer.get("g")
    assert group is not None
    assert group.members["old"].topics == ("dogs",)


def test_who_takes_a_static_place_before_anybody_has_partitions_has_them_assigned() -> None:
    shard = a_shard(TOPICS)
    classic = a_classic_group(shard, "old")
    classic.state, classic.protocol, classic.generation = GroupState.PREPARING_REBALANCE, None, 0
    classic.members["old"].assignment = NO_ASSIGNMENT
    classic.members["old"].instance_id = "i"
    assert joins(shard, classic, instance_id="i") is ErrorCode.NONE
    group = shard.consumer.get("g")
    assert group is not None
    assert (group.epoch, group.assignment_epoch, group.target) == (2, 2, {"new": DOGS})
    assert group.members["new"].assigned.keys() == DOGS


def test_who_joined_since_the_last_generation_has_partitions_in_the_new_group() -> None:
    shard = a_shard(TOPICS)
    classic = a_classic_group(shard, "old", "late")
    classic.state, classic.generation = GroupState.PREPARING_REBALANCE, 5
    old, late = classic.members.values()
    old.instance_id, late.assignment = "i", NO_ASSIGNMENT
    old.assignment = encode_assignment({"dogs": range(4)}, like=old.protocols[0][1])
    assert joins(shard, classic, instance_id="i") is ErrorCode.NONE
    group = shard.consumer.get("g")
    assert group is not None
    assert (group.epoch, group.assignment_epoch) == (6, 6)
    assert {name: len(target) for name, target in group.target.items()} == {"late": 2, "new": 2}


def test_an_operator_takes_out_members_of_both_kinds() -> None:
    shard = a_shard(TOPICS)
    joins(shard, a_classic_group(shard, "old"))
    beat(shard, "one", instance_id="i")
    beat(shard, "one", -2, instance_id="i")
    group = shard.consumer.get("g")
    assert group is not None
    leavers = [
        Identity("old"),
        Identity("old"),
        Identity("", "i"),
        Identity("x", "i"),
        Identity("x"),
    ]
    codes = leave(shard, group, leavers)
    refused = ErrorCode.FENCED_INSTANCE_ID, ErrorCode.UNKNOWN_MEMBER_ID
    assert codes == [ErrorCode.NONE] * 3 + list(refused)
    assert (set(group.members), group.epoch) == ({"new"}, 4)


def test_a_group_that_goes_back_hands_out_what_was_to_be_had() -> None:
    shard = a_shard(TOPICS)
    joins(shard, a_classic_group(shard, "old"))
    group = shard.consumer.get("g")
    assert group is not None
    target = sorted(one.partition for one in group.target["old"])
    assert (len(target), len(group.members["old"].assigned)) == (2, 0)
    leave(shard, group, [Identity("new")])
    classic = shard.group("g")
    assert classic is not None
    (reported,) = assignment_of(classic.members["old"].assignment)
    assert (classic.generation, reported.topic, sorted(reported.partitions)) == (2, "dogs", target)


def test_a_group_that_goes_back_has_members_with_less_ask_again() -> None:
    shard = a_shard(TOPICS)
    beat(shard, "new")
    group = shard.consumer.get("g")
    assert group is not None
    protocols = a_classic_group(a_shard(TOPICS), "like").members["like"].protocols
    join = Join(
        "", None, "", "old", "c", "/h", 1000, 500, "consumer", protocols,
        takes_id_first=False, skips_assignment=False,
    )  # fmt: skip
    joined = refused_first(shard, lambda: shard.consumer.classic_join(group, join, 0)).reply
    assert joined.error is ErrorCode.NONE
    assert not group.members["old"].assigned, "the other has not given back yet"
    leave(shard, group, [Identity("new")])
    classic = shard.group("g")
    assert classic is not None
    assert (classic.generation, classic.leader) == (joined.generation, None)
    (reported,) = assignment_of(classic.members["old"].assignment)
    assert len(reported.partitions) == 2
    loaded(classic, 0)
    assert classic.state is GroupState.PREPARING_REBALANCE


def test_who_takes_a_static_place_and_wants_the_same_begins_no_epoch() -> None:
    shard = a_shard(TOPICS)
    classic = a_classic_group(shard, "old")
    classic.members["old"].instance_id = "i"
    joins(shard, classic, instance_id="i")
    group = shard.consumer.get("g")
    assert group is not None
    assert (set(group.members), group.epoch, group.members["new"].epoch) == ({"new"}, 1, 1)


def test_a_static_name_that_a_member_gave_up_is_free() -> None:
    shard = a_shard(TOPICS)
    beat(shard, "one", instance_id="i")
    beat(shard, "one", instance_id="j")
    group = shard.consumer.get("g")
    assert group is not None
    assert group.instances == {"j": "one"}
    beat(shard, "one", -1)
    assert set(beat(shard, "two", instance_id="i").assigned or ()) == DOGS


@pytest.mark.parametrize("names", [(), ("old",)])
def test_a_classic_group_outlives_a_bad_expression(names: tuple[str, ...]) -> None:
    shard = a_shard(TOPICS)
    classic = a_classic_group(shard, *names)
    assert joins(shard, classic, regex="(?=a)") is ErrorCode.INVALID_REGULAR_EXPRESSION
    assert (shard.group("g"), shard.consumer.get("g")) == (classic, None)


def test_a_classic_group_outlives_a_member_too_many() -> None:
    shard = a_shard(TOPICS, replace(SETTINGS, max_size=1))
    classic = a_classic_group(shard, "old")
    assert joins(shard, classic) is ErrorCode.GROUP_MAX_SIZE_REACHED
    assert (shard.group("g"), shard.consumer.get("g")) == (classic, None)


def test_a_static_member_is_not_replaced_by_one_with_a_bad_expression() -> None:
    shard = a_shard(TOPICS)
    beat(shard, "one", instance_id="i")
    beat(shard, "one", -2, instance_id="i")
    code = refused(shard, "two", instance_id="i", regex="(?=a)")
    assert code is ErrorCode.INVALID_REGULAR_EXPRESSION
    group = shard.consumer.get("g")
    assert group is not None
    assert set(group.members) == {"one"}


def test_commits_count_from_the_epoch_in_which_the_partition_came() -> None:
    shard = a_shard(TOPICS)
    beat(shard, "one")
    beat(shard, "two")
    kept = frozenset(beat(shard, "one", 2).assigned or ())
    beat(shard, "one", 2, owned=kept)
    beat(shard, "two", 3)
    has = min(kept), min(DOGS - kept)
    offsets = {
        TopicPartition("dogs", one.partition): OffsetAndMetadata(
            1, -1, "", 0, topic_id=one.topic_id
        )
        for one in has
    }
    commit = Commit("g", Identity("one"), 2, offsets, ErrorCode.NONE)
    codes = [shard.commit(commit, 0).reply[one] for one in offsets]
    assert codes == [ErrorCode.NONE, ErrorCode.STALE_MEMBER_EPOCH]


def expired(shard: GroupShard) -> Iterator[str]:
    tuple(shard.expire(shard.may_expire(), 10**9, 1))
    return (one.group_id for one in shard.consumer.all())


def test_an_empty_group_without_offsets_expires() -> None:
    shard = a_shard(TOPICS)
    beat(shard, "one")
    assert list(expired(shard)) == ["g"]
    beat(shard, "one", -1)
    assert list(expired(shard)) == []


def test_a_group_of_connectors_is_not_taken_over() -> None:
    shard = a_shard(TOPICS)
    classic = ClassicGroup("g", GroupSettings(0, 10), GroupState.STABLE, protocol_type="connect")
    with pytest.raises(BrokerError) as caught:
        shard.consumer.heartbeat(asked("one"), classic, 0)
    assert caught.value.code is ErrorCode.GROUP_ID_NOT_FOUND
