"""StreamsGroupHeartbeat (key 88): do a part of the tasks of a Kafka Streams application (KIP-1071).

Does: joins, says what is new, leaves; answers when what that comes to is written. Tells a member what it
    is to do where that is news, or where it says that it does something else: it has missed an answer.
    Makes the internal topics that the application lacks.
Refuses: as Kafka 4.3, static members, lags of tasks, warm-up tasks and source topics by regular
    expression, which KIP-1071 has and nobody serves yet; another topology than the group's.
Ignores: the rack and the tags of clients: all partitions are on this broker.
Versions: 0
"""

from collections.abc import Iterable, Mapping

from barnabas.broker.apis.consumer_group_heartbeat import need
from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.groups.consumer_policies import check_protocol
from barnabas.broker.purgatory.pending import RepeatableReply
from barnabas.broker.requests.streams_topics import create_missing
from barnabas.broker.shards.record_names import check_kept
from barnabas.coordinators.consumer_group.member import JOINS, LEAVES, LEAVES_FOR_A_WHILE
from barnabas.coordinators.streams_group.endpoints import EndpointPartitions
from barnabas.coordinators.streams_group.heartbeats import StreamsHeartbeat, StreamsHeartbeatReply
from barnabas.coordinators.streams_group.member import MemberEndpoint
from barnabas.coordinators.streams_group.statuses import StatusCode
from barnabas.coordinators.streams_group.tasks import Role, Tasks, by_subtopology, tasks_of
from barnabas.coordinators.streams_group.topology import invalid, read_topology
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.streams_group_heartbeat import (
    Endpoint,
    EndpointToPartitions,
    Status,
    StreamsGroupHeartbeatRequest,
    StreamsGroupHeartbeatResponse,
    TaskIds,
    TopicPartition,
    Topology,
)


def handle(
    broker: Broker, context: RequestContext, request: StreamsGroupHeartbeatRequest
) -> object:
    """Ask the group."""
    try:
        check_protocol(broker.config, "streams")
        _check_supported(request)
        _check(request)
        asked = _asked(context, request)
    except BrokerError as error:
        return _respond(broker, error)
    outcome = broker.streams.beat(asked, lambda reply: _respond(broker, reply))
    if _is_no_news(broker, request, outcome):
        return RepeatableReply(outcome, broker.streams.idle(asked).again, is_patient=True)
    return outcome


def _is_no_news(broker: Broker, request: StreamsGroupHeartbeatRequest, outcome: object) -> bool:
    """Whether the member has its response, and was only confirmed in its epoch."""
    if not isinstance(outcome, StreamsGroupHeartbeatResponse):
        return False
    interval_ms, endpoints = outcome.heartbeat_interval_ms, request.endpoint_information_epoch
    known = StreamsHeartbeatReply(
        request.member_id, request.member_epoch, interval_ms, endpoints=endpoints
    )
    return outcome == _respond(broker, known)


def _check_supported(request: StreamsGroupHeartbeatRequest) -> None:
    """Source: Kafka 4.3's GroupCoordinatorService."""
    topology = request.topology
    why = None
    if request.instance_id is not None:
        why = "Static membership is not yet supported."
    elif request.task_offsets is not None:
        why = "TaskOffsets are not supported yet."
    elif request.task_end_offsets is not None:
        why = "TaskEndOffsets are not supported yet."
    elif request.warmup_tasks:
        why = "WarmupTasks are not supported yet."
    elif topology is not None and any(one.source_topic_regex for one in topology.subtopologies):
        why = "Regular expressions for source topics are not supported yet."
    if why is not None:
        raise BrokerError(ErrorCode.INVALID_REQUEST, why)


def _check(request: StreamsGroupHeartbeatRequest) -> None:
    """Source: Kafka's throwIfStreamsGroupHeartbeatRequestIsInvalid."""
    need("MemberId", request.member_id)
    need("GroupId", request.group_id)
    need("RackId", request.rack_id)
    epoch = request.member_epoch
    if epoch == JOINS:
        check_kept(request.group_id, request.member_id)
    tasks = (request.active_tasks, request.standby_tasks, request.warmup_tasks)
    why = None
    if epoch == JOINS:
        why = _problem_of_joiner(request)
    elif epoch == LEAVES_FOR_A_WHILE:
        why = "InstanceId can't be null."
    elif epoch < LEAVES:
        why = f"MemberEpoch is {epoch}, but must be greater than or equal to -2."
    if why is None and None in tasks and tasks != (None, None, None):
        why = "If one task-type is non-null, all must be non-null."
    if why is None and epoch != JOINS and request.topology is not None:
        why = "Topology can only be provided when (re-)joining."
    if why is not None:
        raise BrokerError(ErrorCode.INVALID_REQUEST, why)
    if request.topology is not None:
        _check_changelogs(request.topology)


