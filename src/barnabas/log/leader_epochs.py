"""Which leader epoch began at which offset, and the file that remembers it.

Source: KIP-101, KIP-279; Kafka's LeaderEpochFileCache and LeaderEpochCheckpointFile (version 0).
"""

from bisect import bisect_right

from barnabas.errors import DamagedFile
from barnabas.ports import Disk

_VERSION = "0"
_EXPECTED = "version 0, a count, and as many lines with an epoch and an offset"
_UNDEFINED = (-1, -1)


class LeaderEpochs:
    """Epochs with their first offsets; both grow.

    Every change is on stable storage when the call returns, but where `durable` is false; what is
    forgotten at the start is not written, as the next start knows where the log begins.
    """

    __slots__ = ("_disk", "_epochs", "_path", "_starts", "latest")

    def __init__(self, disk: Disk, path: str) -> None:
        """None yet; `load` knows those of the file."""
        self._disk = disk
        self._path = path
        self._epochs: list[int] = []
        self._starts: list[int] = []
        self.latest = -1
        """The newest epoch; -1 if there is none."""

    def load(self, *, may_be_torn: bool = False) -> None:
        """Read the file. `may_be_torn`: one made just before the power went counts as none.

        Raises:
            DamagedFile: it is none of version 0.
        """
        if self._disk.exists(self._path) and not self._parse(self._disk.read_file(self._path)):
            if not may_be_torn:
                raise DamagedFile(self._path, 0, _EXPECTED)
            self._disk.remove(self._path)
        self.latest = self._epochs[-1] if self._epochs else -1

    def _parse(self, data: bytes) -> bool:
        """Take in a file; whether it is one. Kafka makes it empty, and writes it when it must."""
        if not data:
            return True
        lines = data.decode("ascii", "replace").split("\n")
        try:
            rows = [tuple(map(int, line.split(" "))) for line in lines[2:] if line]
            epochs, starts = [[row[i] for row in rows] for i in (0, 1)]
            count = int(lines[1])
        except (ValueError, IndexError):
            return False
        if lines[0] != _VERSION or len(rows) != count:
            return False
        self._epochs, self._starts = epochs, starts
        return True

    def entries(self) -> list[tuple[int, int]]:
        """(epoch, first offset), oldest first."""
        return list(zip(self._epochs, self._starts, strict=True))

    def assign(self, epoch: int, start_offset: int, *, durable: bool = True) -> None:
        """Let `epoch` begin at `start_offset`, unless it has begun."""
        if epoch <= self.latest:
            return
        # An epoch that never got a record is replaced by the one that did.
        while self._starts and self._starts[-1] >= start_offset:
            self._epochs.pop()
            self._starts.pop()
        self._epochs.append(epoch)
        self._starts.append(start_offset)
        self._write(durable=durable)

    def end_offset(self, epoch: int, log_end: int) -> tuple[int, int]:
        """The largest epoch not above `epoch`, and the offset where the next one begins.

        (-1, -1): the epoch is newer than all that this log knows, or -1.
        """
        if epoch < 0:
            return _UNDEFINED
        if epoch == self.latest:
            return epoch, log_end
        after = bisect_right(self._epochs, epoch)
        if after == len(self._epochs):
            return _UNDEFINED
        return (self._epochs[after - 1] if after else epoch), self._starts[after]

    def at(self, offset: int) -> int:
        """The epoch that `offset` was appended in; -1 if that is not known."""
        found = bisect_right(self._starts, offset)
        return self._epochs[found - 1] if found else -1

    def truncate_end(self, end_offset: int) -> None:
        """Forget epochs that begin at `end_offset` or later."""
        before = len(self._epochs)
        while self._starts and self._starts[-1] >= end_offset:
            self._epochs.pop()
            self._starts.pop()
        if len(self._epochs) != before:
            self._write()

    def truncate_start(self, start_offset: int) -> None:
        """Forget epochs that ended before `start_offset`; the one it is in begins there."""
        passed = bisect_right(self._starts, start_offset) - 1
        if passed < 0 or (passed == 0 and self._starts[0] == start_offset):
            return
        del self._epochs[:passed]
        del self._starts[:passed]
        self._starts[0] = start_offset

    def _write(self, *, durable: bool = True) -> None:
        self.latest = self._epochs[-1] if self._epochs else -1
        rows = [f"{epoch} {start}\n" for epoch, start in self.entries()]
        text = f"{_VERSION}\n{len(rows)}\n{''.join(rows)}"
        write = self._disk.replace_file if durable else self._disk.write_file
        write(self._path, text.encode("ascii"))
