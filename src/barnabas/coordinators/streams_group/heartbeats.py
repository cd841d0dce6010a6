"""Heartbeats: joins, changes, and the assignments returned to members.

Source: KIP-1071; Kafka's GroupMetadataManager.streamsGroupHeartbeat.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from barnabas.coordinators.common.draft import RecordDraft
from barnabas.coordinators.common.topic_partitions import TopicsView
from barnabas.coordinators.consumer_group.member import JOINS
from barnabas.coordinators.consumer_group.target import hash_of, known_topics
from barnabas.coordinators.streams_group import records
from barnabas.coordinators.streams_group.configuring import MissingTopic, configure
from barnabas.coordinators.streams_group.endpoints import EndpointPartitions, endpoint_partitions
from barnabas.coordinators.streams_group.group import StreamsGroup
from barnabas.coordinators.streams_group.member import (
    MemberEndpoint,
    StreamsMember,
    StreamsMemberState,
)
from barnabas.coordinators.streams_group.reconciling import check_state, reconciled
from barnabas.coordinators.streams_group.settings import StreamsSettings
from barnabas.coordinators.streams_group.statuses import Status, StatusCode
from barnabas.coordinators.streams_group.target import TopologyCheck, refresh, retarget
from barnabas.coordinators.streams_group.tasks import NO_TASKS, Tasks
from barnabas.coordinators.streams_group.topology import Topology
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.internal.streams_group_records import Subtopology


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamsHeartbeat:
    """A member's heartbeat; None, and -1 for a time: unchanged.

    `endpoints`: the version of the members' endpoints that it has.
    """

    group_id: str
    member_id: str
    epoch: int
    client_id: str
    client_host: str
    endpoints: int = -1
    rack_id: str | None = None
    rebalance_timeout_ms: int = -1
    topology: Topology | None = None
    owned: Tasks | None = None
    process_id: str | None = None
    endpoint: MemberEndpoint | None = None
    tags: tuple[tuple[str, str], ...] | None = None
    shuts_down: bool = False

    @property
    def describes_itself(self) -> bool:
        """Whether it has a topology, or names and tags of the member."""
        return any((self.topology, self.rack_id, self.process_id, self.endpoint, self.tags))


@dataclass(frozen=True, slots=True)
class StreamsHeartbeatReply:
    """Epoch and, if changed, all tasks of the member.

    `partitions`: the endpoints of partitions, if changed. `missing`: internal topics to create for
    the group.
    """

    member_id: str
    epoch: int
    heartbeat_ms: int = 0
    tasks: Tasks | None = None
    statuses: tuple[Status, ...] = ()
    endpoints: int = 0
    partitions: tuple[EndpointPartitions, ...] | None = None
    missing: tuple[MissingTopic, ...] = ()


def beat(
    draft: RecordDraft,
    group: StreamsGroup,
    request: StreamsHeartbeat,
    topics: TopicsView,
    settings: StreamsSettings,
    now: int,
) -> StreamsHeartbeatReply:
    """Join, or continue.

    Raises:
        BrokerError: it is not allowed; nothing changes then.
    """
    was = _find_member(group, request, settings)
    check_state(was, request.owned)
    look = _look(group, _topology(group, request), topics)
    if not look.configured.problem:
        _check_tasks(look, request.owned or NO_TASKS)
    volatile, updated = group.volatile, _updated(was, request)
    if not group.members and volatile.delayed_until is None and settings.initial_delay_ms:
        volatile.delayed_until = now + settings.initial_delay_ms
    has_news = updated != group.members.get(request.member_id)
    if has_news:
        draft.add(records.member_record(group.group_id, updated))
    if group.topology is None:
        draft.add(records.topology_record(group.group_id, look.topology))
    refresh(draft, group, look, settings, has_news=has_news)
    delayed = retarget(draft, group, settings, now)
    member = _step(draft, group, updated, request.owned)
    _set_limits(group, member, settings, now)
    if request.shuts_down and volatile.shutdown_by is None:
        volatile.shutdown_by = request.member_id
    tasks = frozenset(member.assigned)
    # A member with other tasks has missed a response. Kafka 4.3 does not repeat it.
    has_missed = request.owned is not None and request.owned != tasks
    is_news = request.epoch == JOINS or has_missed or tasks != was.assigned.keys()
    if is_news and member.endpoint is not None:
        volatile.endpoints += 1
    return StreamsHeartbeatReply(
        member.member_id,
        member.epoch,
        settings.heartbeat_ms,
        tasks if is_news else None,
        tuple(_statuses(group, member, delayed)),
        volatile.endpoints,
        endpoint_partitions(group, topics) if volatile.endpoints != request.endpoints else None,
        look.configured.missing,
    )


def _find_member(
    group: StreamsGroup, request: StreamsHeartbeat, settings: StreamsSettings
) -> StreamsMember:
    known = group.members.get(request.member_id)
    if known is None and request.epoch != JOINS:
        raise unknown_member(group, request.member_id)
    if request.epoch == JOINS and known is None and len(group.members) >= settings.max_size:
        raise BrokerError(
            ErrorCode.GROUP_MAX_SIZE_REACHED,
            f"The streams group has reached its maximum capacity of {settings.max_size} members.",
        )
    if known is None:
        return StreamsMember(member_id=request.member_id)
    _check_epoch(known, request)
    return known


def unknown_member(group: StreamsGroup, member_id: str) -> BrokerError:
    """The error if the sender is not a member."""
    return BrokerError(
        ErrorCode.UNKNOWN_MEMBER_ID,
        f"Member {member_id} is not a member of group {group.group_id}.",
    )


def _check_epoch(member: StreamsMember, request: StreamsHeartbeat) -> None:
    """The epoch must be the member's, or the previous one if that response was lost."""
    epoch, owned = request.epoch, request.owned
    if epoch in {member.epoch, JOINS}:
        return
    was_lost = owned is not None and owned <= member.assigned.keys()
    if epoch != member.previous_epoch or not was_lost:
        than = "greater" if epoch > member.epoch else "smaller"
        raise BrokerError(
            ErrorCode.FENCED_MEMBER_EPOCH,
            f"The streams group member has a {than} member epoch ({epoch}) than the one known by "
            f"the group coordinator ({member.epoch}). The member must abandon all its partitions "
            "and rejoin.",
        )


