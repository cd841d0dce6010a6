"""A sorted file of fixed-size entries: what offset index and time index are made of.

The newest entries stay in memory until `flush`; the others are read from the file when asked for,
so that an index costs the same memory however long it is. An index is only a help: what is lost in
a crash is made again from the log.
"""

import struct
from bisect import bisect_right

from barnabas.ports import Disk, File

_BLOCK = 512
"""Entries read at once; one such block stays in memory for the next look-up near it."""

Entry = tuple[int, int]


class EntryFile:
    """Entries of two numbers, both growing from entry to entry (not always strictly).

    Invariant: entries [0, _stored) are in the file, the others in `_recent`, encoded alike.
    """

    __slots__ = (
        "_block",
        "_block_first",
        "_disk",
        "_file",
        "_layout",
        "_recent",
        "_stored",
        "path",
    )

    def __init__(self, disk: Disk, path: str, layout: struct.Struct) -> None:
        self.path = path
        self._disk = disk
        self._layout = layout
        self._file: File | None = None
        self._stored = disk.size(path) // layout.size if disk.exists(path) else 0
        self._recent = bytearray()
        self._block = b""
        self._block_first = 0

    def __len__(self) -> int:
        return self._stored + len(self._recent) // self._layout.size

    @property
    def file(self) -> File:
        """The file, opened (and made) when first needed."""
        if self._file is None:
            self._file = self._disk.open(self.path, create=True)
        return self._file

    def append(self, first: int, second: int) -> None:
        """Add an entry behind the last one; in memory until `flush`."""
        self._recent += self._layout.pack(first, second)

    def last(self) -> Entry | None:
        """The newest entry."""
        count = len(self)
        return self._at(count - 1) if count else None

    def floor(self, value: int, field: int) -> Entry | None:
        """The last entry whose `field` (0 or 1) is at most `value`."""
        size = self._layout.size
        recent = len(self._recent) // size
        if recent and self._entry(self._recent, 0)[field] <= value:
            return self._floor_in(self._recent, recent, value, field)
        if not self._stored:
            return None
        if not self._block_covers(value, field):
            last_block = (self._stored - 1) // _BLOCK
            number = bisect_right(
                range(last_block + 1), value, key=lambda n: self._at(n * _BLOCK)[field]
            )
            self._load(max(number - 1, 0))
        return self._floor_in(self._block, len(self._block) // size, value, field)

    def _floor_in(
        self, data: bytes | bytearray, count: int, value: int, field: int
    ) -> Entry | None:
        size = self._layout.size
        found = bisect_right(range(count), value, key=lambda i: self._entry(data, i * size)[field])
        return self._entry(data, (found - 1) * size) if found else None

    def _entry(self, data: bytes | bytearray, position: int) -> Entry:
        first, second = self._layout.unpack_from(data, position)
        return first, second

    def _block_covers(self, value: int, field: int) -> bool:
        if not self._block:
            return False
        size = self._layout.size
        if self._entry(self._block, 0)[field] > value:
            return self._block_first == 0
        is_last = self._block_first + len(self._block) // size == self._stored
        return is_last or value < self._entry(self._block, len(self._block) - size)[field]

    def _load(self, number: int) -> None:
        size = self._layout.size
        self._block_first = number * _BLOCK
        count = min(_BLOCK, self._stored - self._block_first)
        self._block = self.file.read(self._block_first * size, count * size)

    def _at(self, index: int) -> Entry:
        size = self._layout.size
        if index >= self._stored:
            return self._entry(self._recent, (index - self._stored) * size)
        return self._entry(self.file.read(index * size, size), 0)

    def is_sound(self) -> bool:
        """Whether the file is there, holds whole entries and does not end in zeros.

        Kafka makes its index files 10 MiB long in advance and cuts them when it stops cleanly.
        """
        if not self._disk.exists(self.path):
            return False
        if self._disk.size(self.path) % self._layout.size:
            return False
        last = self.last()
        return last is None or last != (0, 0)

    def truncate(self, value: int, field: int) -> None:
        """Drop all entries whose `field` is `value` or more."""
        count = bisect_right(range(len(self)), value - 1, key=lambda i: self._at(i)[field])
        size = self._layout.size
        if count >= self._stored:
            del self._recent[(count - self._stored) * size :]
            return
        self._recent.clear()
        self._block = b""
        self._stored = count
        self.file.truncate(count * size)

    def clear(self) -> None:
        """Drop all entries."""
        self._recent.clear()
        self._block = b""
        self._stored = 0
        self.file.truncate(0)

    def flush(self) -> None:
        """Write what is only in memory; no sync."""
        if self._recent:
            size = self._layout.size
            self.file.write(self._stored * size, [self._recent])
            self._stored += len(self._recent) // size
            self._recent = bytearray()
            self._block = b""
        elif self._file is None and not self._disk.exists(self.path):
            self._file = self._disk.open(self.path, create=True)

    def close(self) -> None:
        """Give the descriptor back; what was not flushed is lost."""
        if self._file is not None:
            self._file.close()
            self._file = None
