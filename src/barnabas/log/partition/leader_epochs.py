"""The first offset of each leader epoch, and the file that stores it.

Source: KIP-101, KIP-279; Kafka's LeaderEpochFileCache and LeaderEpochCheckpointFile (version 0).
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import pairwise

from barnabas.errors import StorageError
from barnabas.ports import Disk

_VERSION = "0"
_EXPECTED = "version 0, a count, and as many lines with an epoch and an offset, which grow"
_UNDEFINED = (-1, -1)
_INT32_MAX = (1 << 31) - 1


class LeaderEpochs:
    """Epochs with their first offsets; both increase.

    Every change is on stable storage when the call returns, except between `hold` and `save`. A new
    epoch is only written: batches contain their epochs, so that recovery finds those whose records it
    keeps, if the file is synced before the recovery point passes them. What is dropped at the start
    is not written, because the next start knows where the log starts.
    """

    __slots__ = (
        "_disk", "_epochs", "_holds", "_is_saved", "_starts", "_usable", "compare", "latest", "path",
    )  # fmt: skip

    def __init__(self, disk: Disk, path: str) -> None:
        """None yet; `load` knows those of the file."""
        self._disk = disk
        self.path = path
        self._epochs: list[int] = []
        self._starts: list[int] = []
        self._usable = True
        """Whether `path` is a file of epochs, or does not exist."""
        self._holds = False
        self._is_saved = True
        self.latest = -1
        """The newest epoch; -1 if there is none."""
        self.compare: Callable[[], None] | None = None
        """What compares them with the batches before the first answer that depends on them."""

    def load(self) -> str:
        """Read the file; return what is wrong with it, in words, and then know no epochs.

        Empty if valid.

        Kafka creates the file empty, and writes it when necessary; a power failure may empty it,
        too.
        """
        fault, data = "", b""
        try:
            data = self._disk.read_file(self.path) if self._disk.exists(self.path) else b""
        except StorageError as error:
            fault = str(error)
        if data and not self._parse(data):
            fault = f"it should have {_EXPECTED}"
        self._usable = not fault
        self.latest = self._epochs[-1] if self._epochs else -1
        return fault

    def _parse(self, data: bytes) -> bool:
        """Take in a file; whether it is one."""
        lines = data.decode("ascii", "replace").split("\n")
        try:
            rows = [tuple(map(int, line.split(" "))) for line in lines[2:] if line]
            epochs, starts = [[row[i] for row in rows] for i in (0, 1)]
            count = int(lines[1])
        except (ValueError, IndexError):
            return False
        if lines[0] != _VERSION or len(rows) != count or data[-1:] != b"\n":
            return False
        grow = all(one < then for one, then in pairwise([-1, *epochs, _INT32_MAX + 1]))
        if not grow or any(one > then for one, then in pairwise([0, *starts])):
            return False
        self._epochs, self._starts = epochs, starts
        return True

    def replace(self, entries: Sequence[tuple[int, int]]) -> None:
        """Know these, and no others; both columns grow."""
        self._epochs = [epoch for epoch, _ in entries]
        self._starts = [start for _, start in entries]
        self.latest = self._epochs[-1] if self._epochs else -1
        self.compare = None
        self._write()

    def entries(self) -> list[tuple[int, int]]:
        """(epoch, first offset), oldest first."""
        return list(zip(self._epochs, self._starts, strict=True))

    def assign(self, epoch: int, start_offset: int) -> None:
        """Let `epoch` begin at `start_offset`, unless it has begun; the caller has the file synced."""
        if epoch <= self.latest:
            return
        # An epoch that never got a record is replaced by the one that did.
        while self._starts and self._starts[-1] >= start_offset:
            self._epochs.pop()
            self._starts.pop()
        self._epochs.append(epoch)
        self._starts.append(start_offset)
        self._write(durable=False)

    def end_offset(self, epoch: int, log_end: int) -> tuple[int, int]:
        """The largest epoch not above `epoch`, and the offset where the next one begins.

        (-1, -1): the epoch is newer than all that this log knows, or -1.
        """
        if epoch < 0:
            return _UNDEFINED
        if epoch == self.latest:
            return epoch, log_end
        self._compare()
        after = bisect_right(self._epochs, epoch)
        if after == len(self._epochs):
            return _UNDEFINED
        return (self._epochs[after - 1] if after else epoch), self._starts[after]

    def at(self, offset: int) -> int:
        """The epoch that `offset` was appended in; -1 if that is not known."""
        self._compare()
        found = bisect_right(self._starts, offset)
        return self._epochs[found - 1] if found else -1

    def _compare(self) -> None:
        compare, self.compare = self.compare, None
        if compare is not None:
            compare()

    def clear(self) -> None:
        """Forget all."""
        if self._epochs:
            self.replace(())

    def hold(self) -> None:
        """Write no change before `save`."""
        self._holds = True

    def save(self) -> None:
        """Write what is not written yet.

        Raises:
            StorageError: it cannot be written; the next change, or `save`, tries again.
        """
        self._holds = False
        if not self._is_saved:
            self._write()

    def move_to(self, path: str) -> None:
        """Keep them in another file from now on.

        Raises:
            StorageError: it cannot be written; they stay in the file before.
        """
        before, self.path = self.path, path
        try:
            self._write()
        except StorageError:
            self.path = before
            raise

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
        self._is_saved = False
        if self._holds:
            return
        if not self._usable:
            self._disk.remove(self.path)
            self._usable = True
        rows = [f"{epoch} {start}\n" for epoch, start in self.entries()]
        text = f"{_VERSION}\n{len(rows)}\n{''.join(rows)}"
        data = text.encode("ascii")
        if durable:
            self._disk.replace_file(self.path, data)
        else:
            # After a kill, a reader finds either the epochs of before or these.
            self._disk.write_file(f"{self.path}.tmp", data)
            self._disk.rename(f"{self.path}.tmp", self.path, durable=False)
        self._is_saved = True
