"""Files that give up their descriptor when too many are open, and open again when used.

A broker with a thousand partitions has several thousand files, and a process may hold 1024
descriptors on many systems. What is *not* here: directories, renames on disk, locks.
"""

import fcntl
import os
import sys
import weakref
from collections import deque
from collections.abc import Sequence

from barnabas.errors import StorageError
from barnabas.types import Buffer

_CLOSED = -2
_EVICTED = -1
_IOV_MAX = 1024


class RealFile:
    """`ports.File` over a descriptor. Used from one thread."""

    __slots__ = ("__weakref__", "_descriptor", "_files", "path", "recent")

    def __init__(self, path: str, descriptor: int, files: "OpenFiles") -> None:
        self.path = path
        self._descriptor = descriptor
        self._files = files
        self.recent = True

    def fileno(self) -> int:
        """The descriptor, opened again if it was given up."""
        self.recent = True
        if self._descriptor < 0:
            self._open_again()
        return self._descriptor

    def _open_again(self) -> None:
        if self._descriptor == _CLOSED:
            raise StorageError(f"{self.path} is closed")
        try:
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            raise StorageError(f"cannot open {self.path} again: {error.strerror}") from error
        self._files.admit(self)

    def size(self) -> int:
        """Bytes in the file."""
        return os.fstat(self.fileno()).st_size

    def read(self, position: int, count: int) -> bytes:
        """Up to `count` bytes from `position`; fewer only at the end of the file."""
        try:
            return os.pread(self.fileno(), count, position)
        except OSError as error:
            raise StorageError(f"cannot read {self.path}: {error.strerror}") from error

    def read_into(self, position: int, target: memoryview) -> int:
        """Fill `target` from `position`; returns the bytes read, fewer only at the end."""
        try:
            return os.preadv(self.fileno(), [target], position)
        except OSError as error:
            raise StorageError(f"cannot read {self.path}: {error.strerror}") from error

    def write(self, position: int, buffers: Sequence[Buffer]) -> None:
        """Write all buffers one behind the other, in one call where they are few and it is whole.

        Raises:
            StorageError: not all was written (disk full, I/O error); the tail is undefined.
        """
        descriptor = self.fileno()
        try:
            for first in range(0, len(buffers), _IOV_MAX):
                part = buffers[first : first + _IOV_MAX] if len(buffers) > _IOV_MAX else buffers
                wanted = sum(map(len, part))
                written = os.pwritev(descriptor, part, position)
                position += written
                if written < wanted:
                    position = _write_rest(descriptor, position, part, written)
        except OSError as error:
            raise StorageError(f"cannot write {self.path}: {error.strerror}") from error

    def truncate(self, size: int) -> None:
        """Cut the file to `size` bytes."""
        try:
            os.ftruncate(self.fileno(), size)
        except OSError as error:
            raise StorageError(f"cannot cut {self.path}: {error.strerror}") from error

    def sync(self) -> None:
        """Return when data and size are on stable storage."""
        sync_descriptor(self.fileno(), self.path)

    def evict(self) -> None:
        """Give the descriptor up until the next use."""
        os.close(self._descriptor)
        self._descriptor = _EVICTED

    def close(self) -> None:
        """Give the descriptor back for good; a second call does nothing."""
        descriptor, self._descriptor = self._descriptor, _CLOSED
        if descriptor >= 0:
            os.close(descriptor)

    @property
    def is_open(self) -> bool:
        """Whether it holds a descriptor now."""
        return self._descriptor >= 0


class OpenFiles:
    """The files that hold a descriptor, at most `limit` of them."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._open: deque[RealFile] = deque()
        self._known: weakref.WeakSet[RealFile] = weakref.WeakSet()

    def add(self, path: str, descriptor: int) -> RealFile:
        """A file over a descriptor that was just opened."""
        file = RealFile(path, descriptor, self)
        self._known.add(file)
        self.admit(file)
        return file

    def admit(self, file: RealFile) -> None:
        """Count a file that holds a descriptor; one that was not used lately gives its own up."""
        self._open.append(file)
        if len(self._open) > self.limit:
            self._make_room()

    def _make_room(self) -> None:
        # Each file gets a second chance: its first visit takes the mark away, the second the
        # descriptor. The newest file is at the end and keeps its mark for this round.
        for _ in range(2 * len(self._open)):
            if len(self._open) <= self.limit:
                return
            file = self._open.popleft()
            if not file.is_open:
                continue
            if file.recent:
                file.recent = False
                self._open.append(file)
            else:
                file.evict()

    def renamed(self, source: str, target: str) -> None:
        """Let files at or below `source` be found at or below `target` from now on."""
        below = source + os.sep
        for file in list(self._known):
            if file.path == source:
                file.path = target
            elif file.path.startswith(below):
                file.path = target + file.path[len(source) :]


def sync_descriptor(descriptor: int, path: str) -> None:
    """Return when the data and size of an open file are on stable storage.

    Raises:
        StorageError: they are not, and the system may have dropped the dirty pages: the data
            must be counted as lost.
    """
    try:
        if sys.platform == "darwin":
            # fsync stops at the cache of the drive there.
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
        else:
            os.fdatasync(descriptor)
    except OSError as error:
        raise StorageError(f"cannot sync {path}: {error.strerror}") from error


def _write_rest(descriptor: int, position: int, buffers: Sequence[Buffer], written: int) -> int:
    """Write what a short write left out; returns the position behind the last byte."""
    for buffer in buffers:
        size = len(buffer)
        if written >= size:
            written -= size
            continue
        rest = memoryview(buffer)[written:]
        written = 0
        while rest:
            count = os.pwrite(descriptor, rest, position)
            position += count
            rest = rest[count:]
    return position
