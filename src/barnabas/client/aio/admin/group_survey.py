"""All groups of a cluster and their positions, in a few requests to each broker.

Each function sends once; the caller retries.
"""

import logging
from collections.abc import Collection
from typing import Any, Final

from barnabas.client.aio.admin.group_requests import listed_groups
from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.fetching.group_offsets import ALL_SINCE, every_partition
from barnabas.client.core.admin.described_groups import CLASSIC, DEAD, DESCRIBED, describe_request
from barnabas.client.core.admin.group_descriptions import (
    CommittedOffset,
    GroupDescription,
    GroupListing,
)
from barnabas.client.core.group.subscription import by_topic
from barnabas.errors import BrokerError, ErrorCode, RemoteProtocolError
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
)
from barnabas.types import TopicPartition

log = logging.getLogger(__name__)

_SEVERAL_GROUPS: Final = 8
_WITHOUT_TOPIC_IDS: Final = 9
_OF_THE_GROUP: Final = {
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_COORDINATOR,
}
_LEFT_OUT: Final = {ErrorCode.GROUP_AUTHORIZATION_FAILED, ErrorCode.GROUP_ID_NOT_FOUND}

Offsets = dict[TopicPartition, CommittedOffset]


async def surveyed_groups(
    cluster: Cluster, states: Collection[str], kinds: Collection[str]
) -> list[GroupDescription]:
    """Return every group with its members, by name; groups that end meanwhile are omitted.

    A group that must not, or cannot, be described by this client has only the fields of the
    listing, without members; the log says why.
    """
    listed = await listed_groups(cluster, states, kinds)
    by_kind: dict[tuple[int, str], list[str]] = {}
    for name, (node_id, listing) in listed.items():
        by_kind.setdefault((node_id, listing.kind.lower() or CLASSIC), []).append(name)
    found: list[GroupDescription] = []
    for (node_id, kind), names in by_kind.items():
        described = DESCRIBED.get(kind)
        if described is None:
            log.warning("groups that cannot be described: kind=%s groups=%s", kind, names)
            found += [_as_listed(*listed[name]) for name in names]
            continue
        reply = await cluster.ask(describe_request(kind, names), node_id=node_id)
        for row in reply.groups:
            if _is_there(row):
                found.append(described(row, node_id))
            elif _is_kept_back(row):
                found.append(_as_listed(*listed[row.group_id]))
    return sorted(found, key=lambda each: each.group_id)


def _as_listed(node_id: int, listing: GroupListing) -> GroupDescription:
    kind = listing.kind.lower() or CLASSIC
    return GroupDescription(
        listing.group_id, listing.state, kind, "", node_id, protocol_type=listing.protocol_type
    )


def _is_there(row: Any) -> bool:
    return not row.error_code and row.group_state != DEAD


def _is_kept_back(row: Any) -> bool:
    """Whether it exists and must not be described.

    Raises:
        BrokerError: it may be described soon, or by another broker.
    """
    code = ErrorCode(row.error_code)
    if not code or code == ErrorCode.GROUP_ID_NOT_FOUND:
        return False
    if code.retriable:
        raise BrokerError(code, f"describing group {row.group_id}")
    log.warning("group not described: group=%s why=%s", row.group_id, code.name)
    return True


async def saved_by_groups(
    cluster: Cluster, groups: Collection[GroupDescription]
) -> dict[str, Offsets]:
    """Return all positions that groups have saved, from their current coordinators.

    Positions in open transactions are ignored, without waiting. Groups that are gone, or whose
    positions are not accessible, are omitted.
    """
    found: dict[str, Offsets] = {}
    for node_id, names in (await by_coordinator(cluster, groups)).items():
        link = await cluster.ready_link(node_id)
        version = link.protocol.version_of(ApiKey.OFFSET_FETCH, at_most=_WITHOUT_TOPIC_IDS)
        at_once = len(names) if version >= _SEVERAL_GROUPS else 1
        topics = None if version >= ALL_SINCE else await _every_topic(cluster)
        for start in range(0, len(names), at_once):
            asked = names[start : start + at_once]
            request = OffsetFetchRequest(
                group_id=asked[0],
                topics=topics,
                groups=[OffsetFetchRequestGroup(group_id=name, topics=None) for name in asked],
            )
            reply = await link.ask(request, version=version)
            parts = {part.group_id: part for part in reply.groups} or {asked[0]: reply}
            if parts.keys() != set(asked):
                raise RemoteProtocolError(
                    f"positions of the groups {sorted(parts)} where {asked} were asked for"
                )
            for name, part in parts.items():
                if not may_not_be_seen(name, part):
                    found[name] = _offsets(name, part)
    return found


async def _every_topic(cluster: Cluster) -> list[OffsetFetchRequestTopic]:
    partitions = by_topic(await every_partition(cluster))
    return [
        OffsetFetchRequestTopic(name=name, partition_indexes=rows)
        for name, rows in partitions.items()
    ]


async def by_coordinator(
    cluster: Cluster, groups: Collection[GroupDescription]
) -> dict[int, list[str]]:
    """Group names by the broker that coordinates them now; groups that are gone are omitted."""
    wanted = {each.group_id for each in groups}
    by_node: dict[int, list[str]] = {}
    if wanted:
        for name, (node_id, _) in (await listed_groups(cluster, (), ())).items():
            if name in wanted:
                by_node.setdefault(node_id, []).append(name)
    return by_node


def may_not_be_seen(name: str, part: Any) -> bool:
    """Whether a group is gone, or its offsets are not accessible.

    Raises:
        BrokerError: another error.
    """
    code = ErrorCode(part.error_code)
    if code and code not in _LEFT_OUT:
        raise BrokerError(code, f"reading offsets of group {name}")
    return bool(code)


def _offsets(name: str, part: Any) -> Offsets:
    """The positions of one group.

    Raises:
        BrokerError: an old broker, whose rows have the errors of the group, has not loaded it, or
            no longer coordinates it.
    """
    found: Offsets = {}
    for topic in part.topics:
        for row in topic.partitions:
            if row.error_code in _OF_THE_GROUP:
                raise BrokerError(row.error_code, f"reading offsets of group {name}")
            if row.committed_offset >= 0:
                where = TopicPartition(topic.name, row.partition_index)
                found[where] = CommittedOffset.of_row(row)
    return found
