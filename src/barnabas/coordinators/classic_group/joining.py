"""Joins: who may join, under which id, and whether the others must rejoin."""

from dataclasses import replace
from typing import NamedTuple

from barnabas.coordinators.classic_group.group import ClassicGroup, Replacement
from barnabas.coordinators.classic_group.group_states import (
    EMPTY,
    PREPARING_REBALANCE,
    STABLE,
)
from barnabas.coordinators.classic_group.member import Identity, Member, Protocols
from barnabas.coordinators.classic_group.rebalancing import (
    begin_rebalance,
    end_if_all_joined,
    members_changed,
    remove,
)
from barnabas.coordinators.classic_group.replies import Effects, JoinReply, SyncReply, Waiter
from barnabas.coordinators.classic_group.snapshot import record_of
from barnabas.errors import ErrorCode


class Join(NamedTuple):
    """A JoinGroup request. Timeouts are in ms. A client without a `member_id` gets one of the new ids."""

    member_id: str
    instance_id: str | None
    new_id: str
    new_nameless_id: str
    """For a consumer group, where ids do not contain the client's name."""
    client_id: str
    client_host: str
    session_timeout_ms: int
    rebalance_timeout_ms: int
    protocol_type: str
    protocols: Protocols
    takes_id_first: bool
    """Whether the client knows MEMBER_ID_REQUIRED (KIP-394)."""
    skips_assignment: bool
    """Whether it knows how to lead without handing out anything (KIP-814)."""

    @property
    def who(self) -> Identity:
        """The identity of the sender."""
        return Identity(self.member_id, self.instance_id)


def join(group: ClassicGroup, asked: Join, waiter: Waiter, now: int) -> Effects:
    """Add a member, or update the protocols and timeouts of one.

    `now` is in ms. The response to `waiter` is in the effects of this step or of a later one. Errors:
    GROUP_MAX_SIZE_REACHED, INCONSISTENT_GROUP_PROTOCOL, MEMBER_ID_REQUIRED (with the id to join
    with), UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID.
    """
    member_id = asked.member_id
    effects = Effects()
    if not _has_room(group, member_id):
        if member_id in group.members:
            remove(group, effects, group.members[member_id], ErrorCode.GROUP_MAX_SIZE_REACHED)
        group.invited.pop(member_id, None)
        end_if_all_joined(group, effects, now)
        effects.answer(waiter, JoinReply(ErrorCode.GROUP_MAX_SIZE_REACHED, ""))
    elif not group.agrees(asked.protocol_type, asked.protocols):
        effects.answer(waiter, JoinReply(ErrorCode.INCONSISTENT_GROUP_PROTOCOL, member_id))
    elif not member_id:
        _join_first(group, asked, effects, waiter, now)
    elif member_id in group.invited:
        _add(group, asked, member_id, waiter, now)
        members_changed(group, effects, now)
    elif refused := group.refusal(asked.who):
        effects.answer(waiter, JoinReply(refused, member_id))
    else:
        _join_again(group, asked, effects, waiter, now)
    return effects


def _has_room(group: ClassicGroup, member_id: str) -> bool:
    """Source: Kafka's acceptJoiningMember.

    In the join phase only members that have joined count, so that an oversized group loses the last
    ones.
    """
    largest = group.settings.max_size
    if group.state is EMPTY or len(group.members) < largest:
        return True
    known = group.members.get(member_id)
    if group.state is PREPARING_REBALANCE:
        here = sum(one.joining is not None for one in group.members.values())
        return (known is not None and known.joining is not None) or here < largest
    return known is not None


def _join_first(
    group: ClassicGroup, asked: Join, effects: Effects, waiter: Waiter, now: int
) -> None:
    instance_id = asked.instance_id
    if instance_id is not None and instance_id in group.instances:
        _replace(group, asked, effects, waiter, now)
    elif instance_id is None and asked.takes_id_first:
        group.invited[asked.new_id] = until = now + asked.session_timeout_ms
        group.wake_at(until)
        effects.answer(waiter, JoinReply(ErrorCode.MEMBER_ID_REQUIRED, asked.new_id))
    else:
        _add(group, asked, asked.new_id, waiter, now)
        members_changed(group, effects, now)


