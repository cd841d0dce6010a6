"""Convert broker descriptions of groups, one message per kind, to an admin client's values.

No I/O.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from barnabas.client.core.admin.group_descriptions import (
    SHARE,
    STREAMS,
    GroupDescription,
    MemberDescription,
)
from barnabas.client.core.group.subscription import CONSUMER, decode_assignment
from barnabas.errors import DecodeError
from barnabas.protocol.consumer_group_describe import ConsumerGroupDescribeRequest, Member
from barnabas.protocol.consumer_group_describe import DescribedGroup as ConsumerGroup
from barnabas.protocol.describe_groups import (
    DescribedGroup,
    DescribedGroupMember,
    DescribeGroupsRequest,
)
from barnabas.protocol.share_group_describe import DescribedGroup as ShareGroup
from barnabas.protocol.share_group_describe import Member as ShareMember
from barnabas.protocol.share_group_describe import ShareGroupDescribeRequest
from barnabas.protocol.streams_group_describe import DescribedGroup as StreamsGroup
from barnabas.protocol.streams_group_describe import Member as StreamsMember
from barnabas.protocol.streams_group_describe import StreamsGroupDescribeRequest
from barnabas.types import TopicPartition

CLASSIC: Final = "classic"
CONSUMER_KIND: Final = "consumer"
DEAD: Final = "Dead"
"""The state of a classic group that does not exist."""


def classic_group(row: DescribedGroup, coordinator: int) -> GroupDescription:
    """A group whose members assign partitions."""
    return GroupDescription(
        row.group_id,
        row.group_state,
        CLASSIC,
        row.protocol_data,
        coordinator,
        tuple(_classic_member(each, row.protocol_type) for each in row.members),
        row.protocol_type,
    )


def consumer_group(row: ConsumerGroup, coordinator: int) -> GroupDescription:
    """A group whose broker assigns partitions (KIP-848)."""
    members = [_modern_member(each, each.instance_id) for each in row.members]
    return _modern_group(row, coordinator, CONSUMER_KIND, members)


def share_group(row: ShareGroup, coordinator: int) -> GroupDescription:
    """A group whose members share partitions (KIP-932)."""
    members = [_modern_member(each, None) for each in row.members]
    return _modern_group(row, coordinator, SHARE, members)


def streams_group(row: StreamsGroup, coordinator: int) -> GroupDescription:
    """A Kafka Streams application's group (KIP-1071)."""
    parts = (row.topology.subtopologies if row.topology else None) or []
    inputs = {
        each.subtopology_id: [
            *each.source_topics,
            *(topic.name for topic in each.repartition_source_topics),
        ]
        for each in parts
    }
    return GroupDescription(
        row.group_id,
        row.group_state,
        STREAMS,
        row.assignor_name or "",
        coordinator,
        tuple(_streams_member(each, inputs) for each in row.members),
        STREAMS,
    )


def _streams_member(row: StreamsMember, inputs: Mapping[str, list[str]]) -> MemberDescription:
    """A member with the partitions that its active tasks read."""
    partitions = [
        TopicPartition(topic, one)
        for tasks in row.assignment.active_tasks
        for topic in inputs.get(tasks.subtopology_id, ())
        for one in tasks.partitions
    ]
    return MemberDescription(
        row.member_id, row.client_id, row.client_host, row.instance_id, tuple(sorted(partitions))
    )


def _modern_group(
    row: ConsumerGroup | ShareGroup,
    coordinator: int,
    kind: str,
    members: Sequence[MemberDescription],
) -> GroupDescription:
    return GroupDescription(
        row.group_id, row.group_state, kind, row.assignor_name, coordinator, tuple(members), kind
    )


def _classic_member(row: DescribedGroupMember, protocol_type: str) -> MemberDescription:
    partitions: list[TopicPartition] = []
    if protocol_type == CONSUMER:
        try:
            partitions = decode_assignment(row.member_assignment)
        except DecodeError:
            partitions = []  # Members agree on its contents; other clients need not understand it.
    return MemberDescription(
        row.member_id,
        row.client_id,
        row.client_host,
        row.group_instance_id,
        tuple(sorted(partitions)),
    )


def _modern_member(row: Member | ShareMember, instance_id: str | None) -> MemberDescription:
    partitions = [
        TopicPartition(topic.topic_name, one)
        for topic in row.assignment.topic_partitions
        for one in topic.partitions
    ]
    return MemberDescription(
        row.member_id, row.client_id, row.client_host, instance_id, tuple(sorted(partitions))
    )


def describe_request(kind: str, names: list[str]) -> object:
    """The request that describes groups of a kind in DESCRIBED; `DESCRIBED[kind]` reads a response row."""
    match kind:
        case "consumer":
            return ConsumerGroupDescribeRequest(
                group_ids=names, include_authorized_operations=False
            )
        case "share":
            return ShareGroupDescribeRequest(group_ids=names, include_authorized_operations=False)
        case "streams":
            return StreamsGroupDescribeRequest(group_ids=names, include_authorized_operations=False)
        case _:
            return DescribeGroupsRequest(groups=names)


DESCRIBED: Final[Mapping[str, Callable[[Any, int], GroupDescription]]] = {
    CONSUMER_KIND: consumer_group,
    SHARE: share_group,
    STREAMS: streams_group,
    CLASSIC: classic_group,
}
"""Converters by kind, from a response row and the id of the coordinating broker."""
