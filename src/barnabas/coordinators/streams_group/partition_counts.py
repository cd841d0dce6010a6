"""The number of partitions that the internal topics of a topology need.

Source: KIP-1071; Kafka's RepartitionTopics, CopartitionedTopicsEnforcer and ChangelogTopics.
"""

from collections.abc import Mapping

from barnabas.coordinators.common.topic_partitions import TopicsView
from barnabas.coordinators.streams_group.statuses import Status, StatusCode
from barnabas.coordinators.streams_group.topology import (
    Topology,
    copartitioned,
    inputs_of,
    invalid,
)
from barnabas.protocol.internal.streams_group_records import Subtopology

Counts = dict[str, int]
"""Partitions by topic."""


class WronglyPartitioned(Exception):
    """The existing topics do not fit the topology."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.status = Status(StatusCode.INCORRECTLY_PARTITIONED_TOPICS, why)


class PartitionCounts:
    """Determines them one by one.

    `decided`: the internal topics and their numbers of partitions.
    """

    def __init__(self, topology: Topology, topics: TopicsView) -> None:
        """The source topics exist.

        Raises:
            BrokerError: STREAMS_INVALID_TOPOLOGY: nothing determines a topic's number of partitions.
            WronglyPartitioned: copartitioned topics have different numbers.
        """
        self._subtopologies = topology.subtopologies
        self._topics = topics
        self.decided: Counts = {
            topic.name: topic.partitions
            for one in topology.subtopologies
            for topic in one.repartition_source_topics
            if topic.partitions
        }
        self._fixed = frozenset(self.decided)
        self._flexible = frozenset(
            topic.name
            for one in topology.subtopologies
            for topic in one.repartition_source_topics
            if not topic.partitions
        )
        self._decide_repartitioned()
        for one in topology.subtopologies:
            for names in copartitioned(one):
                self._align(names)
        for one in topology.subtopologies:
            for topic in one.state_changelog_topics:
                self.decided[topic.name] = self.tasks_of(one)

    def tasks_of(self, one: Subtopology) -> int:
        """The number of tasks of a subtopology: that of the partitions of its largest input."""
        return max(self._count(name) or 0 for name in inputs_of(one))

    def _count(self, name: str) -> int | None:
        """The partitions of a topic or, if it does not exist, those it will have; None: not decided yet."""
        known = self._topics.find(name)
        return self.decided.get(name) if known is None else known.partitions

    def _decide_repartitioned(self) -> None:
        """A topic between two subtopologies has as many partitions as its writer's largest input."""
        missing = set(self._flexible)
        while missing:
            found = {name: self._from_writers(name) for name in missing}
            progress = {name: count for name, count in found.items() if count is not None}
            if not progress:
                raise invalid(
                    "Failed to compute number of partitions for all repartition topics, because one "
                    "is never written to, or only by those that read it."
                )
            self.decided |= progress
            missing -= progress.keys()

    def _from_writers(self, name: str) -> int | None:
        writers = [one for one in self._subtopologies if name in one.repartition_sink_topics]
        counts = [self._count(each) for one in writers for each in inputs_of(one)]
        return None if None in counts else max((one for one in counts if one), default=None)

    def _align(self, names: set[str]) -> None:
        flexible = names & self._flexible
        given = {name: self._count(name) or 0 for name in sorted(names - flexible)}
        if len(set(given.values())) > 1:
            raise _unlike(given)
        # A flexible topic that is there already is looked at when all are decided.
        wanted = next(iter(given.values()), None)
        if wanted is None:
            wanted = max((self._count(name) or 0 for name in flexible), default=0)
        self.decided |= dict.fromkeys(flexible, wanted)


def _unlike(counts: Mapping[str, int]) -> WronglyPartitioned:
    counted = ", ".join(f"{name}={count}" for name, count in counts.items())
    return WronglyPartitioned(
        f"Following topics do not have the same number of partitions: [{{{counted}}}]"
    )
