"""TopicDescriptions: cached topic entries of Metadata, rebuilt after a change."""

from collections.abc import Sequence
from typing import NamedTuple

from barnabas.broker.replicas.partition import Partition
from barnabas.broker.topics.topics import Topics
from barnabas.protocol.metadata import MetadataResponseTopic
from barnabas.types import Topic

_FEW = 100


class _Kept(NamedTuple):
    topic: Topic
    partitions: Sequence[Partition]
    answer: MetadataResponseTopic


class TopicDescriptions:
    """Cached descriptions of topics whose partitions are all available, with and without operations."""

    __slots__ = ("_kept", "_topics")

    def __init__(self, topics: Topics) -> None:
        self._topics = topics
        self._kept: dict[tuple[str, bool], _Kept] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def find(self, topic: Topic, *, operations: bool) -> MetadataResponseTopic | None:
        """The cached description of a topic, if it is still valid. Do not change it."""
        kept = self._kept.get((topic.name, operations))
        # A changed topic is another object. Only the failure of a log changes without that.
        if kept is None or kept.topic is not topic:
            return None
        for partition in kept.partitions:
            if partition.log.failure is not None:
                return None
        return kept.answer

    def keep(
        self,
        topic: Topic,
        partitions: Sequence[Partition],
        answer: MetadataResponseTopic,
        *,
        operations: bool,
    ) -> MetadataResponseTopic:
        """Cache a description until the topic changes, or a log of it fails."""
        if len(self._kept) > _FEW:
            self._drop_the_gone()
        self._kept[topic.name, operations] = _Kept(topic, partitions, answer)
        return answer

    def _drop_the_gone(self) -> None:
        """Drop deleted topics, once they may be half of all."""
        if len(self._kept) > 4 * len(self._topics):
            for key in [key for key in self._kept if self._topics.get(key[0]) is None]:
                del self._kept[key]