def _problem_of_joiner(request: StreamsGroupHeartbeatRequest) -> str | None:
    if request.rebalance_timeout_ms == -1:
        return "RebalanceTimeoutMs must be provided in first request."
    owned = {"Active": request.active_tasks, "Standby": request.standby_tasks}
    for what, tasks in owned.items():
        if tasks is None or tasks:
            return f"{what}Tasks must be empty when (re-)joining."
    if request.warmup_tasks is None:
        return "WarmupTasks must be empty when (re-)joining."
    if request.topology is None:
        return "Topology must be non-null when (re-)joining."
    return None


def _check_changelogs(topology: Topology) -> None:
    for one in topology.subtopologies:
        for topic in one.state_changelog_topics:
            if topic.partitions:
                raise invalid(
                    f"Changelog topic {topic.name} must have an undefined partition count, but it "
                    f"is set to {topic.partitions}."
                )


def _asked(context: RequestContext, request: StreamsGroupHeartbeatRequest) -> StreamsHeartbeat:
    endpoint, tags = request.user_endpoint, request.client_tags
    return StreamsHeartbeat(
        group_id=request.group_id,
        member_id=request.member_id,
        epoch=request.member_epoch,
        client_id=context.client_id or "",
        client_host=context.client_host,
        endpoints=request.endpoint_information_epoch,
        rack_id=request.rack_id,
        rebalance_timeout_ms=request.rebalance_timeout_ms,
        topology=None if request.topology is None else read_topology(request.topology),
        owned=_owned(request),
        process_id=request.process_id,
        endpoint=None if endpoint is None else MemberEndpoint(endpoint.host, endpoint.port),
        tags=None if tags is None else tuple(sorted((one.key, one.value) for one in tags)),
        shuts_down=request.shutdown_application,
    )


def _owned(request: StreamsGroupHeartbeatRequest) -> Tasks | None:
    active, standby = request.active_tasks, request.standby_tasks
    if active is None or standby is None:
        return None
    return tasks_of(Role.ACTIVE, active) | tasks_of(Role.STANDBY, standby)


def _respond(
    broker: Broker, reply: StreamsHeartbeatReply | BrokerError
) -> StreamsGroupHeartbeatResponse:
    if isinstance(reply, BrokerError):
        return StreamsGroupHeartbeatResponse(
            error_code=reply.code,
            error_message=reply.why,
            member_id="",
            member_epoch=0,
            heartbeat_interval_ms=0,
            task_offset_interval_ms=0,
            status=[],
            endpoint_information_epoch=0,
        )
    tasks, partitions = reply.tasks, reply.partitions
    return StreamsGroupHeartbeatResponse(
        error_code=ErrorCode.NONE,
        member_id=reply.member_id,
        member_epoch=reply.epoch,
        heartbeat_interval_ms=reply.heartbeat_ms,
        task_offset_interval_ms=0,
        status=_statuses(broker, reply),
        active_tasks=None if tasks is None else _ids(tasks, Role.ACTIVE),
        standby_tasks=None if tasks is None else _ids(tasks, Role.STANDBY),
        warmup_tasks=None if tasks is None else _ids(tasks, Role.WARMUP),
        endpoint_information_epoch=reply.endpoints,
        partitions_by_user_endpoint=None
        if partitions is None
        else [_endpoint(one) for one in partitions],
    )


def _statuses(broker: Broker, reply: StreamsHeartbeatReply) -> list[Status]:
    """Make what is missing, and tell of what could not be made."""
    failures = create_missing(broker, reply.missing)
    statuses = []
    for code, detail in reply.statuses:
        if failures and code is StatusCode.MISSING_INTERNAL_TOPICS:
            detail = f"{detail}; Creation failed: {', '.join(failures)}."  # noqa: PLW2901
        statuses.append(Status(status_code=code, status_detail=detail))
    return statuses


def _ids(tasks: Tasks, role: Role) -> list[TaskIds]:
    return [
        TaskIds(subtopology_id=each, partitions=partitions)
        for each, partitions in by_subtopology(tasks, role).items()
    ]


def _endpoint(one: EndpointPartitions) -> EndpointToPartitions:
    return EndpointToPartitions(
        user_endpoint=Endpoint(host=one.endpoint.host, port=one.endpoint.port),
        active_partitions=_partitions(one.active),
        standby_partitions=_partitions(one.standby),
    )


def _partitions(found: Mapping[str, Iterable[int]]) -> list[TopicPartition]:
    return [TopicPartition(topic=topic, partitions=list(each)) for topic, each in found.items()]
