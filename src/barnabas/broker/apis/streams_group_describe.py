"""StreamsGroupDescribe (key 89): the members and tasks of streams groups (KIP-1071).

Does: what the application is made of, what each member does and is to do.
Refuses: groups of another kind, and those that are not there.
Versions: 0
"""

from collections.abc import Iterable
from functools import partial

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.groups.consumer_policies import check_protocol
from barnabas.broker.purgatory.stepping import Steps, in_steps_while_connected
from barnabas.broker.requests.group_descriptions import described_by_kind, group_of_kind
from barnabas.coordinators.streams_group.group import StreamsGroup
from barnabas.coordinators.streams_group.member import StreamsMember
from barnabas.coordinators.streams_group.tasks import NO_TASKS, Role, Task, by_subtopology
from barnabas.errors import ErrorCode
from barnabas.protocol.internal import streams_group_records as layouts
from barnabas.protocol.streams_group_describe import (
    Assignment,
    DescribedGroup,
    Endpoint,
    KeyValue,
    Member,
    StreamsGroupDescribeRequest,
    StreamsGroupDescribeResponse,
    Subtopology,
    TaskIds,
    TopicInfo,
    Topology,
)


@in_steps_while_connected
def handle(
    broker: Broker, context: RequestContext, request: StreamsGroupDescribeRequest
) -> Steps[StreamsGroupDescribeResponse]:
    """Describe each group."""
    del context
    groups = yield from described_by_kind(request, partial(_described, broker), DescribedGroup)
    return StreamsGroupDescribeResponse(groups=groups)


def _described(broker: Broker, group_id: str) -> DescribedGroup:
    check_protocol(broker.config, "streams")
    group = group_of_kind(broker, group_id, "streams", lambda shard: shard.streams.get(group_id))
    return DescribedGroup(
        error_code=ErrorCode.NONE,
        group_id=group_id,
        group_state=group.state,
        group_epoch=group.epoch,
        assignment_epoch=group.assignment_epoch,
        topology=_topology(group),
        members=[_member(group, one) for one in group.members.values()],
    )


def _topology(group: StreamsGroup) -> Topology | None:
    if group.topology is None:
        return None
    return Topology(
        epoch=group.topology.epoch,
        subtopologies=[_subtopology(group, one) for one in group.topology.subtopologies],
    )


def _subtopology(group: StreamsGroup, one: layouts.Subtopology) -> Subtopology:
    return Subtopology(
        subtopology_id=one.subtopology_id,
        source_topics=sorted(one.source_topics),
        repartition_sink_topics=sorted(one.repartition_sink_topics),
        state_changelog_topics=_topics(group, one.state_changelog_topics),
        repartition_source_topics=_topics(group, one.repartition_source_topics),
    )


def _topics(group: StreamsGroup, topics: Iterable[layouts.TopicInfo]) -> list[TopicInfo]:
    """With the partitions that were worked out, once all topics are there."""
    configured = group.volatile.configured
    counts = configured.counts if configured and not configured.problem else {}
    return [
        TopicInfo(
            name=topic.name,
            partitions=counts.get(topic.name, topic.partitions),
            replication_factor=topic.replication_factor,
            topic_configs=[KeyValue(key=one.key, value=one.value) for one in topic.topic_configs],
        )
        for topic in topics
    ]


def _member(group: StreamsGroup, one: StreamsMember) -> Member:
    endpoint = one.endpoint
    return Member(
        member_id=one.member_id,
        member_epoch=one.epoch,
        instance_id=one.instance_id,
        rack_id=one.rack_id,
        client_id=one.client_id,
        client_host=one.client_host,
        topology_epoch=one.topology_epoch,
        process_id=one.process_id,
        user_endpoint=endpoint and Endpoint(host=endpoint.host, port=endpoint.port),
        client_tags=[KeyValue(key=key, value=value) for key, value in one.tags],
        task_offsets=[],
        task_end_offsets=[],
        assignment=_assignment(one.assigned),
        target_assignment=_assignment(group.target.get(one.member_id, NO_TASKS)),
        is_classic=False,
    )


def _assignment(tasks: Iterable[Task]) -> Assignment:
    known = frozenset(tasks)
    return Assignment(
        active_tasks=_ids(known, Role.ACTIVE),
        standby_tasks=_ids(known, Role.STANDBY),
        warmup_tasks=_ids(known, Role.WARMUP),
    )


def _ids(tasks: Iterable[Task], role: Role) -> list[TaskIds]:
    return [
        TaskIds(subtopology_id=each, partitions=partitions)
        for each, partitions in by_subtopology(tasks, role).items()
    ]
