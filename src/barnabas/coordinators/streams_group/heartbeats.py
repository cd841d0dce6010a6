"""Heartbeats: joins, changes, and the assignments returned to members.

Source: KIP-1071; Kafka's GroupMetadataManager.streamsGroupHeartbeat.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from barnabas.coordinators.common.draft import Draft
from barnabas.coordinators.common.topic_partitions import TopicsView
from barnabas.coordinators.consumer_group.member import JOINS
from barnabas.coordinators.consumer_group.target import hash_of, known_topics
from barnabas.coordinators.streams_group import records
from barnabas.coordinators.streams_group.configuring import NewTopic, configure
from barnabas.coordinators.streams_group.endpoints import EndpointPartitions, endpoint_partitions
from barnabas.coordinators.streams_group.group import StreamsGroup
from barnabas.coordinators.streams_group.member import Endpoint, MemberState, StreamsMember
from barnabas.coordinators.streams_group.reconciling import check_state, reconciled
from barnabas.coordinators.streams_group.settings import StreamsSettings
from barnabas.coordinators.streams_group.statuses import Status, StatusCode
from barnabas.coordinators.streams_group.target import Look, refresh, retarget
from barnabas.coordinators.streams_group.tasks import NO_TASKS, Tasks
from barnabas.coordinators.streams_group.topology import Topology
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.internal.streams_group_records import Subtopology


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamsBeat:
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
    endpoint: Endpoint | None = None
    tags: tuple[tuple[str, str], ...] | None = None
    shuts_down: bool = False


@dataclass(frozen=True, slots=True)
class StreamsReply:
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
    missing: tuple[NewTopic, ...] = ()


def beat(
    draft: Draft,
    group: StreamsGroup,
    asked: StreamsBeat,
    topics: TopicsView,
    settings: StreamsSettings,
    now: int,
) -> StreamsReply:
    """Join, or continue.

    Raises:
        BrokerError: it is not allowed; nothing changes then.
    """
    was = _find_member(group, asked, settings)
    check_state(was, asked.owned)
    look = _look(group, _topology(group, asked), topics)
    if not look.configured.problem:
        _check_tasks(look, asked.owned or NO_TASKS)
    heard, updated = group.heard, _updated(was, asked)
    if not group.members and heard.delayed_until is None and settings.initial_delay_ms:
        heard.delayed_until = now + settings.initial_delay_ms
    has_news = updated != group.members.get(asked.member_id)
    if has_news:
        draft.add(records.member_record(group.group_id, updated))
    if group.topology is None:
        draft.add(records.topology_record(group.group_id, look.topology))
    refresh(draft, group, look, settings, has_news=has_news)
    delayed = retarget(draft, group, settings, now)
    member = _step(draft, group, updated, asked.owned)
    _set_limits(group, member, settings, now)
    if asked.shuts_down and heard.shutdown_by is None:
        heard.shutdown_by = asked.member_id
    tasks = frozenset(member.assigned)
    # A member with other tasks has missed a response. Kafka 4.3 does not repeat it.
    has_missed = asked.owned is not None and asked.owned != tasks
    is_news = asked.epoch == JOINS or has_missed or tasks != was.assigned.keys()
    if is_news and member.endpoint is not None:
        heard.endpoints += 1
    return StreamsReply(
        member.member_id,
        member.epoch,
        settings.heartbeat_ms,
        tasks if is_news else None,
        tuple(_statuses(group, member, delayed)),
        heard.endpoints,
        endpoint_partitions(group, topics) if heard.endpoints != asked.endpoints else None,
        look.configured.missing,
    )


def _find_member(
    group: StreamsGroup, asked: StreamsBeat, settings: StreamsSettings
) -> StreamsMember:
    known = group.members.get(asked.member_id)
    if known is None and asked.epoch != JOINS:
        raise unknown_member(group, asked.member_id)
    if asked.epoch == JOINS and known is None and len(group.members) >= settings.max_size:
        raise BrokerError(
            ErrorCode.GROUP_MAX_SIZE_REACHED,
            f"The streams group has reached its maximum capacity of {settings.max_size} members.",
        )
    if known is None:
        return StreamsMember(member_id=asked.member_id)
    _check_epoch(known, asked)
    return known


def unknown_member(group: StreamsGroup, member_id: str) -> BrokerError:
    """The error if the sender is not a member."""
    return BrokerError(
        ErrorCode.UNKNOWN_MEMBER_ID,
        f"Member {member_id} is not a member of group {group.group_id}.",
    )


def _check_epoch(member: StreamsMember, asked: StreamsBeat) -> None:
    """The epoch must be the member's, or the one before if the answer to that was lost."""
    epoch, owned = asked.epoch, asked.owned
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


