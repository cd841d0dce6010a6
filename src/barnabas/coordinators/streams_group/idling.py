"""Unchanged heartbeats in groups where nothing happens: the most frequent case, and the fastest."""

from barnabas.coordinators.common.topic_partitions import TopicsView
from barnabas.coordinators.streams_group.group import StreamsGroup
from barnabas.coordinators.streams_group.heartbeats import StreamsBeat
from barnabas.coordinators.streams_group.member import StreamsMember
from barnabas.coordinators.streams_group.settings import StreamsSettings


def is_idle(
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
