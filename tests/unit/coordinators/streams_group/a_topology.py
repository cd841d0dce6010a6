"""Topologies for tests, from few words."""

from collections.abc import Iterable

from barnabas.coordinators.streams_group.topology import Topology
from barnabas.protocol.internal.streams_group_records import (
    CopartitionGroup,
    Subtopology,
    TopicInfo,
)


def internal(name: str, partitions: int = 0) -> TopicInfo:
    return TopicInfo(name=name, partitions=partitions, replication_factor=0, topic_configs=[])


def part(
    name: str,
    *sources: str,
    reads: Iterable[TopicInfo] = (),
    writes: Iterable[str] = (),
    keeps: Iterable[str] = (),
    copartitioned: bool = False,
) -> Subtopology:
    """A subtopology; copartitioned: all that it reads."""
    between = list(reads)
    group = CopartitionGroup(
        source_topics=list(range(len(sources))),
        source_topic_regex=[],
        repartition_source_topics=list(range(len(between))),
    )
    return Subtopology(
        subtopology_id=name,
        source_topics=list(sources),
        source_topic_regex=[],
        state_changelog_topics=[internal(each) for each in keeps],
        repartition_sink_topics=list(writes),
        repartition_source_topics=between,
        copartition_groups=[group] if copartitioned else [],
    )


def topology(*parts: Subtopology, epoch: int = 0) -> Topology:
    return Topology(epoch, parts)
