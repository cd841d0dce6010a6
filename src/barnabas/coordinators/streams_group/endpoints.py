"""The members' endpoints that can be queried for partitions of a streams group."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from barnabas.coordinators.common.topic_partitions import TopicsView
from barnabas.coordinators.streams_group.group import StreamsGroup
from barnabas.coordinators.streams_group.member import MemberEndpoint, StreamsMember
from barnabas.coordinators.streams_group.tasks import Role, by_subtopology
from barnabas.coordinators.streams_group.topology import inputs_of


class EndpointPartitions(NamedTuple):
    """Partitions by topic: those processed by an endpoint's member, and those of which it has a copy."""

    endpoint: MemberEndpoint
    active: Mapping[str, list[int]]
    standby: Mapping[str, list[int]]


def endpoint_partitions(group: StreamsGroup, topics: TopicsView) -> tuple[EndpointPartitions, ...]:
    """The endpoints of all members that have one."""
    return tuple(
        EndpointPartitions(
            member.endpoint,
            dict(_inputs(group, member, Role.ACTIVE, topics)),
            dict(_inputs(group, member, Role.STANDBY, topics)),
        )
        for member in group.members.values()
        if member.endpoint is not None
    )


def _inputs(
    group: StreamsGroup, member: StreamsMember, role: Role, topics: TopicsView
) -> Iterator[tuple[str, list[int]]]:
    """The partitions that the member's tasks read, by topic."""
    assert group.topology is not None, "a group with members has one"
    has = by_subtopology(member.assigned, role)
    for one in group.topology.subtopologies:
        for topic in inputs_of(one):
            known = topics.find(topic)
            if known is not None and one.subtopology_id in has:
                yield topic, [each for each in has[one.subtopology_id] if each < known.partitions]
