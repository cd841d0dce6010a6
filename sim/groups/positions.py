"""Positions of a group, as its members ask for them and say them."""

from collections.abc import Iterable, Mapping

from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from barnabas.protocol.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
    OffsetFetchResponse,
)
from sim.events import Place
from sim.groups.membership import Membership

_SEVERAL_GROUPS = 8
"""The first version of OffsetFetch that names groups in a list."""


async def committed_positions(
    member: Membership, places: Iterable[Place], *, stable: bool
) -> dict[Place, int] | None:
    """What is committed, -1 where nothing is; None: there was an error.

    Raises:
        Lost: no answer.
    """
    answer = await member.caller.ask(_question(member, places, stable=stable), OffsetFetchResponse)
    rows = [(topic.name, one) for topic in answer.topics for one in topic.partitions]
    later = [
        (topic.name, one)
        for group in answer.groups
        for topic in group.topics
        for one in topic.partitions
    ]
    if any(one.error_code for _, one in rows) or any(one.error_code for _, one in later):
        return None
    found = {(name, one.partition_index): one.committed_offset for name, one in rows}
    found |= {(name, one.partition_index): one.committed_offset for name, one in later}
    return found or None


def _question(member: Membership, places: Iterable[Place], *, stable: bool) -> OffsetFetchRequest:
    by_topic: dict[str, list[int]] = {}
    for topic, index in places:
        by_topic.setdefault(topic, []).append(index)
    if member.caller.versions[ApiKey.OFFSET_FETCH] < _SEVERAL_GROUPS:
        topics = [
            OffsetFetchRequestTopic(name=topic, partition_indexes=indexes)
            for topic, indexes in by_topic.items()
        ]
        return OffsetFetchRequest(group_id=member.group, topics=topics, require_stable=stable)
    asked = [
        OffsetFetchRequestTopics(name=topic, partition_indexes=indexes)
        for topic, indexes in by_topic.items()
    ]
    group = OffsetFetchRequestGroup(group_id=member.group, topics=asked)
    if member.is_consumer:
        group.member_id, group.member_epoch = member.member_id, member.generation
    return OffsetFetchRequest(groups=[group], require_stable=stable)


def commit_of(member: Membership, positions: Mapping[Place, int]) -> OffsetCommitRequest:
    """A member's wish to keep positions."""
    return OffsetCommitRequest(
        group_id=member.group,
        generation_id_or_member_epoch=member.generation,
        member_id=member.member_id,
        group_instance_id=member.instance,
        topics=[
            OffsetCommitRequestTopic(
                name=topic,
                partitions=[
                    OffsetCommitRequestPartition(
                        partition_index=index, committed_offset=offset, committed_metadata=""
                    )
                ],
            )
            for (topic, index), offset in positions.items()
        ],
    )
