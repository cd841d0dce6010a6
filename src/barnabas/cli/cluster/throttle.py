"""Limit replication traffic during moves, with Kafka's properties. Source: KIP-73."""

from collections.abc import Iterable, Mapping, Sequence

from barnabas import Admin
from barnabas.client.core.admin.descriptions import Resource
from barnabas.errors import KafkaError
from barnabas.types import TopicPartition

_RATES = ("leader.replication.throttled.rate", "follower.replication.throttled.rate")
_LEADERS = "leader.replication.throttled.replicas"
_FOLLOWERS = "follower.replication.throttled.replicas"


def throttle(
    admin: Admin,
    current: Mapping[TopicPartition, Sequence[int]],
    targets: Mapping[TopicPartition, Sequence[int]],
    rate: int,
) -> None:
    """Have all brokers that copy for these moves send and receive at most `rate` bytes a second.

    Only the moves are limited: other followers copy as fast as before.

    Raises:
        KafkaError: a broker refuses; then no broker has the limit.
    """
    leaders: dict[str, list[str]] = {}
    followers: dict[str, list[str]] = {}
    for place, brokers in targets.items():
        before = current[place]
        leaders.setdefault(place.topic, []).extend(f"{place.partition}:{one}" for one in before)
        followers.setdefault(place.topic, []).extend(
            f"{place.partition}:{one}" for one in brokers if one not in before
        )
    both = (*current.values(), *targets.values())
    try:
        for node_id in sorted({one for brokers in both for one in brokers}):
            admin.alter_configs(Resource.BROKER, str(node_id), dict.fromkeys(_RATES, str(rate)))
        for topic, rows in leaders.items():
            changes = {_LEADERS: ",".join(rows), _FOLLOWERS: ",".join(followers[topic])}
            admin.alter_configs(Resource.TOPIC, topic, changes)
    except KafkaError:
        unthrottle(admin, leaders)
        raise


def unthrottle(admin: Admin, topics: Iterable[str], *, amid_moves: bool = False) -> None:
    """Remove the limit from topics and from all brokers.

    While other replicas still move, brokers keep it, unless `amid_moves`.
    """
    keep = not amid_moves and admin.list_partition_reassignments()
    for node_id in () if keep else throttled_brokers(admin):
        admin.alter_configs(Resource.BROKER, str(node_id), dict.fromkeys(_RATES))
    for topic in topics:
        entries = admin.describe_configs(Resource.TOPIC, topic)
        limited = [
            name for name in (_LEADERS, _FOLLOWERS) if name in entries and entries[name].value
        ]
        if limited:
            admin.alter_configs(Resource.TOPIC, topic, dict.fromkeys(limited))


def throttled_brokers(admin: Admin) -> list[int]:
    """The brokers that have a limit."""
    return [
        broker.node_id
        for broker in admin.describe_cluster().brokers
        if _is_limited(admin, broker.node_id)
    ]


def _is_limited(admin: Admin, node_id: int) -> bool:
    entries = admin.describe_configs(Resource.BROKER, str(node_id))
    return any(name in entries and entries[name].value for name in _RATES)
