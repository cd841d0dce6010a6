"""Where the newest batches of the active segment start: consumers at the tail need no scan."""

from array import array
from bisect import bisect_right

_KEPT = 256


class RecentBatches:
    """Base offset and position of the last 256 to 512 batches, without gaps, oldest first."""

    __slots__ = ("offsets", "positions")

    most = 2 * _KEPT
    """So many are there when the oldest are forgotten."""

    def __init__(self) -> None:
        self.offsets = array("q")
        self.positions = array("q")

    def add(self, base_offset: int, position: int) -> None:
        """Remember a batch that follows the one before."""
        self.offsets.append(base_offset)
        self.positions.append(position)
        if len(self.offsets) >= self.most:
            self.forget_oldest()

    def forget_oldest(self) -> None:
        """Keep the last 256; for where there are `most` of them, or more."""
        del self.offsets[:-_KEPT]
        del self.positions[:-_KEPT]

    def find(self, offset: int) -> int:
        """Number of the batch that holds `offset` (or starts the gap it is in); -1 if too old."""
        return bisect_right(self.offsets, offset) - 1

    def boundary_at(self, position: int) -> int:
        """The last batch start at or before `position`; there must be one."""
        return self.positions[bisect_right(self.positions, position) - 1]

    def clear(self) -> None:
        """Forget all: another segment is active, or the end was cut off."""
        del self.offsets[:]
        del self.positions[:]
