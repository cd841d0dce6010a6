"""ConsumerGroups: the consumer groups of one partition of __consumer_offsets, and their timers."""

from collections.abc import Collection, Sequence

from barnabas.coordinators.classic_group.group import ClassicGroup
from barnabas.coordinators.classic_group.group_records import encode_end
from barnabas.coordinators.classic_group.group_states import GroupState
from barnabas.coordinators.classic_group.joining import Join
from barnabas.coordinators.classic_group.member import Identity
from barnabas.coordinators.classic_group.replies import JoinReply, SyncReply
from barnabas.coordinators.classic_group.settings import GroupSettings
from barnabas.coordinators.classic_group.syncing import Sync
from barnabas.coordinators.common.draft import RecordDraft, Replay
from barnabas.coordinators.common.kept_groups import GroupTable
from barnabas.coordinators.common.shard import Replayed
from barnabas.coordinators.consumer_group import classic_members, leaving, migration
from barnabas.coordinators.consumer_group.classic_members import JoinContext
from barnabas.coordinators.consumer_group.environment import GroupEnvironment
from barnabas.coordinators.consumer_group.group import ConsumerGroup
from barnabas.coordinators.consumer_group.heartbeats import (
    ConsumerHeartbeat,
    HeartbeatReply,
    answer_heartbeat,
    is_idle,
)
from barnabas.coordinators.consumer_group.member import LEAVES, LEAVES_FOR_A_WHILE
from barnabas.coordinators.consumer_group.regexes import LongWork, compiled, long_work
from barnabas.coordinators.consumer_group.replaying import replay
from barnabas.coordinators.consumer_group.settings import ConsumerSettings
from barnabas.errors import BrokerError, ErrorCode