def _topology(group: StreamsGroup, asked: StreamsBeat) -> Topology:
    """The group's topology; that of its first member if it has none yet."""
    known, said = group.topology, asked.topology
    if known is None:
        assert said is not None, "who joins says it, and a group has a member before others go on"
        return said
    if said is not None and said.epoch >= known.epoch and not _is_same(said, known):
        raise BrokerError(ErrorCode.INVALID_REQUEST, "Topology updates are not supported yet.")
    return known


def _is_same(one: Topology, other: Topology) -> bool:
    def ordered(topology: Topology) -> list[Subtopology]:
        return sorted(topology.subtopologies, key=lambda each: each.subtopology_id)

    return one.epoch == other.epoch and ordered(one) == ordered(other)


def _look(group: StreamsGroup, topology: Topology, topics: TopicsView) -> Look:
    """Look at the topics again if they have changed since they were seen."""
    heard, changes = group.heard, topics.changes
    if heard.configured is not None and heard.topics_seen == changes:
        return Look(topology, heard.configured, group.metadata_hash, changes)
    found = hash_of(known_topics(topology.topics, topics))
    if heard.configured is not None and found == group.metadata_hash:
        return Look(topology, heard.configured, found, changes)
    return Look(topology, configure(topology, topics), found, changes)


def _check_tasks(look: Look, owned: Tasks) -> None:
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


def _updated(member: StreamsMember, asked: StreamsBeat) -> StreamsMember:
    """The member with the data of this heartbeat."""
    timeout, topology = asked.rebalance_timeout_ms, asked.topology
    return replace(
        member,
        rack_id=member.rack_id if asked.rack_id is None else asked.rack_id,
        client_id=asked.client_id,
        client_host=asked.client_host,
        rebalance_timeout_ms=member.rebalance_timeout_ms if timeout == -1 else timeout,
        topology_epoch=member.topology_epoch if topology is None else topology.epoch,
        process_id=member.process_id if asked.process_id is None else asked.process_id,
        endpoint=member.endpoint if asked.endpoint is None else asked.endpoint,
        tags=member.tags if asked.tags is None else asked.tags,
    )


def _step(
    draft: Draft, group: StreamsGroup, member: StreamsMember, owned: Tasks | None
) -> StreamsMember:
    """Bring a member one step nearer to what it is to do."""
    delayed = group.heard.delayed_until is not None
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
    group.heard.sessions[member.member_id] = now + settings.session_ms
    if member.state is not MemberState.UNREVOKED:
        group.heard.limits.pop(member.member_id, None)
    else:
        group.heard.limits.setdefault(member.member_id, now + member.rebalance_timeout_ms)


def _statuses(
    group: StreamsGroup, member: StreamsMember, delayed: Status | None
) -> Iterable[Status]:
    topology, configured = group.topology, group.heard.configured
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
    if group.heard.shutdown_by is not None:
        yield Status(
            StatusCode.SHUTDOWN_APPLICATION,
            f"Streams group member {group.heard.shutdown_by} encountered a fatal error and "
            "requested a shutdown for the entire application.",
        )
