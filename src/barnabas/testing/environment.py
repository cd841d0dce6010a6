"""The ports of a broker in a test: a clock that a test sets, a disk that a test fills."""

import errno
import os
import time
from collections.abc import Callable, Sequence

from barnabas.errors import InvalidArgument
from barnabas.runtime.files.disk import RealDisk
from barnabas.runtime.files.file_errors import storage_error
from barnabas.runtime.files.open_files import OpenFiles, RealFile
from barnabas.types import Buffer


class JumpingClock:
    """The system's clock, which a test can set.

    `jump` sets wall time only, like setting a machine's clock: it changes timestamps and retention.
    `advance` lets time pass: timeouts expire too, such as those of sessions and transactions.
    """

    __slots__ = ("_monotonic_s", "_wall_ns", "on_advance")

    def __init__(self) -> None:
        self._wall_ns = 0
        self._monotonic_s = 0.0
        self.on_advance: Callable[[Callable[[], None], float], None] = _advance_alone
        """Receives a function that sets the clock forward, and the seconds; also moves all deadlines."""

    def monotonic(self) -> float:
        """Seconds from an arbitrary start."""
        return time.monotonic() + self._monotonic_s

    def time_ns(self) -> int:
        """Nanoseconds since the epoch."""
        return time.time_ns() + self._wall_ns

    def time_ms(self) -> int:
        """Milliseconds since the epoch."""
        return (time.time_ns() + self._wall_ns) // 1_000_000

    @property
    def offset_s(self) -> float:
        """How many seconds this wall time is ahead of the system's."""
        return self._wall_ns / 1e9

    def jump(self, seconds: float) -> None:
        """Set wall time forward by some seconds, or back by a negative number."""
        self._wall_ns += round(seconds * 1e9)

    def advance(self, seconds: float) -> None:
        """Let some seconds pass at once; timers that are due by then fire as soon as this returns.

        Raises:
            InvalidArgument: `seconds` is negative; use `jump`.
        """
        if seconds < 0:
            raise InvalidArgument(
                f"advance({seconds}): expected 0 or more; jump() sets wall time back"
            )

        def set_forward() -> None:
            self._monotonic_s += seconds
            self.jump(seconds)

        self.on_advance(set_forward, seconds)


def _advance_alone(set_forward: Callable[[], None], _seconds: float) -> None:
    set_forward()


class DiskRoom:
    """Whether the disk of a broker has room. `on_refused` is called for each write that had none."""

    __slots__ = ("on_refused",)

    def __init__(self) -> None:
        self.on_refused: Callable[[], None] | None = None

    def check(self, action: str, path: str) -> None:
        """Whether something may be written.

        Raises:
            DiskFull: there is no room.
        """
        if self.on_refused is not None:
            self.on_refused()
            raise storage_error(action, path, OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))


class LimitedDisk(RealDisk):
    """The file system, which a test can make full: files can be read, and nothing can be added."""

    def __init__(
        self, room: DiskRoom, call: Callable[[Callable[[], None]], None] | None = None
    ) -> None:
        super().__init__(call=call)
        self._room = room
        self._files = _LimitedFiles(self._files.limit, room)

    def space(self, path: str) -> tuple[int, int]:
        """The size of the volume of a directory, and its free space, in bytes."""
        size, free = super().space(path)
        return size, free if self._room.on_refused is None else 0

    def write_file(self, path: str, data: Buffer) -> None:
        """As `Disk.write_file`."""
        self._room.check("write", path)
        super().write_file(path, data)

    def replace_file(self, path: str, data: Buffer) -> None:
        """As `Disk.replace_file`."""
        self._room.check("replace", path)
        super().replace_file(path, data)

    def make_directory(self, path: str) -> None:
        """As `Disk.make_directory`."""
        if not self.exists(path):
            self._room.check("make the directory", path)
        super().make_directory(path)


class _LimitedFiles(OpenFiles):
    def __init__(self, limit: int, room: DiskRoom) -> None:
        super().__init__(limit)
        self._room = room

    def add(self, path: str, descriptor: int) -> RealFile:
        file = _LimitedFile(path, descriptor, self, self._room)
        self._know(file)
        self.admit(file)
        return file


class _LimitedFile(RealFile):
    __slots__ = ("_room",)

    def __init__(self, path: str, descriptor: int, files: OpenFiles, room: DiskRoom) -> None:
        super().__init__(path, descriptor, files)
        self._room = room

    def write(self, position: int, buffers: Sequence[Buffer]) -> None:
        if self._room.on_refused is not None:
            self._room.check("write", self.path)
        super().write(position, buffers)
