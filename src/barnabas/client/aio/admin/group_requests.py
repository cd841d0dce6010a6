"""Requests of an admin client about groups. Each function sends once; the caller retries."""

from collections.abc import Collection, Sequence
from typing import Final

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.cluster.coordinator import Coordinator
from barnabas.client.core.admin.described_groups import (
    CLASSIC,
    CONSUMER_KIND,
    DEAD,
    DESCRIBED,
    describe_request,
)
from barnabas.client.core.admin.group_descriptions import (
    SHARE,
    STREAMS,
    GroupDescription,
    GroupListing,
)
from barnabas.client.core.group.subscription import by_topic
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.delete_groups import DeleteGroupsRequest
from barnabas.protocol.leave_group import LeaveGroupRequest, MemberIdentity
from barnabas.protocol.list_groups import ListGroupsRequest
from barnabas.protocol.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from barnabas.types import TopicPartition

_NOT_THAT_KIND: Final = (ErrorCode.UNSUPPORTED_VERSION, ErrorCode.GROUP_ID_NOT_FOUND)


async def listed_groups(
    cluster: Cluster, states: Collection[str], kinds: Collection[str]
) -> dict[str, tuple[int, GroupListing]]:
    """Return the groups of all brokers by name, with the broker that reported each: its coordinator."""
    if cluster.view.updates == 0:
        await cluster.metadata.updated()
    request = ListGroupsRequest(states_filter=list(states), types_filter=list(kinds))
    found: dict[str, tuple[int, GroupListing]] = {}
    for node_id in sorted(cluster.view.brokers):
        reply = await cluster.ask(request, node_id=node_id)
        if reply.error_code:
            raise BrokerError(reply.error_code, f"listing groups of broker {node_id}")
        for row in reply.groups:
            listing = GroupListing(row.group_id, row.protocol_type, row.group_state, row.group_type)
            # A broker that is too old for filters returns all.
            if _is_among(listing.state, states) and _is_among(listing.kind, kinds):
                found[listing.group_id] = node_id, listing
    return dict(sorted(found.items()))


def _is_among(word: str, words: Collection[str]) -> bool:
    """Brokers differ in the case of kinds: Kafka returns Classic, and accepts classic."""
    return not words or word.lower() in {each.lower() for each in words}


async def described(coordinator: Coordinator) -> GroupDescription:
    """Describe one group: a group with broker-side assignment (KIP-848, 932, 1071) or a classic one.

    Raises:
        BrokerError: GROUP_ID_NOT_FOUND; UNSUPPORTED_VERSION, its broker knows it and does not serve it.
    """
    unserved: list[str] = []
    for kind in (CONSUMER_KIND, SHARE, STREAMS):
        try:
            return await _described_as(kind, coordinator)
        except BrokerError as error:
            if error.code not in _NOT_THAT_KIND:
                raise
            if error.code is ErrorCode.UNSUPPORTED_VERSION:
                unserved.append(kind)
    try:
        return await _described_as(CLASSIC, coordinator)
    except BrokerError as error:
        if error.code is ErrorCode.GROUP_ID_NOT_FOUND and unserved:
            await _refuse_unserved(coordinator, unserved)
        raise


async def _refuse_unserved(coordinator: Coordinator, kinds: Collection[str]) -> None:
    """A broker also lists groups of kinds that are disabled, and otherwise hides them.

    Raises:
        BrokerError: UNSUPPORTED_VERSION, the group is listed as one of these kinds.
    """
    reply = await coordinator.ask(ListGroupsRequest())
    for row in reply.groups:
        kind = row.group_type.lower()
        if row.group_id == coordinator.group_id and kind in kinds:
            what = (
                f"it is a {kind} group, which its broker does not serve: is {kind} in its "
                "group.coordinator.rebalance.protocols?"
            )
            coordinator.check(ErrorCode.UNSUPPORTED_VERSION, what)


async def deleted(coordinator: Coordinator) -> None:
    """Delete one group."""
    reply = await coordinator.ask(DeleteGroupsRequest(groups_names=[coordinator.group_id]))
    for row in reply.results:
        missing = row.error_code == ErrorCode.GROUP_ID_NOT_FOUND
        what = "there is no such group" if missing else row.error_message or "deleting"
        coordinator.check(row.error_code, what)


async def forgotten(coordinator: Coordinator, partitions: Sequence[TopicPartition]) -> None:
    """Delete saved positions."""
    request = OffsetDeleteRequest(
        group_id=coordinator.group_id,
        topics=[
            OffsetDeleteRequestTopic(
                name=topic,
                partitions=[OffsetDeleteRequestPartition(partition_index=one) for one in rows],
            )
            for topic, rows in by_topic(partitions).items()
        ],
    )
    reply = await coordinator.ask(request)
    coordinator.check(reply.error_code, "deleting offsets")
    for topic in reply.topics:
        for row in topic.partitions:
            what = f"deleting the offset of {topic.name}-{row.partition_index}"
            coordinator.check(row.error_code, what)


async def removed(coordinator: Coordinator, instances: Sequence[str] | None) -> None:
    """Remove members from the group: static ones by name, or all."""
    if instances is not None:
        gone = [MemberIdentity(group_instance_id=name) for name in instances]
    else:
        gone = [
            MemberIdentity(member_id=each.member_id, group_instance_id=each.instance_id)
            for each in (await described(coordinator)).members
        ]
    if not gone:
        return
    reply = await coordinator.ask(LeaveGroupRequest(group_id=coordinator.group_id, members=gone))
    coordinator.check(reply.error_code, "removing members")
    for row in reply.members:
        coordinator.check(row.error_code, f"removing {row.group_instance_id or row.member_id}")


async def _described_as(kind: str, coordinator: Coordinator) -> GroupDescription:
    row = (await coordinator.ask(describe_request(kind, [coordinator.group_id]))).groups[0]
    coordinator.check(row.error_code, row.error_message or "describing")
    if row.group_state == DEAD and kind == CLASSIC:
        coordinator.check(ErrorCode.GROUP_ID_NOT_FOUND, "there is no such group")
    return DESCRIBED[kind](row, coordinator.node_id)
