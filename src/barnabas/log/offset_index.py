"""From an offset to a byte position in a segment, one entry per few kilobytes of log.

Source: Kafka's OffsetIndex. An entry is (last offset of a batch - base offset of the segment:
int32, position of that batch: int32), big-endian.
"""

from barnabas.log.entry_file import EntryFile
from barnabas.log.entry_layout import EntryLayout
from barnabas.ports import Disk

_LAYOUT = EntryLayout(wide=False)


class OffsetIndex:
    """Where batches of one segment start."""

    __slots__ = ("base_offset", "entries")

    def __init__(self, disk: Disk, path: str, base_offset: int) -> None:
        self.entries = EntryFile(disk, path, _LAYOUT)
        self.base_offset = base_offset

    def append(self, last_offset: int, position: int) -> None:
        """Say that the batch that ends with `last_offset` starts at `position`."""
        self.entries.append(last_offset - self.base_offset, position)

    def position_for(self, offset: int) -> int:
        """A position at or before the batch that holds `offset`; 0 if no entry is that low."""
        found = self.entries.floor(offset - self.base_offset, 0)
        return found[1] if found else 0

    def boundary_at(self, position: int) -> int:
        """The last batch start known at or before `position`; 0 if no entry is that low."""
        found = self.entries.floor(position, 1)
        return found[1] if found else 0

    def truncate(self, offset: int) -> None:
        """Forget batches that hold `offset` or come after it."""
        self.entries.truncate(offset - self.base_offset, 0)
