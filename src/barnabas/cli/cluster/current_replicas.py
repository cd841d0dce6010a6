"""The brokers that have replicas of partitions now; moves are compared with them."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from barnabas import Admin
from barnabas.cli.arguments.connection import existing_topics
from barnabas.cli.arguments.partition_names import shown
from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.errors import BrokerError, ConfigError, ErrorCode
from barnabas.types import TopicPartition


def replicas_of(views: Mapping[str, TopicView]) -> dict[TopicPartition, tuple[int, ...]]:
    """The replicas of all partitions of some topics."""
    return {
        TopicPartition(name, one.partition): one.replicas
        for name, view in views.items()
        for one in view.partitions
    }


def check_brokers(named: Iterable[int], there: Collection[int]) -> None:
    """Raise a ConfigError for a broker that there is not."""
    for one in named:
        if one not in there:
            known = ", ".join(map(str, sorted(there)))
            brokers = f"brokers are {known}" if len(there) > 1 else f"only broker is {known}"
            raise ConfigError(f"there is no broker {one}; the {brokers}")


def current_replicas(
    admin: Admin, places: Mapping[TopicPartition, Sequence[int]]
) -> dict[TopicPartition, tuple[int, ...]]:
    """The replicas that partitions have.

    Raises:
        BrokerError: UNKNOWN_TOPIC_OR_PARTITION, there is no such partition.
        ConfigError: one is being moved.
    """
    found = replicas_of(existing_topics(admin, tuple({place.topic for place in places})))
    for place in places:
        if place not in found:
            code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            raise BrokerError(code, f"there is no partition {shown(place)}")
    moving = admin.list_partition_reassignments([*places])
    if moving:
        names = ", ".join(map(shown, sorted(moving)))
        raise ConfigError(f"{names} is being moved: wait, or see barnabas reassign cancel")
    return {place: found[place] for place in places}
