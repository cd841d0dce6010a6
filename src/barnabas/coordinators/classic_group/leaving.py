"""Heartbeats, leaves, expired sessions, and the end of a group."""

from collections.abc import Sequence

from barnabas.coordinators.classic_group.group import ClassicGroup
from barnabas.coordinators.classic_group.group_states import PREPARING_REBALANCE, GroupInput
from barnabas.coordinators.classic_group.member import Identity
from barnabas.coordinators.classic_group.rebalancing import (
    begin_rebalance,
    end_if_all_joined,
    members_changed,
    on_join_deadline,
    on_sync_deadline,
    remove,
)
from barnabas.coordinators.classic_group.replies import Effects, Waiter
from barnabas.errors import ErrorCode

_NONE, _REJOIN = ErrorCode.NONE, ErrorCode.REBALANCE_IN_PROGRESS


def heartbeat(
    group: ClassicGroup, member_id: str, instance_id: str | None, generation: int, now: int
) -> ErrorCode:
    """Renew the session of a member of this generation; `now` is in ms.

    Returns NONE, REBALANCE_IN_PROGRESS (the member must rejoin), ILLEGAL_GENERATION,
    UNKNOWN_MEMBER_ID or FENCED_INSTANCE_ID.
    """
    member = group.members.get(member_id)
    if member is None or instance_id is not None:
        refused = group.refusal(Identity(member_id, instance_id))
        if refused is not None:
            return refused
    assert member is not None, "or it was refused"
    if generation != group.generation:
        return ErrorCode.ILLEGAL_GENERATION
    group.renew_session(member, now)
    if group.state is PREPARING_REBALANCE:
        return _REJOIN
    return _NONE


def leave(
    group: ClassicGroup, leavers: Sequence[Identity], now: int
) -> tuple[list[ErrorCode], Effects]:
    """Remove members; returns a code for each, in their order: NONE, UNKNOWN_MEMBER_ID or FENCED_INSTANCE_ID.

    A request that names only an instance removes that static member, whatever its id, as an operator
    would.
    """
    effects = Effects()
    before = len(group.members)
    codes = [_take_out(group, effects, who) for who in leavers]
    if len(group.members) < before:
        members_changed(group, effects, now)
    else:
        end_if_all_joined(group, effects, now)
    return codes, effects


def _take_out(group: ClassicGroup, effects: Effects, who: Identity) -> ErrorCode:
    if group.invited.pop(who.member_id, None) is not None:
        return ErrorCode.NONE
    if not who.member_id and who.instance_id is not None:
        who = Identity(group.instances.get(who.instance_id, ""), who.instance_id)
    refused = group.refusal(who)
    if refused is not None:
        return refused
    remove(group, effects, group.members[who.member_id], ErrorCode.UNKNOWN_MEMBER_ID)
    return ErrorCode.NONE


def hung_up(group: ClassicGroup, member_id: str, waiter: Waiter, now: int) -> Effects:
    """A client that waits to become a member has closed its connection.

    Without an id it cannot return as that member, so it is removed. With an id, its session
    continues.
    """
    effects = Effects()
    member = group.members.get(member_id)
    if member is None or member.joining is not waiter or not member.is_new:
        return effects
    if member.knows_its_id:
        member.silent_until = min(member.silent_until, now + member.session_timeout_ms)
        group.wake_at(member.silent_until)
    else:
        remove(group, effects, member, ErrorCode.UNKNOWN_MEMBER_ID)
        members_changed(group, effects, now)
    return effects


def on_time(group: ClassicGroup, now: int) -> Effects:
    """Do what is due at `now` (ms): expired sessions, join phases and syncs past their deadline."""
    effects = Effects()
    late = [name for name, until in group.invited.items() if until <= now]
    for name in late:
        del group.invited[name]
    gone = [one for one in group.members.values() if _is_over(one.deadline, now)]
    for member in gone:
        remove(group, effects, member, ErrorCode.UNKNOWN_MEMBER_ID)
    if gone:
        members_changed(group, effects, now)
    elif late:
        end_if_all_joined(group, effects, now)
    if _is_over(group.join_deadline, now):
        on_join_deadline(group, effects, now)
    if _is_over(group.sync_deadline, now):
        on_sync_deadline(group, effects, now)
    group.due = group.deadline()
    return effects


def _is_over(deadline: int | None, now: int) -> bool:
    return deadline is not None and deadline <= now


def loaded(group: ClassicGroup, now: int) -> Effects:
    """A broker has become the coordinator: start sessions; remove surplus members.

    A group with members and without a leader was about to start a rebalance.
    """
    effects = Effects()
    for member in group.members.values():
        group.renew_session(member, now)
    is_led = not group.members or group.leader is not None
    if not is_led or len(group.members) > group.settings.max_size:
        begin_rebalance(group, effects, now)
    return effects


def end(group: ClassicGroup, why: ErrorCode, now: int) -> Effects:
    """The group is deleted, or this broker is no longer its coordinator: answer all waiting requests."""
    effects = Effects()
    for member in list(group.members.values()):
        remove(group, effects, member, why)
    group.invited.clear()
    group.storing.clear()
    group.join_deadline = group.sync_deadline = group.due = None
    group.move(GroupInput.ENDED, now)
    return effects
