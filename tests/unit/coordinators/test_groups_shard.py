import struct

import pytest

from barnabas.coordinators.classic_group.group import ClassicGroup
from barnabas.coordinators.classic_group.group_records import encode_group
from barnabas.coordinators.classic_group.group_states import GroupInput, GroupState
from barnabas.coordinators.classic_group.member import Identity, Member
from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.coordinators.groups_shard import GroupShard
from barnabas.coordinators.offsets.commit import Commit
from barnabas.coordinators.offsets.offset_records import OffsetAndMetadata
from barnabas.errors import ErrorCode
from barnabas.protocol.consumer_protocol import ConsumerProtocolSubscription
from barnabas.protocol.internal.group_metadata_record import GroupMetadataValue, MemberMetadata
from barnabas.types import TopicPartition
from barnabas.wire.compiler import Codec
from tests.steps import outcome_of
from tests.unit.coordinators.refusals import refused_first
from tests.unit.coordinators.some_topics import a_shard

DOGS, CATS = TopicPartition("dogs", 0), TopicPartition("cats", 3)
REX = Identity("rex-1")
STATES = [GroupState.PREPARING_REBALANCE, GroupState.COMPLETING_REBALANCE, GroupState.STABLE]
DAY_MS = 86_400_000


def subscription(*topics: str) -> bytes:
    message = ConsumerProtocolSubscription(topics=list(topics))
    return b"\0\3" + Codec.of(ConsumerProtocolSubscription, 3).encode(message)


def stored(*topics: str, kind: str = "consumer", since_ms: int = 0) -> CoordinatorRecord:
    """A group of one member, who reads these topics; without topics, of none."""
    member = MemberMetadata(
        member_id="rex-1",
        client_id="rex",
        client_host="/127.0.0.1",
        rebalance_timeout=1000,
        session_timeout=1000,
        subscription=subscription(*topics),
        assignment=b"",
    )
    value = GroupMetadataValue(
        protocol_type=kind,
        generation=4,
        protocol="range" if topics else None,
        leader="rex-1" if topics else None,
        current_state_timestamp=since_ms,
        members=[member] if topics else [],
    )
    return encode_group("kennel", value)


def replay(shard: GroupShard, *records: CoordinatorRecord) -> None:
    for record in records:
        shard.replay(*record)


def a_commit(who: Identity = REX, generation: int = 4, *positions: TopicPartition) -> Commit:
    offsets = {one: OffsetAndMetadata(7, 2, "", 1000) for one in positions or (DOGS,)}
    return Commit("kennel", who, generation, offsets, ErrorCode.ILLEGAL_GENERATION)


OUTSIDE = a_commit(Identity(""), -1)


def commit(shard: GroupShard, asked: Commit) -> ErrorCode:
    result = shard.commit(asked, 0)
    replay(shard, *result.records)
    (code,) = set(result.reply.values())
    return code


def in_state(shard: GroupShard, state: GroupState) -> ClassicGroup:
    replay(shard, stored("dogs"))
    group = shard.group("kennel")
    assert group is not None
    if state is not GroupState.STABLE:
        group.move(GroupInput.REBALANCE_NEEDED, 0)
    if state is GroupState.COMPLETING_REBALANCE:
        group.move(GroupInput.MEMBERS_JOINED, 0)
    return group


@pytest.mark.parametrize("state", STATES)
def test_members_of_this_generation_commit(state: GroupState) -> None:
    shard = a_shard()
    in_state(shard, state)
    handing_out = state is GroupState.COMPLETING_REBALANCE
    expected = ErrorCode.REBALANCE_IN_PROGRESS if handing_out else ErrorCode.NONE
    assert commit(shard, a_commit()) is expected
    assert commit(shard, a_commit(generation=3)) is ErrorCode.ILLEGAL_GENERATION
    assert commit(shard, a_commit(Identity("tom"))) is ErrorCode.UNKNOWN_MEMBER_ID
    assert commit(shard, OUTSIDE) is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_commit_counts_as_a_sign_of_life() -> None:
    shard = a_shard()
    member = in_state(shard, GroupState.STABLE).members["rex-1"]
    shard.commit(a_commit(), 500)
    assert member.silent_until == 1500


def test_groups_without_members_take_offsets_from_outside_alone() -> None:
    shard = a_shard()
    assert commit(shard, a_commit()) is ErrorCode.ILLEGAL_GENERATION
    assert commit(shard, OUTSIDE) is ErrorCode.NONE
    assert commit(shard, a_commit()) is ErrorCode.UNKNOWN_MEMBER_ID
    replay(shard, stored())
    assert commit(shard, OUTSIDE) is ErrorCode.NONE
    assert commit(shard, a_commit()) is ErrorCode.UNKNOWN_MEMBER_ID


def test_groups_with_and_without_members_are_seen() -> None:
    shard = a_shard()
    assert shard.view("kennel") is None
    commit(shard, OUTSIDE)
    (group,) = shard.views()
    assert (group.state, group.protocol_type) == (GroupState.EMPTY, None)
    replay(shard, stored("dogs"))
    (group,) = shard.views()
    assert (group.state, group.protocol_type) == (GroupState.STABLE, "consumer")


def test_groups_with_members_are_not_deleted() -> None:
    shard = a_shard()
    assert shard.delete_group("kennel").reply is ErrorCode.GROUP_ID_NOT_FOUND
    commit(shard, OUTSIDE)
    replay(shard, stored("dogs"))
    assert shard.delete_group("kennel").reply is ErrorCode.NON_EMPTY_GROUP
    replay(shard, stored())
    result = refused_first(shard, lambda: shard.delete_group("kennel"))
    assert result.reply is ErrorCode.NONE
    replay(shard, *result.records)
    assert list(shard.views()) == []
    again = a_shard()
    replay(again, stored(), *result.records)
    assert list(again.views()) == []


