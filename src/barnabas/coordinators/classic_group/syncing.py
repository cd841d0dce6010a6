"""Syncs, and the delivery of assignments after they are written."""

from collections.abc import Mapping
from typing import NamedTuple

from barnabas.coordinators.classic_group.group import Assignments, ClassicGroup, Replacement
from barnabas.coordinators.classic_group.group_states import (
    COMPLETING_REBALANCE,
    PREPARING_REBALANCE,
    STABLE,
    GroupInput,
)
from barnabas.coordinators.classic_group.joining import put_in_place
from barnabas.coordinators.classic_group.member import NO_ASSIGNMENT, Identity
from barnabas.coordinators.classic_group.rebalancing import drop_assignments, members_changed
from barnabas.coordinators.classic_group.replies import Effects, JoinReply, SyncReply, Waiter
from barnabas.coordinators.classic_group.snapshot import record_of
from barnabas.errors import ErrorCode


class Sync(NamedTuple):
    """A SyncGroup request; that of the leader has the assignments of all, by member id."""

    member_id: str
    instance_id: str | None
    generation: int
    protocol_type: str | None
    protocol: str | None
    assignments: Mapping[str, bytes]

    @property
    def who(self) -> Identity:
        """The identity of the sender."""
        return Identity(self.member_id, self.instance_id)


def sync(group: ClassicGroup, asked: Sync, waiter: Waiter, now: int) -> Effects:
    """Have `waiter` answered with its assignment, now or once the leader's is written; `now` is in ms.

    Errors: UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID, ILLEGAL_GENERATION, INCONSISTENT_GROUP_PROTOCOL,
    REBALANCE_IN_PROGRESS, and the code with which the record could not be written.
    """
    effects = Effects()
    refused = _refusal(group, asked)
    if refused is not None:
        effects.answer(waiter, SyncReply(refused))
        return effects
    member = group.members[asked.member_id]
    member.has_synced = True
    if group.state is STABLE:
        effects.answer(waiter, group.sync_reply(member))
        group.renew_session(member, now)
        return effects
    if member.syncing is not None:
        # It uses another connection: a request that waits on the first one must rejoin.
        effects.answer(member.syncing, SyncReply(ErrorCode.REBALANCE_IN_PROGRESS))
    member.syncing = waiter
    if group.leader == member.member_id:
        assigned = {name: asked.assignments.get(name, NO_ASSIGNMENT) for name in group.members}
        effects.record = record_of(group, assigned)
        effects.ticket = group.ticket(Assignments(group.generation, assigned))
    return effects


def _refusal(group: ClassicGroup, asked: Sync) -> ErrorCode | None:
    refused = group.refusal(asked.who)
    if refused is not None:
        return refused
    if asked.generation != group.generation:
        return ErrorCode.ILLEGAL_GENERATION
    if _differ(asked.protocol_type, group.protocol_type) or _differ(asked.protocol, group.protocol):
        return ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    if group.state is PREPARING_REBALANCE:
        return ErrorCode.REBALANCE_IN_PROGRESS
    return None


def _differ(asked: str | None, agreed: str | None) -> bool:
    return asked is not None and agreed is not None and asked != agreed


def stored(group: ClassicGroup, ticket: int, code: ErrorCode, now: int) -> Effects:
    """Go on after the record of a ticket was written, or was not (`code`); `now` is in ms."""
    effects = Effects()
    match group.storing.pop(ticket, None):
        case Assignments(generation, by_member):
            if group.state is COMPLETING_REBALANCE and group.generation == generation:
                _assign(group, by_member, code, effects, now)
        case Replacement() as one:
            _replaced(group, one, code, effects, now)
        case None:
            pass  # The group ended in between.
    return effects


def _assign(
    group: ClassicGroup,
    by_member: Mapping[str, bytes],
    code: ErrorCode,
    effects: Effects,
    now: int,
) -> None:
    if code:
        drop_assignments(group, effects, code, now)
        members_changed(group, effects, now)
        return
    group.move(GroupInput.ASSIGNED, now)
    for member in group.members.values():
        member.assignment = by_member.get(member.member_id, NO_ASSIGNMENT)
        if member.syncing is not None:
            effects.answer(member.syncing, group.sync_reply(member))
            member.syncing = None
    group.renew_all_sessions(now)


def _replaced(
    group: ClassicGroup, one: Replacement, code: ErrorCode, effects: Effects, now: int
) -> None:
    """Answer a static member that came back, or undo that where its record was not written."""
    is_there = group.members.get(one.now.member_id) is one.now
    if not is_there or (group.state, group.generation) != (STABLE, one.reply.generation):
        return  # What happened since answers it.
    waiter, one.now.joining = one.now.joining, None
    if code:
        put_in_place(group, one.now.member_id, one.was)
        group.renew_session(one.was, now)
        effects.answer(waiter, JoinReply(code, ""))
    else:
        group.wake_at(one.now.silent_until)
        effects.answer(waiter, one.reply)
