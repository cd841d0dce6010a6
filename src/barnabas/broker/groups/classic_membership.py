"""GroupMembership: JoinGroup, SyncGroup and LeaveGroup of classic groups, and their deadlines.

Carries out what the machine of a group decides: completes waiting requests, appends records, and has an alarm
for each group at the next moment at which something happens to it by itself.
"""

from collections.abc import Callable, Sequence
from functools import partial

from barnabas.broker.groups.group_shards import GroupShards, Held
from barnabas.broker.groups.group_timers import GroupTimers
from barnabas.broker.purgatory.pending import Pending
from barnabas.coordinators.classic_group import joining, leaving, syncing
from barnabas.coordinators.classic_group import rebalance_fast_path as usual
from barnabas.coordinators.classic_group.group import ClassicGroup
from barnabas.coordinators.classic_group.group_states import STABLE
from barnabas.coordinators.classic_group.joining import Join
from barnabas.coordinators.classic_group.member import Identity
from barnabas.coordinators.classic_group.rebalancing import begin_rebalance
from barnabas.coordinators.classic_group.replies import Effects, JoinReply, SyncReply
from barnabas.coordinators.classic_group.syncing import Sync
from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.coordinators.group_growth import grown_by_assignments, grown_by_join
from barnabas.coordinators.known_groups import GroupKind
from barnabas.errors import ErrorCode
from barnabas.ports import Timers
from barnabas.protocol.join_group import JoinGroupRequest
from barnabas.protocol.sync_group import SyncGroupRequest


