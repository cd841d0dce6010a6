"""Unchanged heartbeats in groups where nothing happens: the most frequent case, and the fastest."""

from barnabas.coordinators.common.topic_partitions import TopicsView
from barnabas.coordinators.streams_group.group import StreamsGroup
from barnabas.coordinators.streams_group.heartbeats import StreamsHeartbeat
from barnabas.coordinators.streams_group.member import StreamsMember
from barnabas.coordinators.streams_group.settings import StreamsSettings


def is_idle(
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
