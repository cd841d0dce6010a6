"""Partitions by topic id, and what coordinators know of topics."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol


class TopicIdPartition(NamedTuple):
    """One partition of one topic."""

    topic_id: bytes
    partition: int


class KnownTopic(NamedTuple):
    """An existing topic. `partitions`: their number."""

    topic_id: bytes
    partitions: int


class TopicsView(Protocol):
    """The existing topics."""

    @property
    def changes(self) -> int:
        """A number that increases with each change of topics."""
        ...

    def find(self, name: str) -> KnownTopic | None:
        """A topic by its name."""
        ...

    def name_of(self, topic_id: bytes) -> str | None:
        """The name of a topic."""
        ...

    def names(self) -> Iterable[str]:
        """The names that a regular expression may match."""
        ...


def by_topic(partitions: Iterable[TopicIdPartition]) -> Mapping[bytes, list[int]]:
    """Sorted partition numbers by topic id, as in messages and records."""
    found: dict[bytes, list[int]] = {}
    for topic_id, partition in sorted(partitions):
        found.setdefault(topic_id, []).append(partition)
    return found


def by_name(partitions: Iterable[TopicIdPartition], topics: TopicsView) -> Mapping[str, list[int]]:
    """Sorted partition numbers by topic name, without deleted topics."""
    found = (
        (topics.name_of(each), partitions) for each, partitions in by_topic(partitions).items()
    )
    return {name: partitions for name, partitions in found if name is not None}