class ConsumerGroups(GroupTable[ConsumerGroup]):
    """Consumer groups of a broker. `replay_any` applies records of classic groups as well."""

    def __init__(
        self, environment: GroupEnvironment, classic_settings: GroupSettings, replay_any: Replay
    ) -> None:
        super().__init__(replay, replay_any)
        self._environment = environment
        self._classic_settings = classic_settings

    def long_work(self, request: ConsumerHeartbeat) -> LongWork | None:
        """Steps to run before `heartbeat`, which otherwise runs them itself; None if they are short.

        Only these match regular expressions; other changes leave that to a heartbeat.
        """
        if request.epoch in {LEAVES, LEAVES_FOR_A_WHILE}:
            return None
        group, topics = self._groups.get(request.group_id), self._environment.topics
        regexes = [request.regex] if request.regex else []
        if group is not None and group.volatile.topics_seen != topics.changes:
            regexes += group.regexes
        return long_work(regexes, frozenset(topics.names())) if regexes else None

    def extends(self, request: ConsumerHeartbeat, settings: ConsumerSettings, now: int) -> bool:
        """Extend the session of a member for which nothing has happened; False: nothing is done."""
        group = self._groups.get(request.group_id)
        if group is None or not is_idle(group, request, self._environment.topics):
            return False
        group.volatile.sessions[request.member_id] = now + settings.session_ms
        return True

    def heartbeat(
        self, request: ConsumerHeartbeat, classic: ClassicGroup | None, now: int
    ) -> Replayed[HeartbeatReply]:
        """Join, continue or leave. `classic`: the classic group of that name, if there is one.

        Raises:
            BrokerError: it is not allowed; nothing changes then.
        """
        settings = self._environment.settings_of(request.group_id)
        if self.extends(request, settings, now):
            return Replayed(HeartbeatReply(request.member_id, request.epoch, settings.heartbeat_ms))
        group = self._groups.get(request.group_id)
        draft = self._draft(group)
        if request.epoch in {LEAVES, LEAVES_FOR_A_WHILE}:
            return self._leave(draft, group, request, now)
        if request.regex:
            compiled(request.regex)  # before the first record: what is refused changes nothing
        if group is None:
            group = self._begin(draft, request, classic, settings)
            leaving.loaded(group, settings, now)
        try:
            reply = answer_heartbeat(draft, group, request, self._environment.topics, settings, now)
        finally:
            if not group.epoch and not group.members:
                self._groups.pop(request.group_id, None)
        return draft.result(reply)

    def _begin(
        self,
        draft: RecordDraft,
        request: ConsumerHeartbeat,
        classic: ClassicGroup | None,
        settings: ConsumerSettings,
    ) -> ConsumerGroup:
        group_id = request.group_id
        if request.epoch:
            raise not_found(group_id)
        if classic is not None and classic.state is GroupState.EMPTY:
            draft.add(encode_end(group_id))
        elif classic is not None:
            migration.upgrade(draft, classic, request.member_id, self._environment.topics, settings)
        return self._begun(draft, group_id, ConsumerGroup(group_id))

    def _leave(
        self, draft: RecordDraft, group: ConsumerGroup | None, request: ConsumerHeartbeat, now: int
    ) -> Replayed[HeartbeatReply]:
        if group is None:
            raise not_found(request.group_id)
        leaving.check_leaver(group, Identity(request.member_id, request.instance_id))
        if request.epoch == LEAVES_FOR_A_WHILE:
            leaving.leave_for_a_while(draft, group, request.member_id)
        else:
            self._remove(draft, group, [request.member_id], now)
        reply = HeartbeatReply(request.member_id, request.epoch, 0)
        return draft.result(reply)

    def _remove(
        self, draft: RecordDraft, group: ConsumerGroup, gone: Collection[str], now: int
    ) -> None:
        settings = self._environment.settings_of(group.group_id)
        if migration.can_downgrade(group, gone, settings):
            classic = self._classic_settings
            migration.downgrade(draft, group, gone, self._environment.topics, classic)
        else:
            leaving.remove(draft, group, gone, self._environment.topics, now)

    def classic_join(self, group: ConsumerGroup, request: Join, now: int) -> Replayed[JoinReply]:
        """Join with JoinGroup. If all members use that now, the group becomes a classic one.

        Raises:
            BrokerError: it is not allowed; nothing changes then.
        """
        settings = self._environment.settings_of(group.group_id)
        context = JoinContext(self._draft(group), self._environment.topics, settings, now)
        reply = classic_members.join(context, group, request)
        if not reply.error and migration.can_downgrade(group, (), settings):
            topics, classic = self._environment.topics, self._classic_settings
            migration.downgrade(context.draft, group, (), topics, classic)
        return context.draft.result(reply)

    def classic_sync(self, group: ConsumerGroup, request: Sync, now: int) -> SyncReply:
        """Return a member's assignment (SyncGroup).

        Raises:
            BrokerError: it is not a member, or must join again.
        """
        return classic_members.sync(group, request, self._environment.topics, now)

    def classic_heartbeat(
        self, group: ConsumerGroup, who: Identity, generation: int, now: int
    ) -> ErrorCode:
        """Handle a heartbeat of a member that joined with JoinGroup.

        Raises:
            BrokerError: it is not a member, or has another epoch.
        """
        settings = self._environment.settings_of(group.group_id)
        return classic_members.heartbeat(group, who, generation, settings, now)

    def leave(
        self, group: ConsumerGroup, leavers: Sequence[Identity], now: int
    ) -> Replayed[list[ErrorCode]]:
        """Remove members (LeaveGroup); the codes are in their order."""
        codes, gone = leaving.who_leave(group, leavers)
        draft = self._draft(group)
        if gone:
            self._remove(draft, group, gone, now)
        return draft.result(codes)

    def delete(self, group: ConsumerGroup) -> Replayed[None]:
        """The records that delete a group."""
        draft = self._draft(group)
        leaving.delete(draft, group)
        return draft.result(None)

    def deadline(self, group: ConsumerGroup) -> int | None:
        """When the group's next timer expires."""
        return leaving.deadline(group)

    def on_time(self, group: ConsumerGroup, now: int) -> Replayed[None]:
        """Remove members whose sessions ended. The next heartbeat of another makes the assignment."""
        draft = self._draft(group)
        late = leaving.late(group, now)
        if late:
            self._remove(draft, group, late, now)
        return draft.result(None)

    def loaded(self, group: ConsumerGroup, now: int) -> None:
        """Start the sessions: this broker now coordinates the group."""
        leaving.loaded(group, self._environment.settings_of(group.group_id), now)


def not_found(group_id: str) -> BrokerError:
    """The error for a group that does not exist."""
    return BrokerError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} not found.")
