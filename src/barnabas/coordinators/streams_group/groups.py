"""StreamsGroups: the streams groups of one partition of __consumer_offsets, and their timers.

Source: KIP-1071; Kafka's GroupMetadataManager.
"""

from collections.abc import Iterable

from barnabas.coordinators.classic_group.group import ClassicGroup
from barnabas.coordinators.classic_group.group_records import encode_end
from barnabas.coordinators.classic_group.group_states import GroupState
from barnabas.coordinators.common.draft import RecordDraft, Replay
from barnabas.coordinators.common.kept_groups import GroupTable
from barnabas.coordinators.common.shard import Replayed
from barnabas.coordinators.common.topic_partitions import TopicsView
from barnabas.coordinators.consumer_group.member import JOINS, LEAVES
from barnabas.coordinators.streams_group import records
from barnabas.coordinators.streams_group.configuring import Configured, configure
from barnabas.coordinators.streams_group.group import StreamsGroup
from barnabas.coordinators.streams_group.heartbeats import (
    StreamsHeartbeat,
    StreamsHeartbeatReply,
    beat,
    unknown_member,
)
from barnabas.coordinators.streams_group.member import StreamsMember
from barnabas.coordinators.streams_group.replaying import replay
from barnabas.coordinators.streams_group.settings import StreamsSettings
from barnabas.coordinators.streams_group.target import retarget
from barnabas.errors import BrokerError, ErrorCode


class StreamsGroups(GroupTable[StreamsGroup]):
    """Streams groups of a broker."""

    def __init__(self, topics: TopicsView, replay_any: Replay) -> None:
        super().__init__(replay, replay_any)
        self._topics = topics

    def extends(self, request: StreamsHeartbeat, settings: StreamsSettings, now: int) -> bool:
        """Extend the session of a member for which nothing has happened; False: nothing is done."""
        group = self._groups.get(request.group_id)
        if group is None or not _is_idle(group, request, self._topics, settings):
            return False
        group.volatile.sessions[request.member_id] = now + settings.session_ms
        return True

    def new_tasks(self, request: StreamsHeartbeat) -> int:
        """How many more tasks the group will have, by its topology and the topics as they are now."""
        group = self._groups.get(request.group_id)
        topology, before = request.topology, 0
        if group is not None:
            if group.volatile.topics_seen == self._topics.changes:
                return 0
            topology, before = group.topology, _count(group.volatile.configured)
        elif request.epoch != JOINS:
            return 0
        try:
            found = None if topology is None else configure(topology, self._topics)
        except BrokerError:
            return 0  # the heartbeat is refused
        return max(_count(found) - before, 0)

    def heartbeat(
        self,
        request: StreamsHeartbeat,
        classic: ClassicGroup | None,
        settings: StreamsSettings,
        now: int,
    ) -> Replayed[StreamsHeartbeatReply]:
        """Join, continue or leave. `classic`: the classic group of that name, if there is one.

        Raises:
            BrokerError: it is not allowed; nothing changes then.
        """
        if self.extends(request, settings, now):
            # It knows the endpoints that there are.
            heartbeat_ms, endpoints = settings.heartbeat_ms, request.endpoints
            return Replayed(
                StreamsHeartbeatReply(
                    request.member_id, request.epoch, heartbeat_ms, endpoints=endpoints
                )
            )
        group = self._groups.get(request.group_id)
        draft = self._draft(group)
        if request.epoch == LEAVES:
            return self._leave(draft, group, request)
        if group is None:
            group = self._begin(draft, request, classic)
        try:
            reply = beat(draft, group, request, self._topics, settings, now)
        finally:
            if group.topology is None:
                del self._groups[request.group_id]  # nothing has come of it
        if classic is not None:
            draft.add(encode_end(request.group_id))
        return draft.result(reply)

    def _begin(
        self, draft: RecordDraft, request: StreamsHeartbeat, classic: ClassicGroup | None
    ) -> StreamsGroup:
        """Create a group; it replaces a classic one without members."""
        if request.epoch != JOINS:
            raise _not_found(request.group_id)
        if classic is not None and classic.state is not GroupState.EMPTY:
            raise BrokerError(
                ErrorCode.GROUP_ID_NOT_FOUND, f"Group {request.group_id} is not a streams group."
            )
        return self._begun(draft, request.group_id, StreamsGroup(request.group_id))

    def _leave(
        self, draft: RecordDraft, group: StreamsGroup | None, request: StreamsHeartbeat
    ) -> Replayed[StreamsHeartbeatReply]:
        if group is None:
            raise _not_found(request.group_id)
        if request.member_id not in group.members:
            raise unknown_member(group, request.member_id)
        if request.shuts_down and group.volatile.shutdown_by is None:
            group.volatile.shutdown_by = request.member_id
        self._remove(draft, group, [request.member_id])
        return draft.result(StreamsHeartbeatReply(request.member_id, LEAVES))

    @staticmethod
    def _remove(draft: RecordDraft, group: StreamsGroup, gone: Iterable[str]) -> None:
        for member_id in gone:
            for record in records.without_member(group.group_id, member_id):
                draft.add(record)
        epoch = group.epoch + 1
        draft.add(records.epoch_record(group.group_id, epoch, group.metadata_hash, group.validated))

    def delete(self, group: StreamsGroup) -> Replayed[None]:
        """The records that delete a group."""
        draft = self._draft(group)
        for record in records.without_group(group):
            draft.add(record)
        return draft.result(None)

    def on_time(self, group: StreamsGroup, settings: StreamsSettings, now: int) -> Replayed[None]:
        """Handle what is due: expired sessions and revocations, a first assignment."""
        draft, volatile = self._draft(group), group.volatile
        late = [
            name
            for name in group.members
            if volatile.sessions.get(name, now + 1) <= now
            or volatile.limits.get(name, now + 1) <= now
        ]
        if late:
            self._remove(draft, group, late)
        if volatile.delayed_until is not None and volatile.delayed_until <= now:
            volatile.delayed_until = None
            if group.members:
                retarget(draft, group, settings, now)
        return draft.result(None)


