"""Members of a consumer group that use JoinGroup: a group in migration to KIP-848, or back.

Such a member receives by a sync what a heartbeat would return, and never leads. Source: KIP-848
(online migration); Kafka's classicGroup...ToConsumerGroup.
"""

from dataclasses import dataclass, replace

from barnabas.coordinators.classic_group.joining import Join
from barnabas.coordinators.classic_group.member import Identity
from barnabas.coordinators.classic_group.protocols import (
    CONSUMER,
    encode_assignment,
    subscription_of,
)
from barnabas.coordinators.classic_group.replies import JoinReply, SyncReply
from barnabas.coordinators.classic_group.syncing import Sync
from barnabas.coordinators.common.draft import RecordDraft
from barnabas.coordinators.common.topic_partitions import TopicIdPartition, TopicsView, by_name
from barnabas.coordinators.consumer_group import records
from barnabas.coordinators.consumer_group.group import ConsumerGroup
from barnabas.coordinators.consumer_group.heartbeats import (
    check_room,
    check_static,
    step,
    take_place,
)
from barnabas.coordinators.consumer_group.member import (
    ClassicSide,
    ConsumerMember,
    ConsumerMemberState,
)
from barnabas.coordinators.consumer_group.settings import ConsumerSettings
from barnabas.coordinators.consumer_group.target import assignment_due, refresh, retarget
from barnabas.errors import BrokerError, DecodeError, ErrorCode
from barnabas.protocol.consumer_protocol import ConsumerProtocolSubscription


@dataclass(frozen=True, slots=True)
class JoinContext:
    """What a join needs besides the group and the request."""

    draft: RecordDraft
    topics: TopicsView
    settings: ConsumerSettings
    now: int


def join(context: JoinContext, group: ConsumerGroup, request: Join) -> JoinReply:
    """Add a member, or update its subscription.

    Raises:
        BrokerError: it is not allowed; nothing changes then.
    """
    member_id = request.member_id or request.new_nameless_id
    check_room(group.members, member_id, context.settings)
    _check_protocols(group, request)
    dynamic = request.instance_id is None
    if dynamic and not request.member_id and request.takes_id_first:
        return JoinReply(ErrorCode.MEMBER_ID_REQUIRED, member_id)
    subscription = _subscription(request)
    was = _find(context, group, request, member_id)
    updated = _updated(was, request, subscription)
    has_news = (updated.topics, updated.regex) != (was.topics, was.regex)
    if updated != group.members.get(member_id):
        context.draft.add(records.member_record(group.group_id, updated))
    refresh(context.draft, group, context.topics, context.now, has_news=has_news)
    retarget(context.draft, group, context.topics, context.settings, context.now)
    owned = _owned(subscription, context.topics)
    member = step(context.draft, group, updated, context.topics, owned=owned, has_news=has_news)
    group.volatile.sessions[member_id] = context.now + request.session_timeout_ms
    group.volatile.limits[member_id] = context.now + request.rebalance_timeout_ms
    return JoinReply(
        ErrorCode.NONE,
        member_id,
        generation=member.epoch,
        protocol_type=CONSUMER,
        protocol=request.protocols[0][0],
    )


def _check_protocols(group: ConsumerGroup, request: Join) -> None:
    if request.protocol_type != CONSUMER or not group.supporters.share_any(request.protocols):
        raise BrokerError(
            ErrorCode.INCONSISTENT_GROUP_PROTOCOL,
            f"Member {request.member_id}'s protocols are not supported.",
        )


def _subscription(request: Join) -> ConsumerProtocolSubscription:
    try:
        return subscription_of(request.protocols[0][1])
    except DecodeError as error:
        # Source: Kafka's deserializeSubscription.
        raise BrokerError(ErrorCode.UNKNOWN_SERVER_ERROR, str(error)) from error


def _find(
    context: JoinContext, group: ConsumerGroup, request: Join, member_id: str
) -> ConsumerMember:
    instance_id = request.instance_id
    if instance_id is not None:
        holder = group.instances.get(instance_id)
        if request.member_id:
            check_static(group, instance_id, member_id)
        elif holder is not None:
            return take_place(context.draft, group, group.members[holder], member_id)
    return group.members.get(member_id) or ConsumerMember(member_id=member_id)


