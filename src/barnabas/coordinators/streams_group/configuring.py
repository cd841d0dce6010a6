"""Configured: a topology checked against the existing topics: what is missing, or how many tasks it has.

Source: KIP-1071; Kafka's InternalTopicManager.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from barnabas.coordinators.common.topic_partitions import TopicsView
from barnabas.coordinators.streams_group.partition_counts import PartitionCounts, WronglyPartitioned
from barnabas.coordinators.streams_group.statuses import Status, StatusCode
from barnabas.coordinators.streams_group.topology import Topology
from barnabas.protocol.internal.streams_group_records import TopicInfo

_NAMED_MOST = 3
"""The maximum number of topics named in a message. Source: Kafka 4.3."""


@dataclass(frozen=True, slots=True)
class MissingTopic:
    """An internal topic that must be created."""

    info: TopicInfo
    partitions: int


@dataclass(frozen=True, slots=True)
class Configured:
    """`problem`: why no tasks can be assigned yet. `tasks`: their number in each subtopology.

    `counts`: partitions of the internal topics; `missing`: those that must be created.
    """

    problem: Status | None = None
    tasks: Mapping[str, int] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    missing: tuple[MissingTopic, ...] = ()


def configure(topology: Topology, topics: TopicsView) -> Configured:
    """Check the topics of a topology.

    Raises:
        BrokerError: STREAMS_INVALID_TOPOLOGY: no topics would fit it.
    """
    sources = {name for one in topology.subtopologies for name in one.source_topics}
    lacking = sorted(name for name in sources if topics.find(name) is None)
    if lacking:
        why = f"Source topics {_named(lacking)} are missing."
        return Configured(Status(StatusCode.MISSING_SOURCE_TOPICS, why))
    try:
        counts = PartitionCounts(topology, topics)
        missing = _missing(topology, topics, counts.decided)
    except WronglyPartitioned as error:
        return Configured(error.status)
    problem = None
    if missing:
        names = _named([one.info.name for one in missing])
        problem = Status(
            StatusCode.MISSING_INTERNAL_TOPICS, f"Internal topics are missing: {names}"
        )
    tasks = {one.subtopology_id: counts.tasks_of(one) for one in topology.subtopologies}
    return Configured(problem, tasks, counts.decided, missing)


def _missing(
    topology: Topology, topics: TopicsView, decided: Mapping[str, int]
) -> tuple[MissingTopic, ...]:
    wanted = {topic.name: topic for topic in topology.internal_topics()}
    missing = []
    for name, topic in sorted(wanted.items()):
        known = topics.find(name)
        if known is None:
            missing.append(MissingTopic(topic, decided[name]))
        elif known.partitions != decided[name]:
            raise WronglyPartitioned(
                f"Existing topic {name} has different number of partitions: "
                f"expected {decided[name]}, found {known.partitions}"
            )
    return tuple(missing)


def _named(names: Collection[str]) -> str:
    named, more = sorted(names)[:_NAMED_MOST], len(names) - _NAMED_MOST
    return ", ".join(named) + (f" and {more} additional topics" if more > 0 else "")
