"""The growth of a group by a request, in bytes: asked of the memory limit before it is done."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest

from barnabas.coordinators.classic_group.group import ClassicGroup
from barnabas.coordinators.classic_group.joining import Join
from barnabas.coordinators.consumer_group.heartbeats import ConsumerHeartbeat
from barnabas.coordinators.group_weights import GROUP_BYTES, MEMBER_BYTES, PLACE_BYTES
from barnabas.coordinators.groups_shard import GroupShard
from barnabas.coordinators.share_group.groups import ShareHeartbeat
from barnabas.coordinators.streams_group.heartbeats import StreamsHeartbeat
from barnabas.coordinators.text_weights import (
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

_Texts = tuple[MemberNames, Sequence[str]]
"""The names of a member, and the topics that it subscribes to."""
_NEW: _Texts = ((), ())
"""Those of a member that is new."""


def grown_by_join(group_id: str, group: ClassicGroup | None, request: Join) -> int:
    """The growth of a classic group by a member that joins, or changes its data."""
    member = None if group is None else group.members.get(request.member_id)
    size = protocols_bytes(request.protocols)
    if member is not None:
        return size - protocols_bytes(member.protocols)
    size += text_bytes(request.member_id or request.new_id) + text_bytes(request.instance_id)
    size += MEMBER_BYTES
    if group is not None:
        return size
    return size + GROUP_BYTES + text_bytes(group_id) + text_bytes(request.protocol_type)


def grown_by_assignments(group: ClassicGroup, assignments: Mapping[str, bytes]) -> int:
    """The growth of a classic group by these assignments."""
    before = sum([len(one.assignment) for one in group.members.values()])
    return sum(map(len, assignments.values())) - before


def grown_by_heartbeat(
    shard: GroupShard, request: ConsumerHeartbeat | ShareHeartbeat | StreamsHeartbeat
) -> int:
    """The growth of a group with broker-side assignment by a heartbeat."""
    match request:
        case ConsumerHeartbeat():
            known, size = _grown_by_consumer(shard, request)
        case ShareHeartbeat():
            known, size = _grown_by_share_member(shard, request)
        case _:
            known, size = _grown_by_streams_member(shard, request)
    if known:
        return size
    return size + MEMBER_BYTES + GROUP_BYTES + text_bytes(request.group_id)


def grown_by_tasks(shard: GroupShard, request: StreamsHeartbeat) -> int:
    """The growth of a streams group by tasks that it will assign: a topology of 10 KB may have a million."""
    return PLACE_BYTES * shard.streams.new_tasks(request)


def _grown_by_consumer(shard: GroupShard, request: ConsumerHeartbeat) -> tuple[bool, int]:
    """Whether the member is known, and by how much it grows; the same below."""
    group = shard.consumer.get(request.group_id)
    member = None if group is None else group.members.get(request.member_id)
    before = _NEW if member is None else (consumer_names(member), member.topics)
    return member is not None, _grown_by_member(consumer_names(request), request.topics, before)


def _grown_by_share_member(shard: GroupShard, request: ShareHeartbeat) -> tuple[bool, int]:
    group = shard.share.get(request.group_id)
    member = None if group is None else group.members.get(request.member_id)
    before = _NEW if member is None else (share_names(member), member.topics)
    return member is not None, _grown_by_member(share_names(request), request.topics, before)


def _grown_by_streams_member(shard: GroupShard, request: StreamsHeartbeat) -> tuple[bool, int]:
    group = shard.streams.get(request.group_id)
    member = None if group is None else group.members.get(request.member_id)
    size = _grown_by_names(streams_names(request), () if member is None else streams_names(member))
    tags = () if member is None else member.tags
    size += max(0, tags_bytes(request.tags or ()) - tags_bytes(tags))
    topology = None if group is None else group.topology
    size += max(0, topology_bytes(request.topology) - topology_bytes(topology))
    return member is not None, size


def _grown_by_member(names: MemberNames, topics: Sequence[str] | None, before: _Texts) -> int:
    """The growth by names and subscribed topics; None: the topics stay as they were."""
    names_before, topics_before = before
    size = _grown_by_names(names, names_before)
    if topics is not None:
        size += max(0, texts_bytes(topics) - texts_bytes(topics_before))
    return size


def _grown_by_names(now: MemberNames, before: MemberNames) -> int:
    """Each name by itself: what a heartbeat leaves out stays as it was."""
    pairs = zip_longest(now, before)
    return sum([max(0, text_bytes(new) - text_bytes(old)) for new, old in pairs])