def test_offsets_in_use_are_not_deleted() -> None:
    shard = a_shard()
    assert outcome_of(shard.delete_offsets("kennel", [DOGS])).reply is ErrorCode.GROUP_ID_NOT_FOUND
    commit(shard, a_commit(Identity(""), -1, DOGS, CATS))
    replay(shard, stored("dogs"))
    result = outcome_of(shard.delete_offsets("kennel", [DOGS, CATS]))
    assert result.reply == [ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC, ErrorCode.NONE]
    replay(shard, *result.records)
    assert shard.offsets.positions("kennel") == [DOGS]
    replay(shard, stored("dogs", kind="connect"))
    assert outcome_of(shard.delete_offsets("kennel", [DOGS])).reply is ErrorCode.NON_EMPTY_GROUP
    replay(shard, stored())
    replay(shard, *outcome_of(shard.delete_offsets("kennel", [DOGS])).records)
    assert shard.offsets.groups() == []


def test_a_newcomer_of_another_protocol_keeps_no_offsets_in_use() -> None:
    shard = a_shard()
    commit(shard, a_commit(Identity(""), -1, DOGS, CATS))
    group = in_state(shard, GroupState.PREPARING_REBALANCE)
    group.members["max-1"] = Member(
        member_id="max-1", instance_id=None, client_id="max", client_host="/127.0.0.1",
        session_timeout_ms=1000, rebalance_timeout_ms=1000,
        protocols=(("sticky", subscription("cats")),),
    )  # fmt: skip
    result = outcome_of(shard.delete_offsets("kennel", [DOGS, CATS]))
    assert result.reply == [ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC, ErrorCode.NONE]


def test_subscriptions_are_read_one_by_one_and_not_kept() -> None:
    """45 members with 150,000 topics each took 700 MB, and a second, for a request of 80 bytes."""
    shard = a_shard()
    commit(shard, a_commit(Identity(""), -1, DOGS, CATS))
    group = in_state(shard, GroupState.STABLE)
    member: Member = group.members["rex-1"]
    for number in range(2, 5):
        group.members[f"rex-{number}"] = member
    member.protocols = (("range", subscription(*(f"t{each}" for each in range(500)), "dogs")),)
    assert len([*group.read_of({"dogs", "cats"})]) == 4
    assert outcome_of(group.read_of({"dogs", "cats"})) == {"dogs"}
    steps = shard.delete_offsets("kennel", [DOGS, CATS])
    next(steps)
    # Meanwhile the group has begun anew, with other topics.
    group.generation += 1
    member.protocols = (("range", subscription("cats")),)
    result = outcome_of(steps)
    assert result.reply == [ErrorCode.NONE, ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC]


def test_offsets_of_a_garbled_subscription_are_kept() -> None:
    shard = a_shard()
    commit(shard, OUTSIDE)
    group = in_state(shard, GroupState.STABLE)
    member: Member = group.members["rex-1"]
    for garbage in (b"", b"\0", b"\xff\xff\0", b"\0\0\0\0\0\7", b"\0\1\0\0\0\1\0\4dogs"):
        member.protocols = (("range", garbage),)
        assert tuple(shard.expire(shard.may_expire(), 10 * DAY_MS, DAY_MS)) == ()
        codes = outcome_of(shard.delete_offsets("kennel", [DOGS])).reply
        assert codes == [ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC]


@pytest.mark.parametrize("version", [-1, 0, 1, 3, 4, 99])
@pytest.mark.parametrize("rest", [b"", b"\0\0\0\1\0", b"\0\0\0\0and more"])
def test_a_subscription_is_read_as_its_first_version(version: int, rest: bytes) -> None:
    shard = a_shard()
    commit(shard, a_commit(Identity(""), -1, DOGS, CATS))
    member: Member = in_state(shard, GroupState.STABLE).members["rex-1"]
    given = struct.pack(">hih4si", version, 1, 4, b"dogs", -1) + rest
    member.protocols = (("range", given),)
    codes = outcome_of(shard.delete_offsets("kennel", [DOGS, CATS])).reply
    assert codes == [ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC, ErrorCode.NONE]
    replay(shard, *shard.expire(shard.may_expire(), 10 * DAY_MS, DAY_MS))
    assert shard.offsets.positions("kennel") == [DOGS]


def test_an_empty_group_ends_with_its_last_offset() -> None:
    shard = a_shard()
    commit(shard, OUTSIDE)
    replay(shard, stored(since_ms=DAY_MS))
    assert tuple(shard.expire(shard.may_expire(), 2 * DAY_MS - 1, DAY_MS)) == ()
    replay(shard, *shard.expire(shard.may_expire(), 2 * DAY_MS, DAY_MS))
    assert list(shard.views()) == []


def test_what_members_read_does_not_expire() -> None:
    shard = a_shard()
    commit(shard, a_commit(Identity(""), -1, DOGS, CATS))
    in_state(shard, GroupState.PREPARING_REBALANCE)
    assert tuple(shard.expire(shard.may_expire(), 10 * DAY_MS, DAY_MS)) == ()
    in_state(shard, GroupState.STABLE)
    replay(shard, *shard.expire(shard.may_expire(), 10 * DAY_MS, DAY_MS))
    assert shard.offsets.positions("kennel") == [DOGS]
    assert shard.group("kennel") is not None
