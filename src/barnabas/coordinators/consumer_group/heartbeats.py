"""Heartbeats: who joins, who says something new, who is updated what it is to have.

Source: KIP-848; Kafka's GroupMetadataManager.consumerGroupHeartbeat.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from barnabas.coordinators.common.draft import Draft
from barnabas.coordinators.common.topic_partitions import Place, TopicsView
from barnabas.coordinators.consumer_group import records
from barnabas.coordinators.consumer_group.group import ConsumerGroup
from barnabas.coordinators.consumer_group.member import (
    JOINS,
    LEAVES_FOR_A_WHILE,
    ConsumerMember,
    MemberState,
)
from barnabas.coordinators.consumer_group.reconciling import Seen, reconciled
from barnabas.coordinators.consumer_group.settings import ConsumerSettings
from barnabas.coordinators.consumer_group.target import refresh, resolve, retarget
from barnabas.errors import BrokerError, ErrorCode


@dataclass(frozen=True, slots=True, kw_only=True)
class Beat:
    """What a member says; None, and -1 for a time: the same as before."""

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
    owned: frozenset[Place] | None = None

    @property
    def is_full(self) -> bool:
        """Whether it says everything, and so wants to hear everything."""
        subscribes = self.topics is not None or self.regex is not None
        says_all = subscribes and self.rebalance_timeout_ms != -1 and self.owned is not None
        return self.epoch == JOINS or says_all

    @property
    def is_bare(self) -> bool:
        """Whether it says nothing but that the member is there."""
        return (
            self.topics is None
            and self.regex is None
            and self.rack_id is None
            and self.rebalance_timeout_ms == -1
            and self.assignor is None
        )


@dataclass(frozen=True, slots=True)
class BeatReply:
    """Epoch and, where that is news, all that the member is to have."""

    member_id: str
    epoch: int
    heartbeat_ms: int
    assigned: Iterable[Place] | None = None


def is_idle(group: ConsumerGroup, asked: Beat, topics: TopicsView) -> bool:
    """Whether nothing has happened, neither to the member nor to its group. The usual case."""
    member = group.members.get(asked.member_id)
    return (
        member is not None
        and member.epoch == asked.epoch == group.epoch == group.assignment_epoch
        and member.state is MemberState.STABLE
        and group.heard.topics_seen == topics.changes
        and asked.is_bare
        and asked.instance_id in {None, member.instance_id}
        and (asked.client_id, asked.client_host) == (member.client_id, member.client_host)
        and member.classic is None
    )


def beat(
    draft: Draft,
    group: ConsumerGroup,
    asked: Beat,
    topics: TopicsView,
    settings: ConsumerSettings,
    now: int,
) -> BeatReply:
    """Join, or continue. A new group is in `draft`'s groups once something is added.

    Raises:
        BrokerError: it is not allowed; nothing changes then.
    """
    check_room(group.members, asked.member_id, settings)
    was = find_member(draft, group, asked)
    updated = _updated(was, asked)
    has_news = (updated.topics, updated.regex) != (was.topics, was.regex)
    if updated.regex and updated.regex != was.regex:
        resolve(draft, group, updated.regex, topics, now)
    if updated != group.members.get(asked.member_id):
        draft.add(records.member_record(group.group_id, updated))
    refresh(draft, group, topics, now, has_news=has_news, matches=True)
    retarget(draft, group, topics, settings, now)
    member = step(draft, group, updated, topics, owned=asked.owned, has_news=has_news)
    _set_limits(group, member, settings, now)
    is_news = asked.is_full or member.assigned.keys() != was.assigned.keys()
    return BeatReply(
        member.member_id,
        member.epoch,
        settings.heartbeat_ms,
        member.assigned.keys() if is_news else None,
    )


def step(
    draft: Draft,
    group: ConsumerGroup,
    member: ConsumerMember,
    topics: TopicsView,
    *,
    owned: frozenset[Place] | None,
    has_news: bool,
) -> ConsumerMember:
    """Bring a member one step nearer to what it is to have."""
    if member.follows(group.assignment_epoch) and not has_news:
        return member
    known = (topics.find(name) for name in group.topics_of(member))
    topic_ids = frozenset(topic.topic_id for topic in known if topic is not None)
    after = reconciled(group, member, Seen(owned, topic_ids, has_news))
    if after != member:
        draft.add(records.current_record(group.group_id, after))
    return after


def check_room(members: Collection[str], member_id: str, settings: ConsumerSettings) -> None:
    """Whether a group of these members can take one more.

    Raises:
        BrokerError: GROUP_MAX_SIZE_REACHED.
    """
    if member_id not in members and len(members) >= settings.max_size:
        raise BrokerError(
            ErrorCode.GROUP_MAX_SIZE_REACHED,
            f"The consumer group has reached its maximum capacity of {settings.max_size} members.",
        )


def find_member(draft: Draft, group: ConsumerGroup, asked: Beat) -> ConsumerMember:
    """Find the sender, or create a new member. A static one replaces its predecessor that left.

    Raises:
        BrokerError: it is not a member, not of this epoch, or not the instance's current member.
    """
    joins = asked.epoch == JOINS
    known = group.members.get(asked.member_id)
    if asked.instance_id is not None:
        holder = group.instances.get(asked.instance_id)
        held = None if holder is None else group.members[holder]
        if joins and held is not None and holder != asked.member_id:
            if held.classic is None and held.epoch != LEAVES_FOR_A_WHILE:
                raise BrokerError(
                    ErrorCode.UNRELEASED_INSTANCE_ID,
                    f"Static member {asked.member_id} with instance id {asked.instance_id} cannot "
                    f"join the group because the instance id is owned by {holder} member.",
                )
            return take_place(draft, group, held, asked.member_id)
        if not joins:
            check_static(group, asked.instance_id, asked.member_id)
        known = held
    if known is None:
        if joins:
            return ConsumerMember(member_id=asked.member_id)
        raise BrokerError(
            ErrorCode.UNKNOWN_MEMBER_ID,
            f"Member {asked.member_id} is not a member of group {group.group_id}.",
        )
    _check_epoch(known, asked)
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
    draft: Draft, group: ConsumerGroup, held: ConsumerMember, member_id: str
) -> ConsumerMember:
    """Put a static member that comes back under a new id into its old place."""
    now = replace(held, member_id=member_id, epoch=JOINS, previous_epoch=JOINS)
    target = group.target.get(held.member_id, frozenset())
    for gone in (records.no_current, records.no_target, records.no_member):
        draft.add(gone(group.group_id, held.member_id))
    draft.add(records.member_record(group.group_id, now))
    draft.add(records.target_record(group.group_id, member_id, target))
    draft.add(records.current_record(group.group_id, now))
    return now


def _check_epoch(member: ConsumerMember, asked: Beat) -> None:
    """The epoch must be the member's, or the one before if the answer to that was lost."""
    epoch = asked.epoch
    if epoch in {member.epoch, JOINS}:
        return
    was_lost = epoch == member.previous_epoch and member.has_all_of(asked.owned)
    if epoch > member.epoch or not was_lost:
        than = "greater" if epoch > member.epoch else "smaller"
        raise BrokerError(
            ErrorCode.FENCED_MEMBER_EPOCH,
            f"The consumer group member has a {than} member epoch ({epoch}) than the one known by "
            f"the group coordinator ({member.epoch}). The member must abandon all its partitions "
            "and rejoin.",
        )


def _updated(member: ConsumerMember, asked: Beat) -> ConsumerMember:
    """The member with the data of this heartbeat."""
    timeout = asked.rebalance_timeout_ms
    return replace(
        member,
        instance_id=member.instance_id if asked.instance_id is None else asked.instance_id,
        rack_id=member.rack_id if asked.rack_id is None else asked.rack_id,
        client_id=asked.client_id,
        client_host=asked.client_host,
        topics=member.topics if asked.topics is None else tuple(sorted(set(asked.topics))),
        regex=member.regex if asked.regex is None else asked.regex,
        rebalance_timeout_ms=member.rebalance_timeout_ms if timeout == -1 else timeout,
        assignor=member.assignor if asked.assignor is None else asked.assignor,
        classic=None,
    )


def _set_limits(
    group: ConsumerGroup, member: ConsumerMember, settings: ConsumerSettings, now: int
) -> None:
    group.heard.sessions[member.member_id] = now + settings.session_ms
    if member.state is not MemberState.UNREVOKED:
        group.heard.limits.pop(member.member_id, None)
    else:
        group.heard.limits.setdefault(member.member_id, now + member.rebalance_timeout_ms)
