"""KnownTopics: the broker's topics for group coordinators."""

from barnabas.broker.topics.topics import Topics
from barnabas.coordinators.common.topic_partitions import KnownTopic


class KnownTopics:
    """A view of the topics that there are now."""

    __slots__ = ("_names", "_names_at", "_topics")

    def __init__(self, topics: Topics) -> None:
        self._topics = topics
        self._names: frozenset[str] = frozenset()
        self._names_at = -1

    @property
    def changes(self) -> int:
        """Moves whenever something about topics does."""
        return self._topics.changes

    def find(self, name: str) -> KnownTopic | None:
        """A topic by its name."""
        topic = self._topics.get(name)
        return None if topic is None else KnownTopic(topic.topic_id, len(topic.partitions))

    def name_of(self, topic_id: bytes) -> str | None:
        """The name of a topic."""
        topic = self._topics.by_id(topic_id)
        return None if topic is None else topic.name

    def names(self) -> frozenset[str]:
        """All that a regular expression may find, internal ones with them."""
        if self._names_at != self.changes:
            self._names = frozenset(topic.name for topic in self._topics)
            self._names_at = self.changes
        return self._names