def _add(group: ClassicGroup, asked: Join, member_id: str, waiter: Waiter, now: int) -> None:
    group.invited.pop(member_id, None)
    instance_id = asked.instance_id
    until = now + group.settings.new_member_timeout_ms
    group.wake_at(until)
    if not group.members:
        group.protocol_type = asked.protocol_type
        group.leader = member_id
    if group.state is PREPARING_REBALANCE:
        group.has_grown = True
    member = group.members[member_id] = Member(
        member_id=member_id,
        instance_id=instance_id,
        client_id=asked.client_id,
        client_host=asked.client_host,
        session_timeout_ms=asked.session_timeout_ms,
        rebalance_timeout_ms=asked.rebalance_timeout_ms,
        protocols=asked.protocols,
        joining=waiter,
        is_new=True,
        knows_its_id=bool(asked.member_id) or instance_id is not None,
        silent_until=until,
    )
    group.supporters.add(member.protocols)
    if instance_id is not None:
        group.instances[instance_id] = member_id


def _join_again(
    group: ClassicGroup, asked: Join, effects: Effects, waiter: Waiter, now: int
) -> None:
    """A known member joins: the others must rejoin only if it brings changes.

    A leader that joins in a stable group has seen something that only it can see, such as new
    partitions. A follower without changes, or one that missed its response, gets the current
    generation.
    """
    member = group.members[asked.member_id]
    if group.state is not PREPARING_REBALANCE:
        has_news = member.protocols != asked.protocols
        if group.state is STABLE:
            has_news |= group.leader == member.member_id
        if not has_news:
            effects.answer(waiter, group.join_reply(member))
            return
    group.supporters.remove(member.protocols)
    _update(member, asked, effects, waiter)
    group.supporters.add(member.protocols)
    members_changed(group, effects, now)


def _update(member: Member, asked: Join, effects: Effects, waiter: Waiter) -> None:
    if member.joining is not None:
        # It uses another connection: a request that waits on the first one must be repeated.
        reply = JoinReply(ErrorCode.REBALANCE_IN_PROGRESS, member.member_id)
        effects.answer(member.joining, reply)
    member.description = None
    member.protocols = asked.protocols
    member.session_timeout_ms = asked.session_timeout_ms
    member.rebalance_timeout_ms = asked.rebalance_timeout_ms
    member.joining = waiter


def _replace(group: ClassicGroup, asked: Join, effects: Effects, waiter: Waiter, now: int) -> None:
    """A static member is back under a new id; the process that had the old one is fenced.

    Source: Kafka's updateStaticMemberThenRebalanceOrCompleteJoin.
    """
    instance_id = asked.instance_id
    assert instance_id is not None, "only static members are replaced"
    old = group.members[group.instances[instance_id]]
    effects.answer(old.joining, JoinReply(ErrorCode.FENCED_INSTANCE_ID, old.member_id))
    effects.answer(old.syncing, SyncReply(ErrorCode.FENCED_INSTANCE_ID))
    leader_before = group.leader or ""
    was = replace(old, joining=None, syncing=None)
    member = replace(was, member_id=asked.new_id)
    _update(member, asked, effects, waiter)
    group.renew_session(member, now)
    put_in_place(group, old.member_id, member)
    if group.state is STABLE and group.vote() == group.protocol:
        reply = group.join_reply(member)
        if asked.skips_assignment:
            reply = reply._replace(skip_assignment=group.leader == member.member_id)
        else:
            # It must not assign anything, so the response names the previous leader.
            reply = reply._replace(leader=leader_before, members=())
        effects.record = record_of(group)
        effects.ticket = group.ticket(Replacement(was, member, reply))
    elif group.state is PREPARING_REBALANCE:
        end_if_all_joined(group, effects, now)
    else:
        begin_rebalance(group, effects, now)


def put_in_place(group: ClassicGroup, member_id: str, other: Member) -> None:
    """Replace the member `member_id` by another one, which keeps its own id and gets the place."""
    group.supporters.remove(group.members[member_id].protocols)
    group.supporters.add(other.protocols)
    group.members = {
        (other.member_id if name == member_id else name): (other if name == member_id else one)
        for name, one in group.members.items()
    }
    if other.instance_id is not None:
        group.instances[other.instance_id] = other.member_id
    if group.leader == member_id:
        group.leader = other.member_id
