"""Options of a mirror: its topics, target and groups."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from barnabas.pipelines.checkpoint import QueryCheckpoint
from barnabas.pipelines.mirrors.mirror_07 import Kafka07Address
from barnabas.pipelines.target_topics import target_names
from barnabas.pipelines.topic_frames import ClusterAddress


@dataclass(frozen=True, slots=True, kw_only=True)
class MirrorOptions:
    """The topics to mirror, and their target.

    `directory`: a path or URI of this mirror's own, for its progress. `names`: the
    target's name of a topic, by default its own. `groups`: whose positions to move; None: all groups'.
    `records_per_batch`: how many records are in one transaction of each partition at most.
    """

    source: ClusterAddress | Kafka07Address
    target: ClusterAddress | Kafka07Address
    topics: Sequence[str]
    directory: str
    names: Mapping[str, str] = field(default_factory=dict)
    groups: Sequence[str] | None = ()
    records_per_batch: int = 1_000_000

    @property
    def checkpoint(self) -> QueryCheckpoint:
        """The checkpoint, in which Spark stores the progress of the mirror."""
        return QueryCheckpoint(f"{self.directory.rstrip('/')}/checkpoint")

    @property
    def cluster(self) -> ClusterAddress:
        """The target, where it is no Kafka 0.7."""
        assert isinstance(self.target, ClusterAddress)
        return self.target

    @property
    def target_names(self) -> dict[str, str]:
        """The target's name of each topic.

        Raises:
            PipelineRefused: as `target_topics.target_names`.
        """
        return target_names(self.topics, self.names)
