"""Memory used by texts of groups and their members, in bytes: names, topics, tags, topologies."""

import sys
from collections.abc import Iterable
from typing import Protocol

from barnabas.coordinators.classic_group.member import Protocols
from barnabas.coordinators.consumer_group.heartbeats import ConsumerHeartbeat
from barnabas.coordinators.consumer_group.member import ConsumerMember
from barnabas.coordinators.share_group.group import ShareMember
from barnabas.coordinators.share_group.groups import ShareHeartbeat
from barnabas.coordinators.streams_group.heartbeats import StreamsHeartbeat
from barnabas.coordinators.streams_group.member import StreamsMember
from barnabas.coordinators.streams_group.topology import Topology

TEXT_BYTES = 80
"""Of a text, beside its characters, with its place in a tuple or a set."""
SUBTOPOLOGY_BYTES = 1500
_EMPTY_TEXT_BYTES = sys.getsizeof("")


class _Member(Protocol):
    @property
    def member_id(self) -> str: ...


MemberNames = tuple[str | None, ...]
"""The names that a member gives itself, each of which may have 32 KB.

Its id is there three times: for the member, its target assignment and its session.
"""


def text_bytes(text: str | None) -> int:
    """The characters of a text: if one is not of Latin-1, each takes two bytes or four."""
    return sys.getsizeof(text) - _EMPTY_TEXT_BYTES if text else 0


def texts_bytes(texts: Iterable[str | None]) -> int:
    """Texts in a tuple or a set."""
    return sum([TEXT_BYTES + text_bytes(text) for text in texts])


def tags_bytes(tags: Iterable[tuple[str, str]]) -> int:
    """Names with values."""
    return sum([texts_bytes(tag) for tag in tags])


def protocols_bytes(protocols: Protocols) -> int:
    """The protocols of a member that uses JoinGroup, with their metadata."""
    return sum([2 * TEXT_BYTES + text_bytes(name) + len(metadata) for name, metadata in protocols])


def consumer_names(one: ConsumerMember | ConsumerHeartbeat) -> MemberNames:
    """Those of a member of a consumer group, and its expression."""
    return *_ids(one), one.instance_id, one.rack_id, one.regex, one.assignor


def share_names(one: ShareMember | ShareHeartbeat) -> MemberNames:
    """Those of a member of a share group."""
    return *_ids(one), one.rack_id


def streams_names(one: StreamsMember | StreamsHeartbeat) -> MemberNames:
    """Those of a member of a streams group."""
    host = None if one.endpoint is None else one.endpoint.host
    return *_ids(one), one.rack_id, one.process_id, host


def _ids(one: _Member) -> MemberNames:
    return one.member_id, one.member_id, one.member_id


def topology_bytes(topology: Topology | None) -> int:
    """The topology of a streams application."""
    if topology is None:
        return 0
    total = 0
    for one in topology.subtopologies:
        # What reads a topic is looked up by its name, too.
        total += SUBTOPOLOGY_BYTES + 2 * texts_bytes(one.source_topics)
        total += texts_bytes(one.source_topic_regex) + texts_bytes(one.repartition_sink_topics)
        total += SUBTOPOLOGY_BYTES * len(one.copartition_groups)
        for topic in (*one.state_changelog_topics, *one.repartition_source_topics):
            configs = ((each.key, each.value) for each in topic.topic_configs)
            total += 4 * TEXT_BYTES + text_bytes(topic.name) + tags_bytes(configs)
    return total