def _updated(
    member: ConsumerMember, request: Join, subscription: ConsumerProtocolSubscription
) -> ConsumerMember:
    return replace(
        member,
        instance_id=request.instance_id or member.instance_id,
        rack_id=subscription.rack_id or member.rack_id,
        client_id=request.client_id,
        client_host=request.client_host,
        topics=tuple(sorted(set(subscription.topics))),
        regex="",
        rebalance_timeout_ms=request.rebalance_timeout_ms,
        assignor=None,
        classic=ClassicSide(request.session_timeout_ms, request.protocols),
    )


def _owned(
    subscription: ConsumerProtocolSubscription, topics: TopicsView
) -> frozenset[TopicIdPartition]:
    found = ((topics.find(one.topic), one.partitions) for one in subscription.owned_partitions)
    return frozenset(
        TopicIdPartition(topic.topic_id, partition)
        for topic, partitions in found
        if topic is not None
        for partition in partitions
    )


def sync(group: ConsumerGroup, request: Sync, topics: TopicsView, now: int) -> SyncReply:
    """Return a member's assignment.

    Raises:
        BrokerError: it is not a member, or must join again.
    """
    member, classic = _classic(group, request.who)
    _check_generation(member, request.generation)
    protocol = classic.protocols[0][0]
    agreed = ((request.protocol_type, CONSUMER), (request.protocol, protocol))
    if any(sent is not None and sent != known for sent, known in agreed):
        raise BrokerError(
            ErrorCode.INCONSISTENT_GROUP_PROTOCOL, "Member's protocol is not matched."
        )
    # Source: throwIfRebalanceInProgress of Kafka 4.3.
    if member.epoch < group.assignment_epoch and member.state is not ConsumerMemberState.UNREVOKED:
        limit = now + member.rebalance_timeout_ms
        group.volatile.limits.setdefault(member.member_id, limit)
        raise BrokerError(ErrorCode.REBALANCE_IN_PROGRESS, "A new rebalance is triggered.")
    group.volatile.limits.pop(member.member_id, None)
    group.volatile.sessions[member.member_id] = now + classic.session_timeout_ms
    return SyncReply(
        ErrorCode.NONE,
        CONSUMER,
        protocol,
        encode_assignment(by_name(member.assigned, topics), like=classic.protocols[0][1]),
    )


def heartbeat(
    group: ConsumerGroup, who: Identity, generation: int, settings: ConsumerSettings, now: int
) -> ErrorCode:
    """Handle a heartbeat; the code says whether the member must rejoin.

    Raises:
        BrokerError: it is not a member, or has another epoch.
    """
    member, classic = _classic(group, who)
    _check_generation(member, generation)
    group.volatile.sessions[member.member_id] = now + classic.session_timeout_ms
    if not (_must_join_again(group, member) or _must_see_to_assignment(group, settings, now)):
        return ErrorCode.NONE
    group.volatile.limits.setdefault(member.member_id, now + member.rebalance_timeout_ms)
    return ErrorCode.REBALANCE_IN_PROGRESS


def _must_join_again(group: ConsumerGroup, member: ConsumerMember) -> bool:
    # Source: classicGroupHeartbeatToConsumerGroup of Kafka 4.3.
    return (
        member.epoch < group.assignment_epoch
        or member.state is ConsumerMemberState.UNREVOKED
        or (member.state is ConsumerMemberState.UNRELEASED and not group.waits_for_others(member))
    )


def _must_see_to_assignment(group: ConsumerGroup, settings: ConsumerSettings, now: int) -> bool:
    """Whether only this member's join can trigger a due assignment, because there is no other member.

    Kafka 4.3 leaves the partitions of removed members unassigned until a member joins.
    """
    due = assignment_due(group, settings)
    return due is not None and due <= now and group.only_classic_without(())


def _classic(group: ConsumerGroup, who: Identity) -> tuple[ConsumerMember, ClassicSide]:
    if who.instance_id is not None:
        check_static(group, who.instance_id, who.member_id)
    member = group.members.get(who.member_id)
    if member is None or member.classic is None:
        raise BrokerError(
            ErrorCode.UNKNOWN_MEMBER_ID,
            f"Member {who.member_id} is not a classic member of group {group.group_id}.",
        )
    return member, member.classic


def _check_generation(member: ConsumerMember, generation: int) -> None:
    if member.epoch != generation:
        raise BrokerError(
            ErrorCode.ILLEGAL_GENERATION,
            f"The received generation id {generation} does not match the expected member epoch "
            f"{member.epoch}.",
        )
