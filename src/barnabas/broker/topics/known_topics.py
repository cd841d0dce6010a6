"""KnownTopics: the broker's topics for group coordinators."""

from barnabas.broker.topics.topics import Topics
from barnabas.coordinators.common.topic_partitions import KnownTopic


class KnownTopics:
    """A view of the present topics."""

    __slots__ = ("_names", "_names_at", "_topics")

    def __init__(self, topics: Topics) -> None:
        self._topics = topics
        self._names: frozenset[str] = frozenset()
        self._names_at = -1

    @property
    def changes(self) -> int:
        """A counter that changes with every change of a topic."""
        return self._topics.changes

    def find(self, name: str) -> KnownTopic | None:
        """The topic of that name, or None."""
        topic = self._topics.get(name)
        return None if topic is None else KnownTopic(topic.topic_id, len(topic.partitions))

    def name_of(self, topic_id: bytes) -> str | None:
        """The name of the topic with that id, or None."""
        topic = self._topics.by_id(topic_id)
        return None if topic is None else topic.name

    def names(self) -> frozenset[str]:
        """All names that a regular expression may match, including internal topics."""
        if self._names_at != self.changes:
            self._names = frozenset(topic.name for topic in self._topics)
            self._names_at = self.changes
        return self._names
