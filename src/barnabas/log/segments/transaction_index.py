"""The .txnindex file: the aborted transactions whose markers are in a segment.

A hint, like all indexes: damage to the file is detected when it is read, `last_stable_offset`
compares each entry with its batches before use, and the inventory of the directory knows how many
entries there are. Most segments have no file. Source: KIP-98; Kafka's TransactionIndex and
AbortedTxn: version int16 (0), then four int64.
"""

import struct
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from barnabas.errors import StorageError
from barnabas.ports import Disk, File
from barnabas.records.aborted_transaction import AbortedTransaction

_VERSION = 0
_ENTRY = struct.Struct(">hqqqq")


class TransactionIndex:
    """Aborted transactions of one segment, in the order of their markers. Its file is created late.

    Invariant: the first `_stored` are in the file, the others only in memory until `flush`. `fault`
    is the damage of the file; empty without. `compared`: markers whose entries are correct.
    """

    __slots__ = (
        "_anew", "_disk", "_expected", "_file", "_found", "_stored", "compared", "fault", "path",
    )  # fmt: skip

    def __init__(self, disk: Disk, path: str, base_offset: int, expected: int = 0) -> None:
        """`expected`: a file with fewer entries has lost some."""
        self._disk = disk
        self._expected = expected
        self.path = path
        self._file: File | None = None
        self._found: list[AbortedTransaction] = []
        self._anew = False
        self.fault = ""
        self.compared: set[int] = set()
        try:
            if disk.exists(path):
                data = disk.read_file(path)
                self._found = decode_aborted(data)
                self.fault = _fault_of(data, self._found, base_offset)
                if not self.fault and len(self._found) < expected:
                    self.fault = f"it has {len(self._found)} entries instead of {expected}"
            elif expected:
                self.fault = "it is missing"
        except StorageError as error:
            self.fault = str(error)
        self._stored = len(self._found)

    @property
    def file(self) -> File | None:
        """The file, opened when first needed; None while there is none."""
        if self._file is None and self._stored:
            self._file = self._disk.open(self.path, create=True)
        return self._file

    @property
    def known_entries(self) -> int:
        """How many aborted transactions there are at least; a damaged file had some."""
        return max(self._expected, 1) if self.fault else len(self._found)

    def append(self, aborted: AbortedTransaction) -> None:
        """Add the transaction that the newest marker has aborted."""
        self._found.append(aborted)
        self.compared.add(aborted.last_offset)

    def from_offset(self, offset: int) -> Sequence[AbortedTransaction]:
        """Those whose marker is at or after `offset`."""
        found = self._found
        if not found or found[-1].last_offset < offset:
            return ()
        return found[bisect_left(found, offset, key=lambda each: each.last_offset) :]

    def truncate(self, offset: int) -> None:
        """Drop those whose marker is at or after `offset`; a damaged file is to be made again."""
        if self.fault:
            return  # What was lost before `offset` would not be missed any more.
        kept = bisect_left(self._found, offset, key=lambda each: each.last_offset)
        del self._found[kept:]
        if not kept:
            self.replace((), offset)
            self.flush()
        elif kept < self._stored:
            file = self.file
            assert file is not None, "something is stored"
            file.truncate(kept * _ENTRY.size)
            self._stored = kept

    def replace(self, found: Iterable[AbortedTransaction], end: int) -> None:
        """Replace all whose marker is before `end` by these, which are correct."""
        behind = [each for each in self._found[self._stored :] if each.last_offset >= end]
        self.close()
        self._found = [*found, *behind]
        self._stored = 0
        self._anew = True
        self.fault = ""
        self.compared = {each.last_offset for each in self._found}

    def flush(self) -> None:
        """Write what is only in memory, unless the file is damaged; no sync."""
        if self.fault:
            return  # It is written when it is made again.
        if self._anew:
            self._disk.remove(self.path)
            self._anew = False
        added = self._found[self._stored :]
        if added:
            position, self._stored = self._stored * _ENTRY.size, len(self._found)
            file = self.file
            assert file is not None, "something is stored"
            file.write(position, [encode_aborted(added)])

    def close(self) -> None:
        """Close the descriptor; entries not flushed are lost."""
        if self._file is not None:
            self._file.close()
            self._file = None


def encode_aborted(transactions: Iterable[AbortedTransaction]) -> bytes:
    """The bytes of an index, in the order of the markers."""
    ordered = sorted(transactions, key=lambda each: each.last_offset)
    return b"".join(_ENTRY.pack(_VERSION, *each) for each in ordered)


def decode_aborted(data: bytes) -> list[AbortedTransaction]:
    """The whole entries of an index, up to the first of a version that came later."""
    found: list[AbortedTransaction] = []
    whole = len(data) - len(data) % _ENTRY.size
    for version, *fields in _ENTRY.iter_unpack(data[:whole]):
        if version != _VERSION:
            break
        found.append(AbortedTransaction(*fields))
    return found


def _fault_of(data: bytes, found: Sequence[AbortedTransaction], base_offset: int) -> str:
    """What is wrong with a file that holds these entries; empty: nothing is."""
    size = _ENTRY.size
    if not data:
        return "it is empty"
    if len(found) * size != len(data):
        return f"at byte {len(found) * size} there is no whole entry of version {_VERSION}"
    last = base_offset - 1
    for number, each in enumerate(found):
        grows = 0 <= each.first_offset <= each.last_offset and last < each.last_offset
        if not grows or not 0 <= each.stable_offset <= each.last_offset + 1:
            return f"entry {number} is {tuple(each)}, which cannot follow offset {last}"
        last = each.last_offset
    return ""
