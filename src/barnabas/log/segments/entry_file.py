"""A sorted file of fixed-size entries: the base of offset index and time index.

The newest entries stay in memory until `flush`; the others are read from the file on demand, so an
index of any length uses the same memory. An index is a hint: entries lost in a crash are rebuilt
from the log, and readers check what they find.
"""

from bisect import bisect_left, bisect_right

from barnabas.errors import DiskFull, StorageError
from barnabas.log.segments.entry_layout import Columns, EntryLayout
from barnabas.ports import Disk, File

_BLOCK = 1024
"""Entries read at once; one such block stays in memory for the next look-ups near it."""

MISSING = "it is not there"

Entry = tuple[int, int]


class EntryFile:
    """Entries of two numbers, both increasing from entry to entry (not always strictly).

    In a damaged file they may not increase; a lookup then finds some entry that is not above its
    value. Invariant: entries [0, _stored) are in the file, the others in `_recent`. `_block` holds
    those from `_block_first` on, or none. `_block_starts` are the first entries of blocks read so
    far.
    """

    __slots__ = (
        "_anew",
        "_block",
        "_block_first",
        "_block_starts",
        "_disk",
        "_file",
        "_layout",
        "_recent",
        "_stored",
        "path",
    )

    def __init__(self, disk: Disk, path: str, layout: EntryLayout, *, anew: bool = False) -> None:
        """`anew`: begin without entries; `flush` takes the place of what the file holds.

        Raises:
            StorageError: the file cannot be looked at.
        """
        self.path = path
        self._disk = disk
        self._layout = layout
        self._file: File | None = None
        self._anew = anew
        there = not anew and disk.exists(path)
        self._stored = disk.size(path) // layout.size if there else 0
        self._recent = layout.no_entries()
        self._block_starts: dict[int, Entry] = {}
        self._forget_block()

    def __len__(self) -> int:
        return self._stored + len(self._recent[0])

    @property
    def file(self) -> File:
        """The file, opened (and made) when first needed."""
        if self._file is None:
            self._file = self._disk.open(self.path, create=True)
        return self._file

    def append(self, first: int, second: int) -> None:
        """Add an entry after the last one; in memory until `flush`."""
        firsts, seconds = self._recent
        firsts.append(first)
        seconds.append(second)

    def last(self) -> Entry | None:
        """The newest entry."""
        count = len(self)
        return self._at(count - 1) if count else None

    def floor(self, value: int, field: int) -> Entry | None:
        """The last entry whose `field` (0 or 1) is at most `value`."""
        entries = self._recent
        column = entries[field]
        if not column or column[0] > value:
            if not self._stored:
                return None
            entries = self._block
            column = entries[field]
            if not (column and column[0] <= value < column[-1]):
                if not self._block_covers(value, field):
                    self._find_block(value, field)
                entries = self._block
                column = entries[field]
        found = bisect_right(column, value) - 1
        return (entries[0][found], entries[1][found]) if found >= 0 else None

    def _block_covers(self, value: int, field: int) -> bool:
        column = self._block[field]
        if not column:
            return False
        if column[0] > value:
            return not self._block_first
        return value < column[-1] or self._block_first + len(column) == self._stored

    def _find_block(self, value: int, field: int) -> None:
        """Load the block that contains `value`; a reader that continues needs the block after the last."""
        if self._block_first + _BLOCK < self._stored and self._block[field]:
            self._load(self._block_first // _BLOCK + 1)
            if self._block_covers(value, field):
                return
        blocks = range((self._stored - 1) // _BLOCK + 1)
        found = bisect_right(blocks, value, key=lambda block: self._block_start(block)[field])
        self._load(max(found - 1, 0))

    def _block_start(self, block: int) -> Entry:
        start = self._block_starts.get(block)
        if start is None:
            start = self._block_starts[block] = self._at(block * _BLOCK)
        return start

    def _load(self, block: int) -> None:
        self._block_first = block * _BLOCK
        count = min(_BLOCK, self._stored - self._block_first)
        self._block = self._read(self._block_first, count)

    def _forget_block(self) -> None:
        self._block = self._layout.no_entries()
        self._block_first = 0

    def _at(self, index: int) -> Entry:
        if index >= self._stored:
            firsts, seconds = self._recent
            return firsts[index - self._stored], seconds[index - self._stored]
        firsts, seconds = self._read(index, 1)
        return firsts[0], seconds[0]

    def _read(self, first: int, count: int) -> Columns:
        """So many entries of the file; StorageError: they are not there, or cannot be read."""
        size = self._layout.size
        data = self.file.read(first * size, count * size)
        if len(data) < count * size:
            raise StorageError(f"{self.path} ends before entry {first + count}")
        return self._layout.decode(data)

    def fault(self) -> str:
        """What is wrong with the file as such, in words; empty: nothing is."""
        size = self._layout.size
        if not self._disk.exists(self.path):
            return MISSING
        left = self._disk.size(self.path) % size
        if left:
            return f"it ends with {left} bytes of an entry that should have {size}"
        # Kafka makes its index files 10 MiB long in advance and cuts them when it stops cleanly.
        if self._stored > 1 and self.last() == (0, 0):
            return "it ends in zeros"
        return ""

    def truncate(self, value: int, field: int) -> None:
        """Drop all entries whose `field` is `value` or more."""
        count = bisect_left(range(len(self)), value, key=lambda index: self._at(index)[field])
        kept = max(count - self._stored, 0)
        for column in self._recent:
            del column[kept:]
        if count < self._stored:
            self._cut(count)

    def _cut(self, count: int) -> None:
        self._forget_block()
        self._block_starts.clear()
        self._stored = count
        self.file.truncate(count * self._layout.size)

    def flush(self) -> None:
        """Write the entries that are only in memory; no sync.

        Without space on the disk they stay there.
        """
        if self._anew:
            self._begin_file()
        count = len(self._recent[0])
        if count:
            data = self._layout.encode(self._recent)
            try:
                self.file.write(self._stored * self._layout.size, [data])
            except DiskFull:
                return  # All records in the log are still readable.
            self._stored += count
            self._recent = self._layout.no_entries()
            self._forget_block()
        elif self._file is None and not self._disk.exists(self.path):
            self._file = self._disk.open(self.path, create=True)

    def _begin_file(self) -> None:
        """Start a new empty file: the disk may not return what is written to the old one."""
        self.close()
        self._disk.remove(self.path)
        self._file = self._disk.open(self.path, create=True)
        self._anew = False

    def close(self) -> None:
        """Close the descriptor; entries not flushed are lost."""
        if self._file is not None:
            self._file.close()
            self._file = None
