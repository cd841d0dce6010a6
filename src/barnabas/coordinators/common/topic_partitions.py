"""Partitions by the ids of their topics, and data about topics."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol


class Place(NamedTuple):
    """One partition of one topic."""

    topic_id: bytes
    partition: int


class KnownTopic(NamedTuple):
    """A topic as an assignor must know it. `partitions`: how many there are."""

    topic_id: bytes
    partitions: int


class TopicsView(Protocol):
    """The topics that there are now."""

    @property
    def changes(self) -> int:
        """A number that moves whenever something about topics does."""
        ...

    def find(self, name: str) -> KnownTopic | None:
        """A topic by its name."""
        ...

    def name_of(self, topic_id: bytes) -> str | None:
        """The name of a topic."""
        ...

    def names(self) -> Iterable[str]:
        """All that a regular expression may find."""
        ...


def by_topic(places: Iterable[Place]) -> Mapping[bytes, list[int]]:
    """Sorted partitions by topic, as messages and records have them."""
    found: dict[bytes, list[int]] = {}
    for topic_id, partition in sorted(places):
        found.setdefault(topic_id, []).append(partition)
    return found


def by_name(places: Iterable[Place], topics: TopicsView) -> Mapping[str, list[int]]:
    """The same by the names of topics, without those that are gone."""
    found = ((topics.name_of(each), partitions) for each, partitions in by_topic(places).items())
    return {name: partitions for name, partitions in found if name is not None}
