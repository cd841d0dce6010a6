"""Rebalances: which members are expected, until when, and how a generation starts."""

from barnabas.coordinators.classic_group.group import ClassicGroup
from barnabas.coordinators.classic_group.group_states import (
    COMPLETING_REBALANCE,
    EMPTY,
    PREPARING_REBALANCE,
    GroupInput,
)
from barnabas.coordinators.classic_group.member import NO_ASSIGNMENT, Member
from barnabas.coordinators.classic_group.replies import Effects, JoinReply, SyncReply
from barnabas.coordinators.classic_group.snapshot import record_of
from barnabas.errors import ErrorCode


def members_changed(group: ClassicGroup, effects: Effects, now: int) -> None:
    """A member joined, left or changed: begin a rebalance, or end one that waited for that."""
    if group.state is not PREPARING_REBALANCE:
        begin_rebalance(group, effects, now)
    else:
        end_if_all_joined(group, effects, now)


def end_if_all_joined(group: ClassicGroup, effects: Effects, now: int) -> None:
    """End the join phase if no member is missing."""
    if group.state is PREPARING_REBALANCE and group.ends_joins():
        end_join_phase(group, effects, now)


def begin_rebalance(group: ClassicGroup, effects: Effects, now: int) -> None:
    """Begin the join phase: all members must join again until their rebalance timeout ends.

    The first rebalance of an empty group waits `initial_delay_ms` for more members instead.
    """
    if group.state is COMPLETING_REBALANCE:
        drop_assignments(group, effects, ErrorCode.REBALANCE_IN_PROGRESS, now)
    group.sync_deadline = None
    is_first = group.state is EMPTY
    group.move(GroupInput.REBALANCE_NEEDED, now)
    group.has_grown = False
    if is_first:
        delay = group.settings.initial_delay_ms
        _wait_for_joins(group, now + delay)
        group.extension_ms = max(group.rebalance_timeout_ms - delay, 0)
    else:
        group.extension_ms = None
        _wait_for_joins(group, now + group.rebalance_timeout_ms)
        end_if_all_joined(group, effects, now)


def _wait_for_joins(group: ClassicGroup, until: int) -> None:
    group.join_deadline = until
    group.wake_at(until)


def on_join_deadline(group: ClassicGroup, effects: Effects, now: int) -> None:
    """End the join phase at its deadline; a first rebalance continues while members keep joining.

    Source: Kafka's tryCompleteInitialRebalanceElseSchedule.
    """
    if group.extension_ms and group.has_grown:
        group.has_grown = False
        delay = min(group.settings.initial_delay_ms, group.extension_ms)
        group.extension_ms = max(group.extension_ms - delay, 0)
        _wait_for_joins(group, now + delay)
    else:
        end_join_phase(group, effects, now)


def end_join_phase(group: ClassicGroup, effects: Effects, now: int) -> None:
    """Start a generation with the members that joined; remove the others.

    Static members stay until their session ends, and one of the joined members becomes the leader.
    """
    absent = [one for one in group.members.values() if one.joining is None]
    for member in absent:
        if member.instance_id is None:
            remove(group, effects, member, ErrorCode.UNKNOWN_MEMBER_ID)
    if group.members and not _elect(group):
        # Only static members, and none of them is here: wait for their sessions to end.
        _wait_for_joins(group, now + group.rebalance_timeout_ms)
        return
    group.join_deadline = group.extension_ms = None
    group.generation += 1
    if not group.members:
        group.protocol = None
        group.move(GroupInput.NOBODY_JOINED, now)
        effects.record = record_of(group)
        return
    group.protocol = group.vote()
    group.move(GroupInput.MEMBERS_JOINED, now)
    group.sync_deadline = until = now + group.rebalance_timeout_ms
    group.wake_at(until)
    for member in group.members.values():
        if member.joining is not None:
            effects.answer(member.joining, group.join_reply(member))
            member.joining = None
        member.is_new = member.has_synced = False
    group.renew_all_sessions(now)


def _elect(group: ClassicGroup) -> bool:
    """Ensure that the leader has joined; False if nobody has."""
    leader = group.members.get(group.leader or "")
    if leader is not None and leader.joining is not None:
        return True
    for member in group.members.values():
        if member.joining is not None:
            group.leader = member.member_id
            return True
    return False


def on_sync_deadline(group: ClassicGroup, effects: Effects, now: int) -> None:
    """Remove members that joined and never requested their assignment (KAFKA-9752)."""
    group.sync_deadline = None
    absent = [one for one in group.members.values() if not one.has_synced]
    for member in absent:
        remove(group, effects, member, ErrorCode.UNKNOWN_MEMBER_ID)
    if absent:
        begin_rebalance(group, effects, now)


def drop_assignments(group: ClassicGroup, effects: Effects, why: ErrorCode, now: int) -> None:
    """Drop all assignments; requests that wait for one get an error."""
    for member in group.members.values():
        member.assignment = NO_ASSIGNMENT
        if member.syncing is not None:
            effects.answer(member.syncing, SyncReply(why))
            member.syncing = None
            group.renew_session(member, now)


def remove(group: ClassicGroup, effects: Effects, member: Member, why: ErrorCode) -> None:
    """Remove a member and answer its requests with `why`. The caller begins the rebalance."""
    effects.answer(member.joining, JoinReply(why, member.member_id))
    effects.answer(member.syncing, SyncReply(why))
    group.supporters.remove(member.protocols)
    # A connection may refer to it for as long as it is open, and need not keep its metadata.
    member.protocols, member.assignment, member.description = (), NO_ASSIGNMENT, None
    del group.members[member.member_id]
    if member.instance_id is not None:
        del group.instances[member.instance_id]
    if group.leader == member.member_id:
        group.leader = next(iter(group.members), None)
