"""Topology: the structure of a Kafka Streams application, from its members and in records."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.internal import streams_group_records as layouts
from barnabas.protocol.internal.streams_group_records import Subtopology, TopicInfo


@dataclass(frozen=True)
class Topology:
    """The subtopologies whose tasks are assigned.

    `epoch` increases when the application changes.
    """

    epoch: int
    subtopologies: tuple[Subtopology, ...]

    @cached_property
    def by_source(self) -> dict[str, str]:
        """The subtopology that reads a topic, by the topic's name."""
        return {topic: one.subtopology_id for one in self.subtopologies for topic in inputs_of(one)}

    @property
    def topics(self) -> set[str]:
        """All topics that must exist."""
        return {*self.by_source, *(each.name for each in self.internal_topics())}

    def internal_topics(self) -> Iterator[TopicInfo]:
        """The topics that the application keeps its own data in."""
        for one in self.subtopologies:
            yield from one.repartition_source_topics
            yield from one.state_changelog_topics


def inputs_of(one: Subtopology) -> list[str]:
    """The topics that a subtopology reads."""
    return [*one.source_topics, *(each.name for each in one.repartition_source_topics)]


def copartitioned(one: Subtopology) -> Iterator[set[str]]:
    """Topics of a subtopology that must have the same number of partitions."""
    for group in one.copartition_groups:
        yield {
            *(one.source_topics[index] for index in group.source_topics),
            *(
                one.repartition_source_topics[index].name
                for index in group.repartition_source_topics
            ),
        }


def read_topology(row: Any) -> Topology:
    """The topology of a request or a record: the fields have the same names.

    Raises:
        BrokerError: STREAMS_INVALID_TOPOLOGY: a negative epoch, a subtopology that occurs twice or
            reads nothing, or a copartition group with unknown topics.
    """
    subtopologies = tuple(_subtopology(one) for one in row.subtopologies)
    if row.epoch < 0:
        raise invalid(f"The topology epoch is {row.epoch}, and must not be below 0.")
    if len({one.subtopology_id for one in subtopologies}) < len(subtopologies):
        raise invalid("A subtopology is there twice.")
    for one in subtopologies:
        if not inputs_of(one):
            raise invalid(f"No source topics found for subtopology {one.subtopology_id}")
        for group in one.copartition_groups:
            _check_indexes(group.source_topics, len(one.source_topics))
            _check_indexes(group.repartition_source_topics, len(one.repartition_source_topics))
    return Topology(row.epoch, subtopologies)


def invalid(why: str) -> BrokerError:
    """The error for an invalid topology."""
    return BrokerError(ErrorCode.STREAMS_INVALID_TOPOLOGY, why)


def _check_indexes(indexes: Iterable[int], count: int) -> None:
    if not all(0 <= index < count for index in indexes):
        raise invalid("A copartition group has a topic that is not of its subtopology.")


def _subtopology(row: Any) -> Subtopology:
    return Subtopology(
        subtopology_id=row.subtopology_id,
        source_topics=list(row.source_topics),
        source_topic_regex=list(row.source_topic_regex),
        state_changelog_topics=[_topic(each) for each in row.state_changelog_topics],
        repartition_sink_topics=list(row.repartition_sink_topics),
        repartition_source_topics=[_topic(each) for each in row.repartition_source_topics],
        copartition_groups=[
            layouts.CopartitionGroup(
                source_topics=list(group.source_topics),
                source_topic_regex=list(group.source_topic_regex),
                repartition_source_topics=list(group.repartition_source_topics),
            )
            for group in row.copartition_groups
        ],
    )


def _topic(row: Any) -> TopicInfo:
    return TopicInfo(
        name=row.name,
        partitions=row.partitions,
        replication_factor=row.replication_factor,
        topic_configs=[
            layouts.TopicConfig(key=one.key, value=one.value) for one in row.topic_configs
        ],
    )
