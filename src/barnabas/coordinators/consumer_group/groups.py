"""ConsumerGroups: the consumer groups of one partition of __consumer_offsets, and their time."""

from collections.abc import Collection, Sequence

from barnabas.coordinators.classic_group.group import ClassicGroup
from barnabas.coordinators.classic_group.group_records import encode_end
from barnabas.coordinators.classic_group.group_states import GroupState
from barnabas.coordinators.classic_group.joining import Join
from barnabas.coordinators.classic_group.member import Identity
from barnabas.coordinators.classic_group.replies import JoinReply, SyncReply
from barnabas.coordinators.classic_group.settings import GroupSettings
from barnabas.coordinators.classic_group.syncing import Sync
from barnabas.coordinators.common.draft import Draft, Replay
from barnabas.coordinators.common.kept_groups import KeptGroups
from barnabas.coordinators.common.shard import Replayed
from barnabas.coordinators.consumer_group import classic_members, leaving, migration
from barnabas.coordinators.consumer_group.classic_members import World
from barnabas.coordinators.consumer_group.environment import Surroundings
from barnabas.coordinators.consumer_group.group import ConsumerGroup
from barnabas.coordinators.consumer_group.heartbeats import Beat, BeatReply, beat, is_idle
from barnabas.coordinators.consumer_group.member import LEAVES, LEAVES_FOR_A_WHILE
from barnabas.coordinators.consumer_group.regexes import LongWork, compiled, long_work
from barnabas.coordinators.consumer_group.replaying import replay
from barnabas.coordinators.consumer_group.settings import ConsumerSettings
from barnabas.errors import BrokerError, ErrorCode


