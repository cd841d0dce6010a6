"""Memory used by groups, in bytes: estimates that are not below the real use.

Groups without members count nothing if they end when their last offset expires. Members and their
metadata are what a client can multiply: the names of 200,000 topics take 1 MB in a request, and 12
MB as text.
"""

from barnabas.coordinators.classic_group.group import ClassicGroup
from barnabas.coordinators.classic_group.member import Member
from barnabas.coordinators.consumer_group.group import ConsumerGroup
from barnabas.coordinators.consumer_group.member import ConsumerMember
from barnabas.coordinators.groups_shard import GroupShard
from barnabas.coordinators.share_group.group import ShareGroup, ShareMember
from barnabas.coordinators.streams_group.group import StreamsGroup
from barnabas.coordinators.streams_group.member import StreamsMember
from barnabas.coordinators.text_weights import (
    TEXT_BYTES,
    MemberNames,
    consumer_names,
    protocols_bytes,
    share_names,
    streams_names,
    tags_bytes,
    text_bytes,
    texts_bytes,
    topology_bytes,
)

GROUP_BYTES = 1500
MEMBER_BYTES = 1500
_INVITED_BYTES = 200
PLACE_BYTES = 400
"""For a partition of a member: current and target assignment, and owner."""


def weight_of(shard: GroupShard, group_id: str) -> int:
    """The memory of the group of that name, in bytes."""
    classic = shard.group(group_id)
    if classic is not None:
        return _of_classic(classic)
    consumers = shard.consumer.get(group_id)
    if consumers is not None:
        return _of_consumers(consumers)
    shares = shard.share.get(group_id)
    if shares is not None:
        return _of_shares(shares)
    streams = shard.streams.get(group_id)
    return 0 if streams is None else _of_streams(streams)


def _of_classic(group: ClassicGroup) -> int:
    if not group.members and not group.invited:
        return 0
    members = sum(map(_of_classic_member, group.members.values()))
    size = text_bytes(group.group_id) + text_bytes(group.protocol_type)
    return GROUP_BYTES + size + members + _INVITED_BYTES * len(group.invited)


def _of_classic_member(member: Member) -> int:
    size = _of_names((member.member_id, member.instance_id))
    return MEMBER_BYTES + size + len(member.assignment) + protocols_bytes(member.protocols)


def _of_consumers(group: ConsumerGroup) -> int:
    if not group.members:
        return 0
    members = sum(map(_of_consumer, group.members.values()))
    found = sum(len(one.topics) for one in group.regexes.values())
    targets = sum(map(len, group.target.values()))
    return (
        GROUP_BYTES
        + text_bytes(group.group_id)
        + members
        + found * TEXT_BYTES
        + targets * PLACE_BYTES
    )


def _of_consumer(member: ConsumerMember) -> int:
    classic = 0 if member.classic is None else protocols_bytes(member.classic.protocols)
    size = texts_bytes(member.topics) + _of_names(consumer_names(member)) + classic
    return MEMBER_BYTES + size + PLACE_BYTES * (len(member.assigned) + len(member.revoking)) // 2


def _of_shares(group: ShareGroup) -> int:
    members = sum(map(_of_share_member, group.members.values()))
    targets = sum(map(len, group.target.values()))
    return (
        GROUP_BYTES
        + text_bytes(group.group_id)
        + members
        + PLACE_BYTES * (targets + len(group.read)) // 2
    )


def _of_share_member(member: ShareMember) -> int:
    size = texts_bytes(member.topics) + _of_names(share_names(member))
    return MEMBER_BYTES + size + PLACE_BYTES * len(member.assigned) // 2


def _of_streams(group: StreamsGroup) -> int:
    if not group.members:
        return 0
    members = sum(map(_of_streams_member, group.members.values()))
    configured = group.volatile.configured
    wanted = 0 if configured is None else sum(configured.tasks.values())
    tasks = max(wanted, sum(map(len, group.target.values())))
    return (
        GROUP_BYTES
        + text_bytes(group.group_id)
        + members
        + topology_bytes(group.topology)
        + tasks * PLACE_BYTES
    )


def _of_streams_member(member: StreamsMember) -> int:
    tasks = len(member.assigned) + len(member.revoking)
    size = tags_bytes(member.tags) + _of_names(streams_names(member))
    return MEMBER_BYTES + size + PLACE_BYTES * tasks // 2


def _of_names(names: MemberNames) -> int:
    return sum(map(text_bytes, names))
