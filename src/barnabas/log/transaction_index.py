"""The .txnindex file: the aborted transactions whose markers are in a segment.

Source: KIP-98; Kafka's TransactionIndex and AbortedTxn: version int16 (0), then four int64.
"""

import struct
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from barnabas.ports import Disk, File
from barnabas.records.aborted_transaction import AbortedTransaction

_VERSION = 0
_ENTRY = struct.Struct(">hqqqq")


class TransactionIndex:
    """Aborted transactions of one segment, in the order of their markers. Its file is made late.

    Invariant: the first `_stored` are in the file, the others only in memory until `flush`.
    """

    __slots__ = ("_disk", "_file", "_found", "_path", "_stored")

    def __init__(self, disk: Disk, path: str) -> None:
        self._disk = disk
        self._path = path
        self._file: File | None = None
        self._found: list[AbortedTransaction] = []
        if disk.exists(path):
            self._found = decode_aborted(disk.read_file(path))
        self._stored = len(self._found)

    @property
    def file(self) -> File | None:
        """The file, opened when first needed; None while there is none."""
        if self._file is None and self._stored:
            self._file = self._disk.open(self._path, create=True)
        return self._file

    def append(self, aborted: AbortedTransaction) -> None:
        """Add the transaction that the newest marker has aborted."""
        self._found.append(aborted)

    def from_offset(self, offset: int) -> Sequence[AbortedTransaction]:
        """Those whose marker is at `offset` or behind it."""
        found = self._found
        if not found or found[-1].last_offset < offset:
            return ()
        return found[bisect_left(found, offset, key=lambda each: each.last_offset) :]

    def truncate(self, offset: int) -> None:
        """Forget those whose marker is at `offset` or behind it."""
        kept = bisect_left(self._found, offset, key=lambda each: each.last_offset)
        del self._found[kept:]
        if kept < self._stored:
            file = self.file
            assert file is not None, "something is stored"
            file.truncate(kept * _ENTRY.size)
            self._stored = kept

    def flush(self) -> None:
        """Write what is only in memory; no sync."""
        added = self._found[self._stored :]
        if added:
            position, self._stored = self._stored * _ENTRY.size, len(self._found)
            file = self.file
            assert file is not None, "something is stored"
            file.write(position, [encode_aborted(added)])

    def close(self) -> None:
        """Give the descriptor back; what was not flushed is lost."""
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
