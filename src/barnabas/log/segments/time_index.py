"""From a timestamp to an offset in a segment.

Source: Kafka's TimeIndex. An entry is (timestamp: int64, offset - base offset of the segment:
int32): no record before or at that offset is younger than the timestamp, and that one's batch is as
young.
"""

from typing import NamedTuple

from barnabas.log.segments.entry_file import EntryFile
from barnabas.log.segments.entry_layout import EntryLayout
from barnabas.ports import Disk
from barnabas.types import NO_TIMESTAMP

_LAYOUT = EntryLayout(wide=True)


class TimeEntry(NamedTuple):
    """An index entry: no batch up to `offset` is younger than `timestamp`, and its own batch has it."""

    timestamp: int
    offset: int


class TimeIndex:
    """How the greatest timestamp of one segment grew."""

    __slots__ = ("_last_timestamp", "base_offset", "entries")

    def __init__(self, disk: Disk, path: str, base_offset: int, *, anew: bool = False) -> None:
        """Raises as `EntryFile`, and where the last entry cannot be read."""
        self.entries = EntryFile(disk, path, _LAYOUT, anew=anew)
        self.base_offset = base_offset
        self._last_timestamp = self._newest()

    def last(self) -> TimeEntry | None:
        """The newest entry; None if there is none."""
        return self._entry(self.entries.last())

    def _newest(self) -> int:
        last = self.last()
        return NO_TIMESTAMP if last is None else last.timestamp

    def append(self, timestamp: int, offset: int) -> None:
        """Add an entry, unless the timestamp is not greater than the last one's."""
        if timestamp > self._last_timestamp:
            self._last_timestamp = timestamp
            self.entries.append(timestamp, offset - self.base_offset)

    def up_to(self, timestamp: int) -> TimeEntry | None:
        """The last entry whose time is at most `timestamp`; None if none is that old."""
        return self._entry(self.entries.floor(timestamp, 0))

    def truncate(self, offset: int) -> None:
        """Forget entries at `offset` and after."""
        self.entries.truncate(offset - self.base_offset, 1)
        self._last_timestamp = self._newest()

    def _entry(self, found: tuple[int, int] | None) -> TimeEntry | None:
        return None if found is None else TimeEntry(found[0], self.base_offset + found[1])
