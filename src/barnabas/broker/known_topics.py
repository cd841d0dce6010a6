"""KnownTopics: the broker's topics as groups look at them."""

from collections.abc import Iterable

from barnabas.broker.topics import Topics
from barnabas.coordinators.consumer_group.places import KnownTopic


class KnownTopics:
    """A view of the topics that there are now."""

    __slots__ = ("_topics",)

    def __init__(self, topics: Topics) -> None:
        self._topics = topics

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

    def names(self) -> Iterable[str]:
        """All that a regular expression may find, internal ones with them."""
        return (topic.name for topic in self._topics)
