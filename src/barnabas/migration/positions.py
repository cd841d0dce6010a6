"""Convert positions of Kafka 0.7 groups to target offsets. Reads ZooKeeper, writes nothing.

Source: seed 000 "Consumer": `/consumers/[group]/offsets/[topic]/[broker-partition]`.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from barnabas.client.driver07.assignment import BrokerPartition
from barnabas.dialects.kafka07.offset_nodes import decode_offset, groups_with_offsets
from barnabas.migration.block_reader import BlockReader
from barnabas.migration.offset_map import OffsetMap
from barnabas.ports import Registry


class StoredPosition(NamedTuple):
    """A group's position in a source partition, as ZooKeeper has it; `old` is None if it is invalid."""

    group: str
    place: BrokerPartition
    partition: int
    old: int | None
    text: bytes


class TranslatedPosition(NamedTuple):
    """A group's position as a source byte, and as an offset in a target partition."""

    group: str
    place: BrokerPartition
    partition: int
    old: int
    new: int


def stored(
    registry: Registry, topic: str, places: Sequence[BrokerPartition]
) -> Iterator[StoredPosition]:
    """Return the positions of all groups, in order; `places` are by target partition.

    Raises:
        RegistryUnavailable: ZooKeeper does not respond.
    """
    for group, offsets in sorted(groups_with_offsets(registry.children)):
        for partition, place in enumerate(places):
            node = registry.get(f"{offsets}/{topic}/{place}")
            if node is not None:
                yield StoredPosition(group, place, partition, decode_offset(node[0]), node[0])


def positions(
    registry: Registry,
    topic: str,
    places: Sequence[BrokerPartition],
    readers: Sequence[BlockReader],
    offsets: OffsetMap,
) -> Iterator[TranslatedPosition]:
    """Convert the valid positions of `stored`; `readers` are by target partition.

    Raises:
        RegistryUnavailable: ZooKeeper does not respond.
        KafkaError: the source is unavailable.
    """
    for group, place, partition, old, _ in stored(registry, topic, places):
        if old is not None:
            new = new_offset(old, partition, readers[partition], offsets)
            yield TranslatedPosition(group, place, partition, old, new)


def strays(
    registry: Registry, topic: str, places: Sequence[BrokerPartition]
) -> Iterator[tuple[str, str]]:
    """Group and place of positions for which there is no source, for example of a stopped broker.

    Raises:
        RegistryUnavailable: ZooKeeper does not respond.
    """
    known = {str(place) for place in places}
    for group, offsets in sorted(groups_with_offsets(registry.children)):
        for name in sorted(registry.children(f"{offsets}/{topic}")):
            if name not in known:
                yield group, name


def new_offset(old: int, partition: int, reader: BlockReader, offsets: OffsetMap) -> int:
    """Return the offset of the first message that starts at or after source byte `old`.

    A position inside a message means that message; inside a compressed one, the first of its
    messages, so that none is skipped. Before the first copied byte it is the first record, after
    the last one the end.

    Raises:
        KafkaError: the source is unavailable.
    """
    block = offsets.find(partition, old)
    if block is None:
        return 0
    if old >= block.end or block.left_out:
        return block.next_offset
    return block.offset + reader.count_between(block.start, old)
