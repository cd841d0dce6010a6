"""All groups of a cluster at once, and where they are: a few requests to each broker, however many groups.

Each function asks once; who calls it tries again.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from barnabas.client.aio.cluster import Cluster
from barnabas.client.aio.group_asking import listed_groups
from barnabas.client.core.described_groups import (
    CLASSIC,
    CONSUMER_KIND,
    DEAD,
    classic_group,
    consumer_group,
    share_group,
    streams_group,
)
from barnabas.client.core.group_descriptions import (
    SHARE,
    STREAMS,
    CommittedOffset,
    GroupDescription,
)
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.consumer_group_describe import ConsumerGroupDescribeRequest
from barnabas.protocol.describe_groups import DescribeGroupsRequest
from barnabas.protocol.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from barnabas.protocol.share_group_describe import ShareGroupDescribeRequest
from barnabas.protocol.streams_group_describe import StreamsGroupDescribeRequest
from barnabas.types import TopicPartition

_SEVERAL_GROUPS: Final = 8
_WITHOUT_TOPIC_IDS: Final = 9

Offsets = dict[TopicPartition, CommittedOffset]


async def surveyed_groups(
    cluster: Cluster, states: Collection[str], kinds: Collection[str]
) -> list[GroupDescription]:
    """Every group with its members, by name; those that end meanwhile are left out."""
    by_kind: dict[tuple[int, str], list[str]] = {}
    for name, (node_id, told) in (await listed_groups(cluster, states, kinds)).items():
        by_kind.setdefault((node_id, told.kind.lower() or CLASSIC), []).append(name)
    found: list[GroupDescription] = []
    for (node_id, kind), names in by_kind.items():
        reply = await cluster.ask(_request(kind, names), node_id=node_id)
        described = _DESCRIBED[kind]
        found += [described(row, node_id) for row in reply.groups if _is_there(row)]
    return sorted(found, key=lambda each: each.group_id)


def _request(kind: str, names: list[str]) -> object:
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


_DESCRIBED: Final[Mapping[str, Callable[[Any, int], GroupDescription]]] = {
    CLASSIC: classic_group,
    CONSUMER_KIND: consumer_group,
    SHARE: share_group,
    STREAMS: streams_group,
}


def _is_there(row: Any) -> bool:
    if row.error_code and row.error_code != ErrorCode.GROUP_ID_NOT_FOUND:
        raise BrokerError(row.error_code, f"describing group {row.group_id}")
    return not row.error_code and row.group_state != DEAD


async def saved_by_groups(
    cluster: Cluster, groups: Collection[GroupDescription]
) -> dict[str, Offsets]:
    """All positions that groups have saved, as their coordinators tell them.

    Of transactions that are open nothing counts yet: who looks on does not wait for them.
    """
    by_node: dict[int, list[str]] = {}
    for each in groups:
        by_node.setdefault(each.coordinator, []).append(each.group_id)
    found: dict[str, Offsets] = {}
    for node_id, names in by_node.items():
        link = await cluster.ready_link(node_id)
        version = link.protocol.version_of(ApiKey.OFFSET_FETCH, at_most=_WITHOUT_TOPIC_IDS)
        at_once = len(names) if version >= _SEVERAL_GROUPS else 1
        for start in range(0, len(names), at_once):
            asked = names[start : start + at_once]
            request = OffsetFetchRequest(
                group_id=asked[0],
                topics=None,
                groups=[OffsetFetchRequestGroup(group_id=name, topics=None) for name in asked],
            )
            reply = await cluster.ask_over(link, request, version=version)
            for name, part in zip(asked, reply.groups or [reply], strict=True):
                found[name] = _offsets(name, part)
    return found


def _offsets(name: str, part: Any) -> Offsets:
    if part.error_code:
        raise BrokerError(part.error_code, f"reading offsets of group {name}")
    return {
        TopicPartition(topic.name, row.partition_index): CommittedOffset(
            row.committed_offset, row.committed_leader_epoch, row.metadata or ""
        )
        for topic in part.topics
        for row in topic.partitions
        if row.committed_offset >= 0
    }
