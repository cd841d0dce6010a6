"""Migration: copy and compare all partitions of a topic, one by one, then the positions of groups.

Partition n of the target holds the nth source partition, ordered by broker and partition.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from barnabas.client.driver07.assignment import BrokerPartition
from barnabas.migration.block_reader import BLOCK_BYTES, BlockReader
from barnabas.migration.offset_map import OffsetMap
from barnabas.migration.partition_copy import CopyResult, PartitionCopy
from barnabas.migration.positions import TranslatedPosition, positions
from barnabas.migration.source import MigrationSource
from barnabas.migration.target import MigrationTarget
from barnabas.migration.verifying import VerifiedCount, verify
from barnabas.ports import Registry
from barnabas.records.columns.encoding import EncodeOptions

OnProgress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class MigrationOptions:
    """`skip`: leave out what cannot be read. `block_bytes`: the size of a block of the source."""

    encode: EncodeOptions
    skip: bool = False
    block_bytes: int = BLOCK_BYTES


class Migration:
    """Migration of one topic.

    Calls may be repeated: each continues where the last one of any process stopped.

    `offsets` is the map; `readers` are by target partition.
    """

    def __init__(
        self,
        source: MigrationSource,
        target: MigrationTarget,
        offsets: OffsetMap,
        options: MigrationOptions,
    ) -> None:
        self._source = source
        self._target = target
        self.offsets = offsets
        self._options = options
        self.readers = [
            BlockReader(source, place, skip=options.skip, size=options.block_bytes)
            for place in source.places
        ]

    @property
    def places(self) -> Sequence[BrokerPartition]:
        """The source partitions, by target partition."""
        return self._source.places

    def left(self, partition: int) -> tuple[int, int]:
        """The source bytes of a partition that are not copied yet, as [start, end).

        Raises:
            KafkaError: the source is unavailable.
        """
        start, end = self._source.bounds(self.places[partition])
        blocks = self.offsets.blocks(partition)
        return (blocks[-1].end if blocks else start), end

    def copy(self, partition: int, until: int, on_progress: OnProgress) -> CopyResult:
        """See `PartitionCopy.run`."""
        start, _ = self._source.bounds(self.places[partition])
        reader = self.readers[partition]
        copy = PartitionCopy(reader, self._target, partition, self.offsets, self._options.encode)
        return copy.run(start, until, on_progress)

    def verify(self, partition: int, on_progress: Callable[[int], None]) -> VerifiedCount:
        """See `verifying.verify`."""
        return verify(self._target, partition, self.offsets, on_progress)

    def positions(self, registry: Registry, topic: str) -> Iterator[TranslatedPosition]:
        """See `positions.positions`."""
        return positions(registry, topic, self.places, self.readers, self.offsets)
