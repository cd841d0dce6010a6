"""From an offset to a byte position in a segment, one entry per few kilobytes of log.

Source: Kafka's OffsetIndex. An entry is (last offset of a batch - base offset of the segment:
int32, position of that batch: int32), big-endian.
"""

from typing import NamedTuple

from barnabas.log.segments.entry_file import EntryFile
from barnabas.log.segments.entry_layout import EntryLayout
from barnabas.ports import Disk

_LAYOUT = EntryLayout(wide=False)


class IndexEntry(NamedTuple):
    """An index entry: a batch that starts at or before `offset` starts at `position`."""

    offset: int
    position: int


class OffsetIndex:
    """Where batches of one segment start."""

    __slots__ = ("base_offset", "entries")

    def __init__(self, disk: Disk, path: str, base_offset: int, *, anew: bool = False) -> None:
        """Raises as `EntryFile`."""
        self.entries = EntryFile(disk, path, _LAYOUT, anew=anew)
        self.base_offset = base_offset

    def append(self, last_offset: int, position: int) -> None:
        """Say that the batch that ends with `last_offset` starts at `position`."""
        self.entries.append(last_offset - self.base_offset, position)

    def for_offset(self, offset: int) -> IndexEntry | None:
        """The last entry whose offset is at most `offset`; None if none is that low."""
        return self._entry(self.entries.floor(offset - self.base_offset, 0))

    def for_position(self, position: int) -> IndexEntry | None:
        """The last entry whose position is at most `position`; None if none is that low."""
        return self._entry(self.entries.floor(position, 1))

    def last(self) -> IndexEntry | None:
        """The last entry; None if there is none."""
        return self._entry(self.entries.last())

    def _entry(self, found: tuple[int, int] | None) -> IndexEntry | None:
        return None if found is None else IndexEntry(self.base_offset + found[0], found[1])

    def truncate(self, offset: int) -> None:
        """Forget batches that hold `offset` or come after it."""
        self.entries.truncate(offset - self.base_offset, 0)
