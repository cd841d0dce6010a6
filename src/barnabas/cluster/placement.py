"""Placement: the brokers for the replicas of new partitions, in different racks if possible.

Leaders go round all brokers; the replicas of partitions with one leader begin at a different distance each
round, so that a broker's load spreads over all others when it is gone.

Source: KIP-36; Kafka's AdminUtils.
"""

from collections.abc import Mapping, Sequence

from barnabas.errors import BrokerError, ErrorCode
from barnabas.types import NodeId


def place(
    racks: Mapping[NodeId, str | None],
    partitions: Sequence[int],
    replication_factor: int,
    start: int = 0,
    shift: int = 0,
) -> dict[int, tuple[NodeId, ...]]:
    """The replicas of each partition by number, the preferred leader first.

    Args:
        racks: the brokers that are alive. Where one has no rack, racks do not count.
        partitions: their numbers; those of one topic go on from its last one.
        replication_factor: replicas of each.
        start: where the first leader is; by chance, so that topics spread.
        shift: the distance of the first follower; by chance as well.

    Raises:
        BrokerError: INVALID_REPLICATION_FACTOR: none, or more than brokers.
    """
    if not 0 < replication_factor <= len(racks):
        raise BrokerError(
            ErrorCode.INVALID_REPLICATION_FACTOR,
            f"a replication factor of {replication_factor} cannot be reached with {len(racks)} brokers",
        )
    known = {one: rack for one, rack in racks.items() if rack is not None}
    by_rack = known if len(known) == len(racks) else {one: str(one) for one in racks}
    ring = alternating(by_rack)
    count = len(ring)
    placed: dict[int, tuple[NodeId, ...]] = {}
    for number in partitions:
        first = (start + number) % count
        distance = 1 + (shift + number // count) % max(1, count - 1)
        others = [ring[(first + distance + step) % count] for step in range(count)]
        placed[number] = _spread(ring[first], others, by_rack, replication_factor)
    return placed


def alternating(racks: Mapping[NodeId, str]) -> list[NodeId]:
    """The brokers in an order in which neighbours are in different racks, as far as that goes."""
    groups: dict[str, list[NodeId]] = {}
    for one in sorted(racks):
        groups.setdefault(racks[one], []).append(one)
    columns = [groups[rack] for rack in sorted(groups)]
    longest = max(map(len, columns))
    return [column[row] for row in range(longest) for column in columns if row < len(column)]


def _spread(
    leader: NodeId, others: Sequence[NodeId], racks: Mapping[NodeId, str], count: int
) -> tuple[NodeId, ...]:
    """The leader and the next of the others: one of each rack first, then any."""
    chosen = [leader]
    used = {racks[leader]}
    for one in others:
        if len(chosen) < count and racks[one] not in used:
            chosen.append(one)
            used.add(racks[one])
    for one in others:
        if len(chosen) < count and one not in chosen:
            chosen.append(one)
    return tuple(chosen)