def deadline(group: StreamsGroup) -> int | None:
    """When the group's next timer expires."""
    volatile = group.volatile
    delayed = [] if volatile.delayed_until is None else [volatile.delayed_until]
    return min([*volatile.sessions.values(), *volatile.limits.values(), *delayed], default=None)


def loaded(group: StreamsGroup, settings: StreamsSettings, now: int) -> None:
    """Start the sessions: this broker now coordinates the group.

    Its clock may be behind that of the last assignment; the next assignment does not wait for that.
    """
    group.assigned_at_ms = min(group.assigned_at_ms, now)
    for member_id, member in group.members.items():
        group.volatile.sessions[member_id] = now + settings.session_ms
        if member.revoking:
            group.volatile.limits[member_id] = now + member.rebalance_timeout_ms


def _count(configured: Configured | None) -> int:
    return 0 if configured is None else sum(configured.tasks.values())


def _not_found(group_id: str) -> BrokerError:
    return BrokerError(ErrorCode.GROUP_ID_NOT_FOUND, f"Streams group {group_id} not found.")


def _is_idle(
    group: StreamsGroup, request: StreamsHeartbeat, topics: TopicsView, settings: StreamsSettings
) -> bool:
    """Whether nothing has happened, neither to the member nor to its group."""
    member = group.members.get(request.member_id)
    return (
        member is not None
        and request.epoch == group.epoch == group.assignment_epoch
        and member.follows(request.epoch)
        and _says_nothing(member, request)
        and _has_nothing_to_tell(group, member)
        and group.volatile.topics_seen == topics.changes
        and group.volatile.standbys == settings.standbys
        and group.volatile.endpoints == request.endpoints
    )


def _says_nothing(member: StreamsMember, request: StreamsHeartbeat) -> bool:
    return (
        request.topology is None
        and request.owned is None
        and request.rack_id is None
        and request.process_id is None
        and request.endpoint is None
        and request.tags is None
        and request.rebalance_timeout_ms == -1
        and not request.shuts_down
        and (request.client_id, request.client_host) == (member.client_id, member.client_host)
    )


def _has_nothing_to_tell(group: StreamsGroup, member: StreamsMember) -> bool:
    """Of a status, that is; without a problem the topology's topics exist."""
    volatile, topology = group.volatile, group.topology
    return (
        topology is not None
        and member.topology_epoch == topology.epoch == group.validated
        and volatile.configured is not None
        and volatile.configured.problem is None
        and volatile.shutdown_by is None
        and volatile.delayed_until is None
    )
