"""StreamsGroups: the streams groups of one partition of __consumer_offsets, and their time.

Source: KIP-1071; Kafka's GroupMetadataManager.
"""

from collections.abc import Iterable

from barnabas.coordinators.classic_group.group import ClassicGroup
from barnabas.coordinators.classic_group.group_records import encode_end
from barnabas.coordinators.classic_group.group_states import GroupState
from barnabas.coordinators.common.draft import Draft, Replay
from barnabas.coordinators.common.kept_groups import KeptGroups
from barnabas.coordinators.common.shard import Replayed
from barnabas.coordinators.common.topic_partitions import TopicsView
from barnabas.coordinators.consumer_group.member import JOINS, LEAVES
from barnabas.coordinators.streams_group import records
from barnabas.coordinators.streams_group.group import StreamsGroup
from barnabas.coordinators.streams_group.heartbeats import (
    StreamsBeat,
    StreamsReply,
    beat,
    unknown_member,
)
from barnabas.coordinators.streams_group.member import StreamsMember
from barnabas.coordinators.streams_group.replaying import replay
from barnabas.coordinators.streams_group.settings import StreamsSettings
from barnabas.coordinators.streams_group.target import retarget
from barnabas.errors import BrokerError, ErrorCode


class StreamsGroups(KeptGroups[StreamsGroup]):
    """Some groups of a broker."""

    def __init__(self, topics: TopicsView, replay_any: Replay) -> None:
        super().__init__(replay, replay_any)
        self._topics = topics

    def extends(self, asked: StreamsBeat, settings: StreamsSettings, now: int) -> bool:
        """Extend the session of a member for which nothing has happened; False: nothing is done."""
        group = self._groups.get(asked.group_id)
        if group is None or not _is_idle(group, asked, self._topics, settings):
            return False
        group.heard.sessions[asked.member_id] = now + settings.session_ms
        return True

    def heartbeat(
        self, asked: StreamsBeat, classic: ClassicGroup | None, settings: StreamsSettings, now: int
    ) -> Replayed[StreamsReply]:
        """Join, continue or leave. `classic`: the classic group of that name, if there is one.

        Raises:
            BrokerError: it is not allowed; nothing changes then.
        """
        if self.extends(asked, settings, now):
            # It knows the endpoints that there are.
            told_ms, endpoints = settings.heartbeat_ms, asked.endpoints
            return Replayed(
                StreamsReply(asked.member_id, asked.epoch, told_ms, endpoints=endpoints)
            )
        group = self._groups.get(asked.group_id)
        draft = self._draft(group)
        if asked.epoch == LEAVES:
            return self._leave(draft, group, asked)
        if group is None:
            group = self._begin(draft, asked, classic)
        try:
            reply = beat(draft, group, asked, self._topics, settings, now)
        finally:
            if group.topology is None:
                del self._groups[asked.group_id]  # nothing has come of it
        if classic is not None:
            draft.add(encode_end(asked.group_id))
        return draft.result(reply)

    def _begin(
        self, draft: Draft, asked: StreamsBeat, classic: ClassicGroup | None
    ) -> StreamsGroup:
        """A new group; a classic one without members makes room for it."""
        if asked.epoch != JOINS:
            raise _not_found(asked.group_id)
        if classic is not None and classic.state is not GroupState.EMPTY:
            raise BrokerError(
                ErrorCode.GROUP_ID_NOT_FOUND, f"Group {asked.group_id} is not a streams group."
            )
        return self._begun(draft, asked.group_id, StreamsGroup(asked.group_id))

    def _leave(
        self, draft: Draft, group: StreamsGroup | None, asked: StreamsBeat
    ) -> Replayed[StreamsReply]:
        if group is None:
            raise _not_found(asked.group_id)
        if asked.member_id not in group.members:
            raise unknown_member(group, asked.member_id)
        if asked.shuts_down and group.heard.shutdown_by is None:
            group.heard.shutdown_by = asked.member_id
        self._remove(draft, group, [asked.member_id])
        return draft.result(StreamsReply(asked.member_id, LEAVES))

    @staticmethod
    def _remove(draft: Draft, group: StreamsGroup, gone: Iterable[str]) -> None:
        for member_id in gone:
            for record in records.without_member(group.group_id, member_id):
                draft.add(record)
        epoch = group.epoch + 1
        draft.add(records.epoch_record(group.group_id, epoch, group.metadata_hash, group.validated))

    def delete(self, group: StreamsGroup) -> Replayed[None]:
        """Write that there is nothing of a group any more."""
        draft = self._draft(group)
        for record in records.without_group(group):
            draft.add(record)
        return draft.result(None)

    def on_time(self, group: StreamsGroup, settings: StreamsSettings, now: int) -> Replayed[None]:
        """Do what is due: expired sessions and revocations, a first assignment."""
        draft, heard = self._draft(group), group.heard
        late = [
            name
            for name in group.members
            if heard.sessions.get(name, now + 1) <= now or heard.limits.get(name, now + 1) <= now
        ]
        if late:
            self._remove(draft, group, late)
        if heard.delayed_until is not None and heard.delayed_until <= now:
            heard.delayed_until = None
            if group.members:
                retarget(draft, group, settings, now)
        return draft.result(None)


def deadline(group: StreamsGroup) -> int | None:
    """When the next thing happens to a group by itself."""
    heard = group.heard
    delayed = [] if heard.delayed_until is None else [heard.delayed_until]
    return min([*heard.sessions.values(), *heard.limits.values(), *delayed], default=None)


def loaded(group: StreamsGroup, settings: StreamsSettings, now: int) -> None:
    """A broker has begun to coordinate a group: sessions begin.

    Its clock may be behind that of the last assignment: the next one does not wait for that.
    """
    group.assigned_at_ms = min(group.assigned_at_ms, now)
    for member_id, member in group.members.items():
        group.heard.sessions[member_id] = now + settings.session_ms
        if member.revoking:
            group.heard.limits[member_id] = now + member.rebalance_timeout_ms


def _not_found(group_id: str) -> BrokerError:
    return BrokerError(ErrorCode.GROUP_ID_NOT_FOUND, f"Streams group {group_id} not found.")


def _is_idle(
    group: StreamsGroup, asked: StreamsBeat, topics: TopicsView, settings: StreamsSettings
) -> bool:
    """Whether nothing has happened, neither to the member nor to its group."""
    member = group.members.get(asked.member_id)
    return (
        member is not None
        and asked.epoch == group.epoch == group.assignment_epoch
        and member.follows(asked.epoch)
        and _says_nothing(member, asked)
        and _has_nothing_to_tell(group, member)
        and group.heard.topics_seen == topics.changes
        and group.heard.standbys == settings.standbys
        and group.heard.endpoints == asked.endpoints
    )


def _says_nothing(member: StreamsMember, asked: StreamsBeat) -> bool:
    return (
        asked.topology is None
        and asked.owned is None
        and asked.rack_id is None
        and asked.process_id is None
        and asked.endpoint is None
        and asked.tags is None
        and asked.rebalance_timeout_ms == -1
        and not asked.shuts_down
        and (asked.client_id, asked.client_host) == (member.client_id, member.client_host)
    )


def _has_nothing_to_tell(group: StreamsGroup, member: StreamsMember) -> bool:
    """Of a status, that is; without a problem the topology's topics exist."""
    heard, topology = group.heard, group.topology
    return (
        topology is not None
        and member.topology_epoch == topology.epoch == group.validated
        and heard.configured is not None
        and heard.configured.problem is None
        and heard.shutdown_by is None
        and heard.delayed_until is None
    )
