"""From a timestamp to an offset in a segment.

Source: Kafka's TimeIndex. An entry is (timestamp: int64, offset - base offset of the segment:
int32): no record before or at that offset is younger than the timestamp, and that one's batch is as
young.
"""

from barnabas.log.entry_file import EntryFile
from barnabas.log.entry_layout import EntryLayout
from barnabas.ports import Disk
from barnabas.types import NO_TIMESTAMP

_LAYOUT = EntryLayout(wide=True)


class TimeIndex:
    """How the greatest timestamp of one segment grew."""

    __slots__ = ("_last_timestamp", "base_offset", "entries")

    def __init__(self, disk: Disk, path: str, base_offset: int) -> None:
        self.entries = EntryFile(disk, path, _LAYOUT)
        self.base_offset = base_offset
        self._last_timestamp = self.last()[0]

    def last(self) -> tuple[int, int]:
        """Timestamp and offset of the newest entry; (-1, base offset) if there is none."""
        last = self.entries.last()
        if last is None:
            return NO_TIMESTAMP, self.base_offset
        return last[0], self.base_offset + last[1]

    def append(self, timestamp: int, offset: int) -> None:
        """Add an entry, unless the timestamp is not greater than the last one's."""
        if timestamp > self._last_timestamp:
            self._last_timestamp = timestamp
            self.entries.append(timestamp, offset - self.base_offset)

    def offset_before(self, timestamp: int) -> int:
        """An offset before which all records are older than `timestamp`."""
        found = self.entries.floor(timestamp, 0)
        return self.base_offset + found[1] if found else self.base_offset

    def truncate(self, offset: int) -> None:
        """Forget entries at `offset` and after."""
        self.entries.truncate(offset - self.base_offset, 1)
        self._last_timestamp = self.last()[0]

    def clear(self) -> None:
        """Drop all entries."""
        self.entries.clear()
        self._last_timestamp = NO_TIMESTAMP
