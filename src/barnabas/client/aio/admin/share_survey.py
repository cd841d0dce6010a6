"""The positions of many share groups at once; sends once, the caller retries."""

from collections.abc import Collection
from typing import Any, Final

from barnabas.client.aio.admin.group_survey import by_coordinator, may_not_be_seen
from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.cluster.retries import NOT_THERE
from barnabas.client.core.admin.group_descriptions import GroupDescription, ShareOffset
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.describe_share_group_offsets import (
    DescribeShareGroupOffsetsRequest,
    DescribeShareGroupOffsetsRequestGroup,
)
from barnabas.types import TopicPartition

_UNKNOWN: Final = -1

ShareOffsets = dict[TopicPartition, ShareOffset]


async def shared_by_groups(
    cluster: Cluster, groups: Collection[GroupDescription]
) -> dict[str, ShareOffsets]:
    """Return all partitions that share groups have read, from their current coordinators.

    Omitted: groups that are gone or whose offsets are not accessible, missing partitions, and all
    groups if no broker reports them (before Kafka 4.1).
    """
    found: dict[str, ShareOffsets] = {}
    for node_id, names in (await by_coordinator(cluster, groups)).items():
        request = DescribeShareGroupOffsetsRequest(
            groups=[
                DescribeShareGroupOffsetsRequestGroup(group_id=name, topics=None) for name in names
            ]
        )
        try:
            reply = await cluster.ask(request, node_id=node_id)
        except BrokerError as error:
            if error.code is ErrorCode.UNSUPPORTED_VERSION:
                continue
            raise
        for part in reply.groups:
            if not may_not_be_seen(part.group_id, part):
                found[part.group_id] = _offsets(part)
    return found


def _offsets(part: Any) -> ShareOffsets:
    return {
        TopicPartition(topic.topic_name, row.partition_index): ShareOffset(
            _known(row.start_offset), _known(row.lag)
        )
        for topic in part.topics
        for row in topic.partitions
        if _is_found(part.group_id, row)
    }


def _is_found(group_id: str, row: Any) -> bool:
    """Whether it was reported; if another broker may report it soon, the request is repeated."""
    code = ErrorCode.of(row.error_code)
    if code.retriable and code not in NOT_THERE:
        raise BrokerError(code, f"reading offsets of group {group_id}")
    return not code


def _known(number: int) -> int | None:
    return None if number == _UNKNOWN else number