class ConsumerGroups(KeptGroups[ConsumerGroup]):
    """Some groups of a broker. `replay_any` takes in records of classic groups as well."""

    def __init__(
        self, around: Surroundings, classic_settings: GroupSettings, replay_any: Replay
    ) -> None:
        super().__init__(replay, replay_any)
        self._around = around
        self._classic_settings = classic_settings

    def long_work(self, asked: Beat) -> LongWork | None:
        """Steps to run before `heartbeat`, which otherwise runs them itself; None if they are short.

        Only this matches regular expressions: other changes leave that to a heartbeat.
        """
        if asked.epoch in {LEAVES, LEAVES_FOR_A_WHILE}:
            return None
        group, topics = self._groups.get(asked.group_id), self._around.topics
        regexes = [asked.regex] if asked.regex else []
        if group is not None and group.heard.topics_seen != topics.changes:
            regexes += group.regexes
        return long_work(regexes, frozenset(topics.names())) if regexes else None

    def extends(self, asked: Beat, settings: ConsumerSettings, now: int) -> bool:
        """Extend the session of a member for which nothing has happened; False: nothing is done."""
        group = self._groups.get(asked.group_id)
        if group is None or not is_idle(group, asked, self._around.topics):
            return False
        group.heard.sessions[asked.member_id] = now + settings.session_ms
        return True

    def heartbeat(self, asked: Beat, classic: ClassicGroup | None, now: int) -> Replayed[BeatReply]:
        """Join, go on or leave. `classic`: the classic group of that name, if there is one.

        Raises:
            BrokerError: it may not; nothing is changed then.
        """
        settings = self._around.settings_of(asked.group_id)
        if self.extends(asked, settings, now):
            return Replayed(BeatReply(asked.member_id, asked.epoch, settings.heartbeat_ms))
        group = self._groups.get(asked.group_id)
        draft = self._draft(group)
        if asked.epoch in {LEAVES, LEAVES_FOR_A_WHILE}:
            return self._leave(draft, group, asked, now)
        if asked.regex:
            compiled(asked.regex)  # before the first record: what is refused changes nothing
        if group is None:
            group = self._begin(draft, asked, classic, settings)
            leaving.loaded(group, settings, now)
        try:
            reply = beat(draft, group, asked, self._around.topics, settings, now)
        finally:
            if not group.epoch and not group.members:
                self._groups.pop(asked.group_id, None)
        return draft.result(reply)

    def _begin(
        self,
        draft: Draft,
        asked: Beat,
        classic: ClassicGroup | None,
        settings: ConsumerSettings,
    ) -> ConsumerGroup:
        group_id = asked.group_id
        if asked.epoch:
            raise not_found(group_id)
        if classic is not None and classic.state is GroupState.EMPTY:
            draft.add(encode_end(group_id))
        elif classic is not None:
            migration.upgrade(draft, classic, asked.member_id, self._around.topics, settings)
        return self._begun(draft, group_id, ConsumerGroup(group_id))

    def _leave(
        self, draft: Draft, group: ConsumerGroup | None, asked: Beat, now: int
    ) -> Replayed[BeatReply]:
        if group is None:
            raise not_found(asked.group_id)
        leaving.check_leaver(group, Identity(asked.member_id, asked.instance_id))
        if asked.epoch == LEAVES_FOR_A_WHILE:
            leaving.leave_for_a_while(draft, group, asked.member_id)
        else:
            self._remove(draft, group, [asked.member_id], now)
        reply = BeatReply(asked.member_id, asked.epoch, 0)
        return draft.result(reply)

    def _remove(self, draft: Draft, group: ConsumerGroup, gone: Collection[str], now: int) -> None:
        settings = self._around.settings_of(group.group_id)
        if migration.can_downgrade(group, gone, settings):
            classic = self._classic_settings
            migration.downgrade(draft, group, gone, self._around.topics, classic)
        else:
            leaving.remove(draft, group, gone, self._around.topics, now)

    def classic_join(self, group: ConsumerGroup, asked: Join, now: int) -> Replayed[JoinReply]:
        """Become a member with JoinGroup. The last to do so makes the group a classic one.

        Raises:
            BrokerError: it may not; nothing is changed then.
        """
        settings = self._around.settings_of(group.group_id)
        world = World(self._draft(group), self._around.topics, settings, now)
        reply = classic_members.join(world, group, asked)
        if not reply.error and migration.can_downgrade(group, (), settings):
            topics, classic = self._around.topics, self._classic_settings
            migration.downgrade(world.draft, group, (), topics, classic)
        return world.draft.result(reply)

    def classic_sync(self, group: ConsumerGroup, asked: Sync, now: int) -> SyncReply:
        """Ask with SyncGroup what to do.

        Raises:
            BrokerError: it is no member, or must join again.
        """
        return classic_members.sync(group, asked, self._around.topics, now)

    def classic_heartbeat(
        self, group: ConsumerGroup, who: Identity, generation: int, now: int
    ) -> ErrorCode:
        """A member that joined with JoinGroup is alive.

        Raises:
            BrokerError: it is no member, or of another epoch.
        """
        settings = self._around.settings_of(group.group_id)
        return classic_members.heartbeat(group, who, generation, settings, now)

    def leave(
        self, group: ConsumerGroup, leavers: Sequence[Identity], now: int
    ) -> Replayed[list[ErrorCode]]:
        """Take members out as LeaveGroup says; the codes are in their order."""
        codes, gone = leaving.who_leave(group, leavers)
        draft = self._draft(group)
        if gone:
            self._remove(draft, group, gone, now)
        return draft.result(codes)

    def delete(self, group: ConsumerGroup) -> Replayed[None]:
        """Write that there is nothing of a group any more."""
        draft = self._draft(group)
        leaving.delete(draft, group)
        return draft.result(None)

    def deadline(self, group: ConsumerGroup) -> int | None:
        """When the next thing happens to a group by itself."""
        return leaving.deadline(group)

    def on_time(self, group: ConsumerGroup, now: int) -> Replayed[None]:
        """Take out whose sessions ended. The next heartbeat of another one makes the assignment."""
        draft = self._draft(group)
        late = leaving.late(group, now)
        if late:
            self._remove(draft, group, late, now)
        return draft.result(None)

    def loaded(self, group: ConsumerGroup, now: int) -> None:
        """This broker has begun to coordinate a group: sessions begin."""
        leaving.loaded(group, self._around.settings_of(group.group_id), now)


def not_found(group_id: str) -> BrokerError:
    """There is no consumer group of that name."""
    return BrokerError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} not found.")
