"""Memory used by groups, in bytes: estimates that are not below the real use.

Groups without members count nothing if they end when their last offset expires. Members and their
metadata are what a client can multiply: the names of 200,000 topics take 1 MB in a request, and 12
MB as text.
"""

from collections.abc import Iterable, Mapping

from barnabas.coordinators.classic_group.group import ClassicGroup
from barnabas.coordinators.classic_group.joining import Join
from barnabas.coordinators.classic_group.member import Member, Protocols
from barnabas.coordinators.consumer_group.group import ConsumerGroup
from barnabas.coordinators.consumer_group.heartbeats import ConsumerHeartbeat
from barnabas.coordinators.consumer_group.member import ConsumerMember
from barnabas.coordinators.groups_shard import GroupShard
from barnabas.coordinators.share_group.group import ShareGroup, ShareMember
from barnabas.coordinators.share_group.groups import ShareHeartbeat
from barnabas.coordinators.streams_group.group import StreamsGroup
from barnabas.coordinators.streams_group.heartbeats import StreamsHeartbeat
from barnabas.coordinators.streams_group.member import StreamsMember
from barnabas.coordinators.streams_group.topology import Topology

GROUP_BYTES = 1500
MEMBER_BYTES = 1500
_INVITED_BYTES = 200
_TEXT_BYTES = 80
"""Of a text, beside its characters, with its place in a tuple or a set."""
_PLACE_BYTES = 400
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
    return GROUP_BYTES + members + _INVITED_BYTES * len(group.invited)


def _of_classic_member(member: Member) -> int:
    return MEMBER_BYTES + len(member.assignment) + _of_protocols(member.protocols)


def _of_protocols(protocols: Protocols) -> int:
    return sum([2 * _TEXT_BYTES + len(name) + len(metadata) for name, metadata in protocols])


def _of_consumers(group: ConsumerGroup) -> int:
    if not group.members:
        return 0
    members = sum(map(_of_consumer, group.members.values()))
    found = sum(len(one.topics) for one in group.regexes.values())
    targets = sum(map(len, group.target.values()))
    return GROUP_BYTES + members + found * _TEXT_BYTES + targets * _PLACE_BYTES


def _of_consumer(member: ConsumerMember) -> int:
    classic = 0 if member.classic is None else _of_protocols(member.classic.protocols)
    size = _of_texts(member.topics) + len(member.regex) + classic
    return MEMBER_BYTES + size + _PLACE_BYTES * (len(member.assigned) + len(member.revoking)) // 2


def _of_shares(group: ShareGroup) -> int:
    members = sum(map(_of_share_member, group.members.values()))
    targets = sum(map(len, group.target.values()))
    return GROUP_BYTES + members + _PLACE_BYTES * (targets + len(group.read)) // 2


def _of_share_member(member: ShareMember) -> int:
    return MEMBER_BYTES + _of_texts(member.topics) + _PLACE_BYTES * len(member.assigned) // 2


def _of_streams(group: StreamsGroup) -> int:
    if not group.members:
        return 0
    members = sum(map(_of_streams_member, group.members.values()))
    configured = group.volatile.configured
    wanted = 0 if configured is None else sum(configured.tasks.values())
    tasks = max(wanted, sum(map(len, group.target.values())))
    return GROUP_BYTES + members + _of_topology(group.topology) + tasks * _PLACE_BYTES


def _of_streams_member(member: StreamsMember) -> int:
    tasks = len(member.assigned) + len(member.revoking)
    return MEMBER_BYTES + _of_tags(member.tags) + _PLACE_BYTES * tasks // 2


def _of_tags(tags: Iterable[tuple[str, str]]) -> int:
    return sum(2 * _TEXT_BYTES + len(key) + len(value) for key, value in tags)


def _of_texts(texts: Iterable[str]) -> int:
    return sum([_TEXT_BYTES + len(text) for text in texts])


def _of_topology(topology: Topology | None) -> int:
    if topology is None:
        return 0
    total = 0
    for one in topology.subtopologies:
        # What reads a topic is looked up by its name, too.
        total += MEMBER_BYTES + 2 * _of_texts(one.source_topics) + _of_texts(one.source_topic_regex)
        total += _of_texts(one.repartition_sink_topics) + MEMBER_BYTES * len(one.copartition_groups)
        for topic in (*one.state_changelog_topics, *one.repartition_source_topics):
            configs = ((each.key, each.value) for each in topic.topic_configs)
            total += 4 * _TEXT_BYTES + len(topic.name) + _of_tags(configs)
    return total


def grown_by_join(group: ClassicGroup | None, request: Join) -> int:
    """The growth of a classic group by a member that joins, or changes its data."""
    member = None if group is None else group.members.get(request.member_id)
    size = _of_protocols(request.protocols)
    if member is not None:
        return size - _of_protocols(member.protocols)
    return size + MEMBER_BYTES + (GROUP_BYTES if group is None else 0)


def grown_by_assignments(group: ClassicGroup, assignments: Mapping[str, bytes]) -> int:
    """The growth of a classic group by these assignments."""
    before = sum([len(one.assignment) for one in group.members.values()])
    return sum(map(len, assignments.values())) - before


def grown_by_heartbeat(
    shard: GroupShard, request: ConsumerHeartbeat | ShareHeartbeat | StreamsHeartbeat
) -> int:
    """The growth of a group with broker-side assignment by a heartbeat."""
    match request:
        case StreamsHeartbeat():
            streams = shard.streams.get(request.group_id)
            known = streams is not None and request.member_id in streams.members
            before = _of_topology(streams.topology) if streams is not None else 0
            size = _of_topology(request.topology) - before + _of_tags(request.tags or ())
        case _:
            groups = shard.consumer if isinstance(request, ConsumerHeartbeat) else shard.share
            group = groups.get(request.group_id)
            member = None if group is None else group.members.get(request.member_id)
            known = member is not None
            size = 0 if request.topics is None else _of_texts(request.topics)
            size -= 0 if member is None else _of_texts(member.topics)
    return max(size, 0) if known else max(size, 0) + MEMBER_BYTES + GROUP_BYTES


def grown_by_tasks(shard: GroupShard, request: StreamsHeartbeat) -> int:
    """The growth of a streams group by tasks that it will assign: a topology of 10 KB may have a million."""
    return _PLACE_BYTES * shard.streams.new_tasks(request)
