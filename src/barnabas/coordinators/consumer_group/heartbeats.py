"""Heartbeats: joins, changed subscriptions, and the assignments returned to members.

Source: KIP-848; Kafka's GroupMetadataManager.consumerGroupHeartbeat.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from barnabas.coordinators.common.draft import RecordDraft
from barnabas.coordinators.common.topic_partitions import TopicIdPartition, TopicsView
from barnabas.coordinators.consumer_group import records
from barnabas.coordinators.consumer_group.group import ConsumerGroup
from barnabas.coordinators.consumer_group.member import (
    JOINS,
    LEAVES_FOR_A_WHILE,
    ConsumerMember,
    ConsumerMemberState,
)
from barnabas.coordinators.consumer_group.reconciling import MemberReport, reconciled
from barnabas.coordinators.consumer_group.settings import ConsumerSettings
from barnabas.coordinators.consumer_group.target import refresh, resolve, retarget
from barnabas.errors import BrokerError, ErrorCode


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerHeartbeat:
    """A member's heartbeat; None, and -1 for a time: unchanged."""

    group_id: str
    member_id: str
    epoch: int
    client_id: str
    client_host: str
    instance_id: str | None = None
    rack_id: str | None = None
    rebalance_timeout_ms: int = -1
    topics: tuple[str, ...] | None = None
    regex: str | None = None
    assignor: str | None = None
    owned: frozenset[TopicIdPartition] | None = None

    @property
    def is_full(self) -> bool:
        """Whether it has all fields, and so requests a full response."""
        subscribes = self.topics is not None or self.regex is not None
        says_all = subscribes and self.rebalance_timeout_ms != -1 and self.owned is not None
        return self.epoch == JOINS or says_all

    @property
    def is_bare(self) -> bool:
        """Whether all optional fields are unchanged."""
        return (
            self.topics is None
            and self.regex is None
            and self.rack_id is None
            and self.rebalance_timeout_ms == -1
            and self.assignor is None
        )


@dataclass(frozen=True, slots=True)
class HeartbeatReply:
    """The member's epoch and, if changed, its whole assignment."""

    member_id: str
    epoch: int
    heartbeat_ms: int
    assigned: Iterable[TopicIdPartition] | None = None


def is_idle(group: ConsumerGroup, request: ConsumerHeartbeat, topics: TopicsView) -> bool:
    """Whether neither the member nor its group has changed: the usual case."""
    member = group.members.get(request.member_id)
    return (
        member is not None
        and member.epoch == request.epoch == group.epoch == group.assignment_epoch
        and member.state is ConsumerMemberState.STABLE
        and group.volatile.topics_seen == topics.changes
        and request.is_bare
        and request.instance_id in {None, member.instance_id}
        and (request.client_id, request.client_host) == (member.client_id, member.client_host)
        and member.classic is None
    )


def answer_heartbeat(
    draft: RecordDraft,
    group: ConsumerGroup,
    request: ConsumerHeartbeat,
    topics: TopicsView,
    settings: ConsumerSettings,
    now: int,
) -> HeartbeatReply:
    """Join, or continue. A new group is in `draft`'s groups once something is added.

    Raises:
        BrokerError: it is not allowed; nothing changes then.
    """
    check_room(group.members, request.member_id, settings)
    was = find_member(draft, group, request)
    updated = _updated(was, request)
    has_news = (updated.topics, updated.regex) != (was.topics, was.regex)
    if updated.regex and updated.regex != was.regex:
        resolve(draft, group, updated.regex, topics, now)
    if updated != group.members.get(request.member_id):
        draft.add(records.member_record(group.group_id, updated))
    refresh(draft, group, topics, now, has_news=has_news, matches=True)
    retarget(draft, group, topics, settings, now)
    member = step(draft, group, updated, topics, owned=request.owned, has_news=has_news)
    _set_limits(group, member, settings, now)
    is_news = request.is_full or member.assigned.keys() != was.assigned.keys()
    return HeartbeatReply(
        member.member_id,
        member.epoch,
        settings.heartbeat_ms,
        member.assigned.keys() if is_news else None,
    )


def step(
    draft: RecordDraft,
    group: ConsumerGroup,
    member: ConsumerMember,
    topics: TopicsView,
    *,
    owned: frozenset[TopicIdPartition] | None,
    has_news: bool,
) -> ConsumerMember:
    """Move a member one step closer to its target assignment."""
    if member.follows(group.assignment_epoch) and not has_news:
        return member
    known = (topics.find(name) for name in group.topics_of(member))
    topic_ids = frozenset(topic.topic_id for topic in known if topic is not None)
    after = reconciled(group, member, MemberReport(owned, topic_ids, has_news))
    if after != member:
        draft.add(records.current_record(group.group_id, after))
    return after


