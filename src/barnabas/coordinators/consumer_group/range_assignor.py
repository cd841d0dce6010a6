"""The assignor `range`: of each topic, each subscriber gets one run of partitions.

Subscribers have the same order for every topic. So one member gets partition 3 of all topics with
as many partitions, as joins of two topics require. Source: KIP-848; Kafka's RangeAssignor.
"""

from barnabas.coordinators.common.assignment import Assignment, Subscriptions
from barnabas.coordinators.common.topic_partitions import TopicIdPartition


def assign(group: Subscriptions) -> Assignment:
    """Give each partition to one of its subscribers."""
    shares: dict[str, set[TopicIdPartition]] = {name: set() for name in group.subscriptions}
    of_topic, names = group.audiences()
    in_order = [sorted(members, key=lambda name: _rank(group, name)) for members in names]
    for topic_id in group.partitions:
        subscribers = in_order[of_topic[topic_id]]
        if not subscribers:
            continue
        partitions = group.partitions_of(topic_id)
        each, more = divmod(len(partitions), len(subscribers))
        begin = 0
        for index, name in enumerate(subscribers[: len(partitions)]):
            end = begin + each + (index < more)
            shares[name].update(partitions[begin:end])
            begin = end
    return {name: frozenset(share) for name, share in shares.items()}


def _rank(group: Subscriptions, name: str) -> tuple[bool, str]:
    """Static members first, by their instance ids: they get the same partitions after a restart."""
    instance = group.instances.get(name)
    return instance is None, name if instance is None else instance
