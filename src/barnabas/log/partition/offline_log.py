"""A log that could not be opened: offline from the start.

The others of the broker are served. Nothing of it is changed: when its files are put right, the next start
finds all that was there.
"""

from collections.abc import Sequence

from barnabas.errors import StorageError
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.segments.segment import Segment
from barnabas.log.segments.segments import Segments


class OfflineLog(PartitionLog):
    """Its start and end come from `known`: recovery point and start, of the checkpoints."""

    __slots__ = ("_left_in_order",)

    def __init__(
        self,
        found: PartitionLog,
        segments: Sequence[Segment],
        failure: StorageError,
        known: tuple[int, int],
        *,
        advice: str,
        left_in_order: bool,
    ) -> None:
        """`advice`: what to do, as the end of the error; empty if others say that.

        It has no segments: they could not be read.
        """
        super().__init__(found.disk, found.topic_partition, found.directory, found.config)
        self.topic_id = found.topic_id
        self.epochs = found.epochs
        self._left_in_order = left_in_order
        recovery_point, start = known
        segments = segments or [Segment(found.disk, found.directory, start, found.config)]
        start = max(start, segments[0].base_offset)
        self.opened(Segments(segments), start, max(recovery_point, start), recovery_point)
        self.fail(failure)
        self.losses.notes += found.losses.notes
        if advice:
            self.losses.notes.append(f"is offline: {failure}. {advice}")

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
