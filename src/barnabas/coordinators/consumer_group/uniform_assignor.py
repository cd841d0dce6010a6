"""The assignor `uniform`: members have equally many partitions, and keep what they can.

Source: KIP-848; Kafka's UniformAssignor. It does not specify which member gets which partition.
"""

from collections.abc import Iterable
from heapq import heapify, heappop, heappush

from barnabas.coordinators.common.assignment import Assignment, Subscriptions
from barnabas.coordinators.common.topic_partitions import TopicIdPartition


def assign(group: Subscriptions) -> Assignment:
    """Give each partition to one of its subscribers."""
    shares = _kept(group)
    taken = {topic_partition for share in shares.values() for topic_partition in share}
    free = [
        topic_partition
        for topic_id in sorted(frozenset().union(*group.subscriptions.values()))
        for topic_partition in group.partitions_of(topic_id)
        if topic_partition not in taken
    ]
    alike = len(set(group.subscriptions.values())) <= 1
    if alike:
        free += _above_quota(shares, len(taken) + len(free))
        _hand_out(shares, free)
    else:
        _hand_out_to_subscribers(group, shares, free)
        _level(group, shares)
    return {name: frozenset(share) for name, share in shares.items()}


def _kept(group: Subscriptions) -> dict[str, set[TopicIdPartition]]:
    """Owned partitions that still exist and that the member still subscribes to; each one once."""
    shares: dict[str, set[TopicIdPartition]] = {}
    taken: set[TopicIdPartition] = set()
    for name, topics in sorted(group.subscriptions.items()):
        kept = {
            topic_partition
            for topic_partition in group.before.get(name, ())
            if topic_partition.topic_id in topics
            and topic_partition.partition < group.partitions[topic_partition.topic_id]
        }
        shares[name] = kept - taken
        taken |= kept
    return shares


def _above_quota(shares: dict[str, set[TopicIdPartition]], count: int) -> list[TopicIdPartition]:
    """Take partitions from members with too many.

    As few as possible have one more than the others.
    """
    if not shares:
        return []
    quota, more = divmod(count, len(shares))
    freed = []
    for share in sorted(shares.values(), key=len, reverse=True):
        allowed = quota + (more > 0)
        more -= len(share) >= allowed > quota
        for topic_partition in sorted(share)[allowed:]:
            share.remove(topic_partition)
            freed.append(topic_partition)
    return freed


def _hand_out(shares: dict[str, set[TopicIdPartition]], free: Iterable[TopicIdPartition]) -> None:
    """Assign to the members with the fewest, if all have the same subscription."""
    if not shares:
        return
    heap = [(len(share), name) for name, share in shares.items()]
    heapify(heap)
    for topic_partition in sorted(free):
        size, name = heappop(heap)
        shares[name].add(topic_partition)
        heappush(heap, (size + 1, name))


def _subscribers(group: Subscriptions) -> dict[bytes, list[str]]:
    found: dict[bytes, list[str]] = {topic_id: [] for topic_id in group.partitions}
    for name in sorted(group.subscriptions):
        for topic_id in group.subscriptions[name]:
            found[topic_id].append(name)
    return found


def _hand_out_to_subscribers(
    group: Subscriptions, shares: dict[str, set[TopicIdPartition]], free: Iterable[TopicIdPartition]
) -> None:
    """Assign to the subscriber with the fewest; topics with the fewest subscribers first."""
    subscribers = _subscribers(group)
    for topic_partition in sorted(free, key=lambda one: (len(subscribers[one.topic_id]), one)):
        candidates = subscribers[topic_partition.topic_id]
        if candidates:
            shares[min(candidates, key=lambda name: len(shares[name]))].add(topic_partition)


def _level(group: Subscriptions, shares: dict[str, set[TopicIdPartition]]) -> None:
    """Move single partitions while that makes two members more alike."""
    subscribers = _subscribers(group)
    moved = True
    while moved:
        moved = False
        for topic_id, names in subscribers.items():
            for name in names:
                least = min(names, key=lambda other: len(shares[other]))
                own = [
                    topic_partition
                    for topic_partition in shares[name]
                    if topic_partition.topic_id == topic_id
                ]
                if own and len(shares[name]) > len(shares[least]) + 1:
                    topic_partition = max(own)
                    shares[name].remove(topic_partition)
                    shares[least].add(topic_partition)
                    moved = True