class GroupMembership:
    """The members of all classic groups. For one thread.

    All times are the clock's, in ms. `join` and `sync` raise BrokerError (COORDINATOR_NOT_AVAILABLE)
    where the group's partition of __consumer_offsets is not loaded, or the memory of clients is full.
    """

    def __init__(self, shards: GroupShards, timers: Timers) -> None:
        self._shards = shards
        self._alarms = GroupTimers(shards, timers, self._on_alarm)

    def join(
        self,
        held: Held | None,
        group_id: str,
        asked: Join,
        respond: Callable[[JoinReply], object],
    ) -> object:
        """Become a member; returns a Pending of `respond`'s answer, complete when the join phase ends."""
        if held is None:
            held = self._shards.of(group_id)
        group = held.shard.group(group_id)
        if group is None and asked.member_id:
            return respond(JoinReply(ErrorCode.UNKNOWN_MEMBER_ID, asked.member_id))
        self._shards.memory.admit(
            group_id, grown_by_join(group_id, group, asked), "member of a group"
        )
        group = group or held.shard.group_to_join(group_id)
        pending = Pending()
        waiter = pending, respond
        effects = joining.join(group, asked, waiter, self._shards.now_ms())
        self._carry_out(held, group, effects)
        if not pending.is_done:
            member_id = asked.member_id or asked.new_id
            pending.on_given_up(partial(self._on_hung_up, held, group, member_id, waiter))
        return pending

    def join_again(
        self,
        held: Held,
        group: ClassicGroup,
        asked: JoinGroupRequest,
        respond: Callable[[JoinReply], object],
    ) -> Pending | None:
        """As `join`, for a member that repeats its last request; None: the request differs."""
        pending = Pending()
        if not usual.joins_again(group, asked, (pending, respond)):
            return None
        if group.ends_joins():
            self._carry_out(held, group, usual.end_joins(group, self._shards.now_ms()))
        return pending

    def sync(
        self,
        held: Held,
        group: ClassicGroup,
        asked: Sync,
        respond: Callable[[SyncReply], object],
    ) -> object:
        """Get the member's assignment; returns `respond`'s answer, or a Pending until the leader sends it."""
        grown = grown_by_assignments(group, asked.assignments) if asked.assignments else 0
        self._shards.memory.admit(group.group_id, grown, "assignment of a group")
        pending = Pending()
        effects = syncing.sync(group, asked, (pending, respond), self._shards.now_ms())
        self._carry_out(held, group, effects)
        return pending

    def sync_as_usual(
        self,
        group: ClassicGroup,
        asked: SyncGroupRequest,
        respond: Callable[[SyncReply], object],
    ) -> object | None:
        """As `sync`, if the assignments are known, or a follower waits for them; None: anything else."""
        # Its session only grows, so that its group's alarm stays as it is.
        reply = usual.sync_reply(group, asked, self._shards.now_ms())
        if reply is not None:
            return respond(reply)
        pending = Pending()
        return pending if usual.waits_for_leader(group, asked, (pending, respond)) else None

    def leave(
        self, held: Held | None, group_id: str, leavers: Sequence[Identity]
    ) -> list[ErrorCode]:
        """Take members out; the codes are in their order."""
        group = None if held is None else held.shard.group(group_id)
        if held is None or group is None:
            return [ErrorCode.UNKNOWN_MEMBER_ID] * len(leavers)
        codes, effects = leaving.leave(group, leavers, self._shards.now_ms())
        self._carry_out(held, group, effects)
        return codes

    def stop(self) -> None:
        """Respond to all waiting requests that this broker is not the coordinator any more."""
        for held in self._shards.loaded():
            for group in held.shard.groups():
                effects = leaving.end(group, ErrorCode.NOT_COORDINATOR, self._shards.now_ms())
                held.shard.forget(group.group_id)
                self._carry_out(held, group, effects)

    def begin(self, held: Held) -> None:
        """The sessions of loaded members begin.

        A classic group of whose name the log has another kind was never written: it ends.
        """
        now = self._shards.now_ms()
        for group in held.shard.groups():
            if held.shard.kind_of(group.group_id) is GroupKind.CLASSIC:
                effects = leaving.loaded(group, now)
            else:
                held.shard.forget(group.group_id)
                effects = leaving.end(group, ErrorCode.COORDINATOR_NOT_AVAILABLE, now)
            self._carry_out(held, group, effects)

    def upgraded(self, held: Held, group: ClassicGroup) -> None:
        """A group has become a consumer group: requests that wait in the classic one must join again."""
        effects = leaving.end(group, ErrorCode.REBALANCE_IN_PROGRESS, self._shards.now_ms())
        self._carry_out(held, group, effects)

    def downgraded(self, held: Held, group: ClassicGroup, *, rebalance: bool) -> None:
        """A consumer group has become this classic one."""
        now = self._shards.now_ms()
        self._carry_out(held, group, leaving.loaded(group, now))
        if rebalance and group.state is STABLE:
            effects = Effects()
            begin_rebalance(group, effects, now)
            self._carry_out(held, group, effects)

    def _carry_out(self, held: Held, group: ClassicGroup, effects: Effects) -> None:
        for waiter, reply in effects.answers:
            assert isinstance(waiter, tuple), "what waits, and how its reply is put to the client"
            pending, respond = waiter
            pending.complete(respond(reply))
        if effects.record is not None:
            self._store(held, group, effects.record, effects.ticket)
        self._shards.memory.changed(group.group_id)
        due = group.due
        if group.is_vacant:
            held.shard.forget(group.group_id)
            due = None
        self._alarms.set(held, group.group_id, due)

    def _store(
        self, held: Held, group: ClassicGroup, record: CoordinatorRecord, ticket: int | None
    ) -> None:
        def written(code: ErrorCode) -> None:
            if ticket is not None:
                stored = syncing.stored(group, ticket, code, self._shards.now_ms())
                self._carry_out(held, group, stored)

        self._shards.append(held, [record], written)

    def _on_hung_up(self, held: Held, group: ClassicGroup, member_id: str, waiter: object) -> None:
        if held.shard.group(group.group_id) is group:
            now = self._shards.now_ms()
            self._carry_out(held, group, leaving.hung_up(group, member_id, waiter, now))
            self._shards.write()

    def _on_alarm(self, held: Held, group_id: str) -> bool:
        # Another one of its name may be there by now: its alarm is this one too.
        group = held.shard.group(group_id)
        if group is not None:
            self._carry_out(held, group, leaving.on_time(group, self._shards.now_ms()))
        return True