def check_room(members: Collection[str], member_id: str, settings: ConsumerSettings) -> None:
    """Check that the group can take one more member.

    Raises:
        BrokerError: GROUP_MAX_SIZE_REACHED.
    """
    if member_id not in members and len(members) >= settings.max_size:
        raise BrokerError(
            ErrorCode.GROUP_MAX_SIZE_REACHED,
            f"The consumer group has reached its maximum capacity of {settings.max_size} members.",
        )


def find_member(
    draft: RecordDraft, group: ConsumerGroup, request: ConsumerHeartbeat
) -> ConsumerMember:
    """Find the sender, or create a new member. A static one replaces its predecessor that left.

    Raises:
        BrokerError: it is not a member, not of this epoch, or not the instance's current member.
    """
    joins = request.epoch == JOINS
    known = group.members.get(request.member_id)
    if request.instance_id is not None:
        holder = group.instances.get(request.instance_id)
        held = None if holder is None else group.members[holder]
        if joins and held is not None and holder != request.member_id:
            if held.classic is None and held.epoch != LEAVES_FOR_A_WHILE:
                raise BrokerError(
                    ErrorCode.UNRELEASED_INSTANCE_ID,
                    f"Static member {request.member_id} with instance id {request.instance_id} cannot "
                    f"join the group because the instance id is owned by {holder} member.",
                )
            return take_place(draft, group, held, request.member_id)
        if not joins:
            check_static(group, request.instance_id, request.member_id)
        known = held
    if known is None:
        if joins:
            return ConsumerMember(member_id=request.member_id)
        raise BrokerError(
            ErrorCode.UNKNOWN_MEMBER_ID,
            f"Member {request.member_id} is not a member of group {group.group_id}.",
        )
    _check_epoch(known, request)
    return known


def check_static(group: ConsumerGroup, instance_id: str, member_id: str) -> None:
    """Check that a static member is the current one of its instance.

    Raises:
        BrokerError: UNKNOWN_MEMBER_ID: the instance is unknown; FENCED_INSTANCE_ID: another member
            has it.
    """
    holder = group.instances.get(instance_id)
    if holder is None:
        raise BrokerError(ErrorCode.UNKNOWN_MEMBER_ID, f"Instance id {instance_id} is unknown.")
    if holder != member_id:
        raise BrokerError(
            ErrorCode.FENCED_INSTANCE_ID,
            f"Static member {member_id} with instance id {instance_id} was fenced by member {holder}.",
        )


def take_place(
    draft: RecordDraft, group: ConsumerGroup, held: ConsumerMember, member_id: str
) -> ConsumerMember:
    """Replace a static member by its successor with a new id."""
    now = replace(held, member_id=member_id, epoch=JOINS, previous_epoch=JOINS)
    target = group.target.get(held.member_id, frozenset())
    for gone in (records.no_current, records.no_target, records.no_member):
        draft.add(gone(group.group_id, held.member_id))
    draft.add(records.member_record(group.group_id, now))
    draft.add(records.target_record(group.group_id, member_id, target))
    draft.add(records.current_record(group.group_id, now))
    return now


def _check_epoch(member: ConsumerMember, request: ConsumerHeartbeat) -> None:
    """The epoch must be the member's, or the previous one if that response was lost."""
    epoch = request.epoch
    if epoch in {member.epoch, JOINS}:
        return
    was_lost = epoch == member.previous_epoch and member.has_all_of(request.owned)
    if epoch > member.epoch or not was_lost:
        than = "greater" if epoch > member.epoch else "smaller"
        raise BrokerError(
            ErrorCode.FENCED_MEMBER_EPOCH,
            f"The consumer group member has a {than} member epoch ({epoch}) than the one known by "
            f"the group coordinator ({member.epoch}). The member must abandon all its partitions "
            "and rejoin.",
        )


def _updated(member: ConsumerMember, request: ConsumerHeartbeat) -> ConsumerMember:
    """The member with the data of this heartbeat."""
    timeout = request.rebalance_timeout_ms
    return replace(
        member,
        instance_id=member.instance_id if request.instance_id is None else request.instance_id,
        rack_id=member.rack_id if request.rack_id is None else request.rack_id,
        client_id=request.client_id,
        client_host=request.client_host,
        topics=member.topics if request.topics is None else tuple(sorted(set(request.topics))),
        regex=member.regex if request.regex is None else request.regex,
        rebalance_timeout_ms=member.rebalance_timeout_ms if timeout == -1 else timeout,
        assignor=member.assignor if request.assignor is None else request.assignor,
        classic=None,
    )


def _set_limits(
    group: ConsumerGroup, member: ConsumerMember, settings: ConsumerSettings, now: int
) -> None:
    group.volatile.sessions[member.member_id] = now + settings.session_ms
    if member.state is not ConsumerMemberState.UNREVOKED:
        group.volatile.limits.pop(member.member_id, None)
    else:
        group.volatile.limits.setdefault(member.member_id, now + member.rebalance_timeout_ms)
