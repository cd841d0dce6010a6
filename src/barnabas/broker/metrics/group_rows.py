"""Rows of consumer groups: members, committed offsets and lag."""

from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator, Sequence

from barnabas.broker.broker import Broker
from barnabas.broker.metrics.rows import AT_ONCE, MOST_ROWS, Labels, Rows
from barnabas.coordinators.offsets.offsets import OffsetsShard
from barnabas.errors import BrokerError
from barnabas.types import TopicPartition

_LONGEST_NAME = 255
"""Characters of a group that has rows. One of 32,767 in 20,000 rows would be a page of 1 GB."""


def read_groups(rows: Rows, broker: Broker) -> Generator[None, None, None]:
    """Of all groups that this broker coordinates; what is loaded for that stays loaded, as for a client.

    A group that no request has named since the start may belong to a stopped consumer: its lag matters most.
    """
    left = MOST_ROWS
    members = rows["kafka_consumergroup_members"]
    for index in [*broker.groups.indexes()]:
        try:
            shard = (yield from broker.groups.at_in_steps(index)).shard
        except BrokerError:
            # It cannot be loaded, which was logged, or is not loaded yet, or another broker leads it now.
            continue
        for number, group in enumerate(tuple(shard.groups())):
            if number and not number % AT_ONCE:
                yield
            if len(members) < MOST_ROWS and len(group.group_id) <= _LONGEST_NAME:
                members.append(((group.group_id,), len(group.members)))
        for group_id, some in _some_by_some(shard.offsets):
            yield
            if left <= 0:
                break
            positions = some[:left]
            left -= len(positions)
            committed = [
                (position, offset.offset)
                for position, offset in zip(
                    positions, shard.offsets.fetch(group_id, positions), strict=True
                )
                if offset is not None
            ]
            _read_offsets(rows, broker, group_id, committed)
    sums: dict[Labels, float] = defaultdict(float)
    for labels, lag in rows["kafka_consumergroup_lag"]:
        sums[labels[:1]] += lag
    rows["kafka_consumergroup_lag_sum"] = list(sums.items())


def _some_by_some(offsets: OffsetsShard) -> Iterator[tuple[str, Sequence[TopicPartition]]]:
    """What groups have committed, at most so many partitions at a time; none of those without rows."""
    for number, group_id in enumerate(offsets.groups(), 1):
        positions = offsets.positions(group_id) if len(group_id) <= _LONGEST_NAME else ()
        for first in range(0, len(positions), AT_ONCE):
            yield group_id, positions[first : first + AT_ONCE]
        if not number % AT_ONCE:
            yield group_id, ()


def _read_offsets(
    rows: Rows, broker: Broker, group_id: str, committed: Iterable[tuple[TopicPartition, int]]
) -> None:
    for (topic, index), offset in committed:
        labels = (group_id, topic, str(index))
        rows["kafka_consumergroup_current_offset"].append((labels, offset))
        partition = broker.replicas.find(topic, index)
        if partition is not None and partition.log.failure is None:
            lag = max(0, partition.log.high_watermark - offset)
            rows["kafka_consumergroup_lag"].append((labels, lag))