def _topology(group: StreamsGroup, request: StreamsHeartbeat) -> Topology:
    """The group's topology; that of its first member if it has none yet."""
    known, sent = group.topology, request.topology
    if known is None:
        assert sent is not None, "the first request of a group is a join, which has the topology"
        return sent
    if sent is not None and sent.epoch >= known.epoch and not _is_same(sent, known):
        raise BrokerError(ErrorCode.INVALID_REQUEST, "Topology updates are not supported yet.")
    return known


def _is_same(one: Topology, other: Topology) -> bool:
    def ordered(topology: Topology) -> list[Subtopology]:
        return sorted(topology.subtopologies, key=lambda each: each.subtopology_id)

    return one.epoch == other.epoch and ordered(one) == ordered(other)


def _look(group: StreamsGroup, topology: Topology, topics: TopicsView) -> TopologyCheck:
    """Check the topics again if they have changed."""
    volatile, changes = group.volatile, topics.changes
    if volatile.configured is not None and volatile.topics_seen == changes:
        return TopologyCheck(topology, volatile.configured, group.metadata_hash, changes)
    found = hash_of(known_topics(topology.topics, topics))
    if volatile.configured is not None and found == group.metadata_hash:
        return TopologyCheck(topology, volatile.configured, found, changes)
    return TopologyCheck(topology, configure(topology, topics), found, changes)


def _check_tasks(look: TopologyCheck, owned: Tasks) -> None:
    for _, subtopology_id, partition in owned:
        count = look.configured.tasks.get(subtopology_id)
        if count is None:
            why = f"Subtopology {subtopology_id} does not exist in the topology."
            raise BrokerError(ErrorCode.INVALID_REQUEST, why)
        if not 0 <= partition < count:
            raise BrokerError(
                ErrorCode.INVALID_REQUEST,
                f"Task {partition} for subtopology {subtopology_id} is invalid. Number of tasks for "
                f"this subtopology: {count}",
            )


def _updated(member: StreamsMember, request: StreamsHeartbeat) -> StreamsMember:
    """The member with the data of this heartbeat."""
    timeout, topology = request.rebalance_timeout_ms, request.topology
    return replace(
        member,
        rack_id=member.rack_id if request.rack_id is None else request.rack_id,
        client_id=request.client_id,
        client_host=request.client_host,
        rebalance_timeout_ms=member.rebalance_timeout_ms if timeout == -1 else timeout,
        topology_epoch=member.topology_epoch if topology is None else topology.epoch,
        process_id=member.process_id if request.process_id is None else request.process_id,
        endpoint=member.endpoint if request.endpoint is None else request.endpoint,
        tags=member.tags if request.tags is None else request.tags,
    )


def _step(
    draft: RecordDraft, group: StreamsGroup, member: StreamsMember, owned: Tasks | None
) -> StreamsMember:
    """Move a member one step closer to its target assignment."""
    delayed = group.volatile.delayed_until is not None
    target = NO_TASKS if delayed else group.target.get(member.member_id, NO_TASKS)
    if member.follows(group.assignment_epoch):
        return member
    after = reconciled(member, target, group.assignment_epoch, group.holders(), owned)
    if after != member:
        draft.add(records.current_record(group.group_id, after))
    return after


def _set_limits(
    group: StreamsGroup, member: StreamsMember, settings: StreamsSettings, now: int
) -> None:
    group.volatile.sessions[member.member_id] = now + settings.session_ms
    if member.state is not StreamsMemberState.UNREVOKED:
        group.volatile.limits.pop(member.member_id, None)
    else:
        group.volatile.limits.setdefault(member.member_id, now + member.rebalance_timeout_ms)


def _statuses(
    group: StreamsGroup, member: StreamsMember, delayed: Status | None
) -> Iterable[Status]:
    topology, configured = group.topology, group.volatile.configured
    if topology is not None and member.topology_epoch < topology.epoch:
        yield Status(
            StatusCode.STALE_TOPOLOGY,
            f"The member's topology epoch {member.topology_epoch} is behind the group's topology "
            f"epoch {topology.epoch}.",
        )
    if delayed is not None:
        yield delayed
    if configured is not None and configured.problem is not None:
        yield configured.problem
    if group.volatile.shutdown_by is not None:
        yield Status(
            StatusCode.SHUTDOWN_APPLICATION,
            f"Streams group member {group.volatile.shutdown_by} encountered a fatal error and "
            "requested a shutdown for the entire application.",
        )
