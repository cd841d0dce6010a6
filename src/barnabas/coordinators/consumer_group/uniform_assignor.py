"""The assignor `uniform`: members have equally many partitions, and keep what they can.

Source: KIP-848; Kafka's UniformAssignor. It does not specify which member gets which partition.
"""

from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heapreplace

from barnabas.coordinators.common.assignment import Assignment, Audiences, Subscriptions
from barnabas.coordinators.common.topic_partitions import TopicIdPartition

_LOOKS = 16
"""At the topics of members with different subscriptions, as in Kafka: shares are nearly level before."""


def assign(group: Subscriptions) -> Assignment:
    """Give each partition to one of its subscribers."""
    different = set(group.subscriptions.values())
    shares = _kept(group)
    taken = {topic_partition for share in shares.values() for topic_partition in share}
    free = [
        topic_partition
        for topic_id in sorted(frozenset().union(*different))
        for topic_partition in group.partitions_of(topic_id)
        if topic_partition not in taken
    ]
    if len(different) <= 1:
        free += _above_quota(shares, len(taken) + len(free))
        _hand_out(shares, free)
    else:
        audiences = group.audiences()
        _hand_out_to_subscribers(audiences, shares, free)
        _level(audiences, shares)
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
        size, name = heap[0]
        shares[name].add(topic_partition)
        heapreplace(heap, (size + 1, name))


def _hand_out_to_subscribers(
    audiences: Audiences,
    shares: dict[str, set[TopicIdPartition]],
    free: Iterable[TopicIdPartition],
) -> None:
    """Assign to the subscriber with the fewest; topics with the fewest subscribers first."""
    of_topic, names = audiences
    waiting: dict[int, list[TopicIdPartition]] = {}
    for topic_partition in sorted(free):
        waiting.setdefault(of_topic[topic_partition.topic_id], []).append(topic_partition)
    for number in sorted(waiting, key=lambda one: (len(names[one]), one)):
        # Meanwhile only these members get anything: a heap knows which has the fewest.
        heap = [(len(shares[name]), name) for name in names[number]]
        heapify(heap)
        for topic_partition in waiting[number] if heap else ():
            size, name = heap[0]
            shares[name].add(topic_partition)
            heapreplace(heap, (size + 1, name))


def _level(audiences: Audiences, shares: dict[str, set[TopicIdPartition]]) -> None:
    """Move single partitions while that makes two members more alike, in so many looks at all topics."""
    of_topic, names = audiences
    sizes = {name: len(share) for name, share in shares.items()}
    own: list[dict[str, list[TopicIdPartition]]] = [{} for _ in names]
    for name, share in shares.items():
        for topic_partition in sorted(share):
            own[of_topic[topic_partition.topic_id]].setdefault(name, []).append(topic_partition)
    for _ in range(_LOOKS):
        moves = [
            move
            for of_audience, members in zip(own, names, strict=True)
            for move in _level_audience(of_audience, members, sizes)
        ]
        for topic_partition, giver, taker in moves:
            shares[giver].remove(topic_partition)
            shares[taker].add(topic_partition)
        if not moves:
            return


def _level_audience(
    own: dict[str, list[TopicIdPartition]], names: Sequence[str], sizes: dict[str, int]
) -> Iterator[tuple[TopicIdPartition, str, str]]:
    """Move partitions of topics with the same subscribers from those with the most to those with the fewest.

    `own`: what each has of these topics, which changes, as `sizes` do, with each move: from whom to whom.
    """
    if not own or max(sizes[name] for name in own) <= min(sizes[name] for name in names) + 1:
        return
    most = [(-sizes[name], name) for name in own]
    least = [(sizes[name], name) for name in names]
    heapify(most)
    heapify(least)
    # A member in both heaps has the right size in the one from which it was taken last. That suffices:
    # a giver stays among the largest, and a taker among the smallest.
    while most and -most[0][0] > least[0][0] + 1:
        (_, giver), (_, taker) = most[0], least[0]
        topic_partition = own[giver].pop()
        own.setdefault(taker, []).append(topic_partition)
        sizes[giver] -= 1
        sizes[taker] += 1
        heapreplace(least, (sizes[taker], taker))
        if own[giver]:
            heapreplace(most, (-sizes[giver], giver))
        else:
            del own[giver]
            heappop(most)
        yield topic_partition, giver, taker
