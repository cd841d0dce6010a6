"""Members of a consumer group that speak JoinGroup, step by step."""

from dataclasses import replace

from barnabas.coordinators.classic_group.joining import Join
from barnabas.coordinators.classic_group.member import Identity
from barnabas.coordinators.classic_group.replies import JoinReply
from barnabas.coordinators.classic_group.syncing import Sync
from barnabas.coordinators.consumer_group.group import ConsumerGroup, ConsumerGroupState
from barnabas.coordinators.groups_shard import GroupShard
from barnabas.errors import BrokerError, ErrorCode
from tests.unit.coordinators.consumer_group.test_groups import DOGS, TOPICS, beat, leave
from tests.unit.coordinators.refusals import refused_first
from tests.unit.coordinators.some_topics import SETTINGS, a_shard

SUBSCRIPTION = bytes.fromhex("0000 00000001 0004 646f6773 ffffffff")


def join(shard: GroupShard, group: ConsumerGroup, name: str) -> JoinReply:
    """A member that has nothing joins, first or again."""
    member_id = name if name in group.members else ""
    asked = Join(
        member_id, None, name, name, "c", "/h", 1000, 500, "consumer", (("range", SUBSCRIPTION),),
        takes_id_first=False, skips_assignment=False,
    )  # fmt: skip
    return refused_first(shard, lambda: shard.consumer.classic_join(group, asked, 0)).reply


def sync(shard: GroupShard, group: ConsumerGroup, name: str) -> ErrorCode:
    try:
        asked = Sync(name, None, group.members[name].epoch, None, None, {})
        return shard.consumer.classic_sync(group, asked, 0).error
    except BrokerError as error:
        return error.code


def settle(shard: GroupShard, group: ConsumerGroup) -> None:
    """Everybody who has to joins again; the one that sends heartbeats does so."""
    for _ in range(4):
        for name, member in group.members.items():
            if member.classic is None:
                beat(shard, name, member.epoch, owned=frozenset(member.assigned))
            elif shard.consumer.classic_heartbeat(group, Identity(name), member.epoch, 0):
                join(shard, group, name)


def test_members_that_are_left_have_to_join_and_so_get_all() -> None:
    shard = a_shard(TOPICS, replace(SETTINGS, downgrades=False))
    beat(shard, "new")
    group = shard.consumer.get("g")
    assert group is not None
    for name in ("c1", "c2"):
        assert join(shard, group, name).error is ErrorCode.NONE
    settle(shard, group)
    assert group.state is ConsumerGroupState.STABLE
    leave(shard, group, [Identity("new")])
    assert (group.epoch, group.assignment_epoch) == (5, 4)
    assert {sync(shard, group, name) for name in group.members} == {ErrorCode.NONE}
    settle(shard, group)
    assert group.state is ConsumerGroupState.STABLE
    assert group.owners.keys() == DOGS
    assert {sync(shard, group, name) for name in group.members} == {ErrorCode.NONE}


def test_no_member_has_to_join_while_another_makes_the_assignment_or_none_may_be_made() -> None:
    shard = a_shard(TOPICS, replace(SETTINGS, downgrades=False, assignment_interval_ms=100))
    for name in ("new", "newer"):
        beat(shard, name)
    group = shard.consumer.get("g")
    assert group is not None
    join(shard, group, "c1")
    settle(shard, group)
    group.assigned_at_ms = 1
    reported = [tell(shard, group, now=101)]
    for name in ("new", "newer"):
        leave(shard, group, [Identity(name)])
        reported += [tell(shard, group, now=now) for now in (100, 101)]
    assert reported == [ErrorCode.NONE] * 4 + [ErrorCode.REBALANCE_IN_PROGRESS]


def tell(shard: GroupShard, group: ConsumerGroup, now: int) -> ErrorCode:
    epoch = group.members["c1"].epoch
    return shard.consumer.classic_heartbeat(group, Identity("c1"), epoch, now)
