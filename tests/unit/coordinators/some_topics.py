"""Topics for groups to look at, and what groups obey, without a broker."""

from collections.abc import Iterable

from barnabas.coordinators.classic_group.settings import GroupSettings
from barnabas.coordinators.common.topic_partitions import KnownTopic, TopicIdPartition
from barnabas.coordinators.consumer_group.environment import GroupEnvironment
from barnabas.coordinators.consumer_group.settings import ConsumerSettings
from barnabas.coordinators.groups_shard import GroupShard

SETTINGS = ConsumerSettings(
    session_ms=1000,
    heartbeat_ms=100,
    assignment_interval_ms=0,
    max_size=10,
    assignors=("uniform", "range"),
    upgrades=True,
    downgrades=True,
    classic_max_size=10,
)


class SomeTopics:
    """A view of topics that a test changes."""

    def __init__(self, **partitions: int) -> None:
        self.changes = 0
        self.partitions = partitions

    def find(self, name: str) -> KnownTopic | None:
        count = self.partitions.get(name)
        return None if count is None else KnownTopic(self.id_of(name), count)

    def name_of(self, topic_id: bytes) -> str | None:
        return next((one for one in self.partitions if self.id_of(one) == topic_id), None)

    def names(self) -> Iterable[str]:
        return list(self.partitions)

    @staticmethod
    def id_of(name: str) -> bytes:
        return name.encode().ljust(16, b"\0")

    def change(self, **partitions: int) -> None:
        self.partitions |= partitions
        self.changes += 1

    def places(self, name: str) -> frozenset[TopicIdPartition]:
        return frozenset(
            TopicIdPartition(self.id_of(name), one) for one in range(self.partitions[name])
        )


def a_shard(topics: SomeTopics | None = None, settings: ConsumerSettings = SETTINGS) -> GroupShard:
    """A shard without groups; offsets have ten bytes for their metadata."""
    environment = GroupEnvironment(topics or SomeTopics(), lambda _group: settings)
    return GroupShard(GroupSettings(0, 10), 10, environment)
