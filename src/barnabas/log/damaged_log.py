"""A log that could not be opened, as its files do not hold what they should: offline from the start.

The others of the broker are served. Nothing of it is changed: when the file is put right, the next start
finds all that was there.
"""

from collections.abc import Sequence

from barnabas.errors import DamagedFile
from barnabas.log.partition_log import PartitionLog
from barnabas.log.segment import Segment
from barnabas.log.segments import Segments


class DamagedLog(PartitionLog):
    """Where it starts and ends is what is `known`: recovery point and start, of the checkpoints."""

    __slots__ = ("_left_in_order",)

    def __init__(
        self,
        found: PartitionLog,
        segments: Sequence[Segment],
        damage: DamagedFile,
        known: tuple[int, int],
        *,
        left_in_order: bool,
    ) -> None:
        super().__init__(found.disk, found.topic_partition, found.directory, found.config)
        self.topic_id = found.topic_id
        self.epochs = found.epochs
        self._left_in_order = left_in_order
        recovery_point, start = known
        start = max(start, segments[0].base_offset)
        self.opened(Segments(segments), start, max(recovery_point, start), recovery_point)
        self.failure = damage
        what = "Put a whole copy of the file there and start again, or delete the topic"
        self.losses.notes += [*found.losses.notes, f"is offline: {damage}. {what}"]

    def lead(self, epoch: int) -> None:
        """Nothing: no epoch begins in it."""

    def close(self, *, clean: bool) -> None:
        """Give all files back. It is as it was left: in order, or not.

        Raises:
            StorageError: its broker had not stopped in order, so that it is still to be recovered.
        """
        if clean and not self._left_in_order:
            raise self.offline()
        super().close(clean=False)
