"""Positions: where groups of Kafka 0.7 are, as offsets of the target. Reads ZooKeeper, writes nothing.

Source: seed 000 "Consumer": `/consumers/[group]/offsets/[topic]/[broker-partition]`.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from barnabas.client.driver07.assignment import BrokerPartition
from barnabas.dialects.kafka07.offset_nodes import decode_offset, groups_with_offsets
from barnabas.migration.block_reader import BlockReader
from barnabas.migration.offset_map import OffsetMap
from barnabas.ports import Registry


class Stored(NamedTuple):
    """What ZooKeeper says of a group in a place of the source; `old` is None where it is no offset."""

    group: str
    place: BrokerPartition
    partition: int
    old: int | None
    said: bytes


class Position(NamedTuple):
    """Where a group goes on in the source, in bytes, and in a partition of the target."""

    group: str
    place: BrokerPartition
    partition: int
    old: int
    new: int


def stored(registry: Registry, topic: str, places: Sequence[BrokerPartition]) -> Iterator[Stored]:
    """Of all groups, in order; `places` are by partition of the target.

    Raises:
        RegistryUnavailable: ZooKeeper does not answer.
    """
    for group, offsets in sorted(groups_with_offsets(registry.children)):
        for partition, place in enumerate(places):
            node = registry.get(f"{offsets}/{topic}/{place}")
            if node is not None:
                yield Stored(group, place, partition, decode_offset(node[0]), node[0])


def positions(
    registry: Registry,
    topic: str,
    places: Sequence[BrokerPartition],
    readers: Sequence[BlockReader],
    offsets: OffsetMap,
) -> Iterator[Position]:
    """Those of `stored` that are offsets; `readers` are by partition of the target.

    Raises:
        RegistryUnavailable: ZooKeeper does not answer.
        KafkaError: the source is not to be had.
    """
    for group, place, partition, old, _ in stored(registry, topic, places):
        if old is not None:
            new = new_offset(old, partition, readers[partition], offsets)
            yield Position(group, place, partition, old, new)


def strays(
    registry: Registry, topic: str, places: Sequence[BrokerPartition]
) -> Iterator[tuple[str, str]]:
    """Group and place of positions where the source has nothing, as of a broker that is away.

    Raises:
        RegistryUnavailable: ZooKeeper does not answer.
    """
    known = {str(place) for place in places}
    for group, offsets in sorted(groups_with_offsets(registry.children)):
        for name in sorted(registry.children(f"{offsets}/{topic}")):
            if name not in known:
                yield group, name


def new_offset(old: int, partition: int, reader: BlockReader, offsets: OffsetMap) -> int:
    """The record of the first message that begins at byte `old` of the source or behind it.

    Inside a message it is that message's, and in a compressed one the first of those in it, so that
    nothing is missed. Before the first byte that was copied, and behind the last, it is the first
    record and the end.

    Raises:
        KafkaError: the source is not to be had.
    """
    block = offsets.find(partition, old)
    if block is None:
        return 0
    if old >= block.end or block.left_out:
        return block.next_offset
    return block.offset + reader.count_between(block.start, old)
