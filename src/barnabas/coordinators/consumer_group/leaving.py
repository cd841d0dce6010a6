"""Members that leave, are removed, or whose session ends."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from barnabas.coordinators.classic_group.member import Identity
from barnabas.coordinators.common.draft import RecordDraft
from barnabas.coordinators.common.topic_partitions import TopicsView
from barnabas.coordinators.consumer_group import records
from barnabas.coordinators.consumer_group.group import ConsumerGroup
from barnabas.coordinators.consumer_group.heartbeats import check_static
from barnabas.coordinators.consumer_group.member import LEAVES_FOR_A_WHILE, NOTHING
from barnabas.coordinators.consumer_group.settings import ConsumerSettings
from barnabas.coordinators.consumer_group.target import refresh
from barnabas.errors import BrokerError, ErrorCode


def check_leaver(group: ConsumerGroup, who: Identity) -> None:
    """Check that a leaving member exists.

    Raises:
        BrokerError: it is not a member, or not the current one of its instance.
    """
    if who.instance_id is not None:
        check_static(group, who.instance_id, who.member_id)
    elif who.member_id not in group.members:
        raise BrokerError(
            ErrorCode.UNKNOWN_MEMBER_ID,
            f"Member {who.member_id} is not a member of group {group.group_id}.",
        )


def who_leave(
    group: ConsumerGroup, leavers: Sequence[Identity]
) -> tuple[list[ErrorCode], list[str]]:
    """A code for each member that a LeaveGroup names, and the ids of those that leave.

    An operator may remove members of both kinds, present or away.
    """
    codes: list[ErrorCode] = []
    gone: dict[str, None] = {}
    for who in leavers:
        member_id, instance_id = who
        if not member_id and instance_id is not None:
            # An operator removes a static member this way, whatever its id.
            member_id = group.instances.get(instance_id, "")
        try:
            check_leaver(group, Identity(member_id, instance_id))
        except BrokerError as error:
            codes.append(error.code)
        else:
            codes.append(ErrorCode.NONE)
            gone[member_id] = None
    return codes, list(gone)


def leave_for_a_while(draft: RecordDraft, group: ConsumerGroup, member_id: str) -> None:
    """Mark a static member as away; its partitions wait for it until its session ends."""
    away = replace(group.members[member_id], epoch=LEAVES_FOR_A_WHILE, revoking=NOTHING)
    draft.add(records.current_record(group.group_id, away))
    group.volatile.limits.pop(member_id, None)


def remove(
    draft: RecordDraft,
    group: ConsumerGroup,
    member_ids: Iterable[str],
    topics: TopicsView,
    now: int,
) -> None:
    """Remove members: their partitions are free, and the group starts its next epoch."""
    for member_id in member_ids:
        draft.add(records.no_current(group.group_id, member_id))
        draft.add(records.no_target(group.group_id, member_id))
        draft.add(records.no_member(group.group_id, member_id))
    refresh(draft, group, topics, now, has_news=True)


def delete(draft: RecordDraft, group: ConsumerGroup) -> None:
    """Add the records that delete a group."""
    name, members = group.group_id, sorted(group.members)
    for gone in (records.no_current, records.no_target):
        for member_id in members:
            draft.add(gone(name, member_id))
    draft.add(records.no_assignment_epoch(name))
    for member_id in members:
        draft.add(records.no_member(name, member_id))
    for regex in sorted(group.regexes):
        draft.add(records.no_regex(name, regex))
    draft.add(records.no_group(name))


def deadline(group: ConsumerGroup) -> int | None:
    """The time of the next automatic event; assignments are none, as in Kafka 4.3."""
    return min([*group.volatile.sessions.values(), *group.volatile.limits.values()], default=None)


def late(group: ConsumerGroup, now: int) -> list[str]:
    """Members whose session has ended."""
    volatile = group.volatile
    return [
        name
        for name in group.members
        if volatile.sessions.get(name, now + 1) <= now or volatile.limits.get(name, now + 1) <= now
    ]


def loaded(group: ConsumerGroup, settings: ConsumerSettings, now: int) -> None:
    """Start the sessions: this broker now coordinates the group.

    Its clock may be behind that of the last assignment; the next assignment does not wait for that.
    """
    group.assigned_at_ms = min(group.assigned_at_ms, now)
    for member_id, member in group.members.items():
        session = member.classic.session_timeout_ms if member.classic else settings.session_ms
        group.volatile.sessions[member_id] = now + session
        if member.revoking:
            group.volatile.limits[member_id] = now + member.rebalance_timeout_ms
