"""Files that close their descriptor when too many are open, and reopen when used.

A broker with a thousand partitions has several thousand files, and a process may hold 1024
descriptors on many systems. What is *not* here: directories, renames on disk, locks.
"""

import contextlib
import fcntl
import os
import sys
import threading
import weakref
from collections import deque
from collections.abc import Iterable, Sequence

from barnabas.errors import StorageError
from barnabas.runtime.descriptors import first_reserved
from barnabas.runtime.files.file_errors import error_text, storage_error
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
            raise StorageError(f"cannot open {self.path} again: {error_text(error)}") from error
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
        """Write all buffers one after the other, in one call where they are few and it is whole.

        Raises:
            StorageError: not all was written (disk full, I/O error); the tail is undefined.
        """
        self.recent = True
        descriptor = self._descriptor
        if descriptor < 0:
            descriptor = self.fileno()
        try:
            if len(buffers) == 1:
                written = os.pwritev(descriptor, buffers, position)
                if written < len(buffers[0]):
                    _write_rest(descriptor, position + written, buffers, written)
                return
            for first in range(0, len(buffers), _IOV_MAX):
                part = buffers[first : first + _IOV_MAX] if len(buffers) > _IOV_MAX else buffers
                wanted = sum(map(len, part))
                written = os.pwritev(descriptor, part, position)
                position += written
                if written < wanted:
                    position = _write_rest(descriptor, position, part, written)
        except OSError as error:
            raise storage_error("write", self.path, error) from error

    def truncate(self, size: int) -> None:
        """Cut the file to `size` bytes."""
        try:
            os.ftruncate(self.fileno(), size)
        except OSError as error:
            raise StorageError(f"cannot cut {self.path}: {error.strerror}") from error

    def sync(self) -> None:
        """Return when data and size are on stable storage."""
        sync_descriptor(self.fileno(), self.path)

    def move_down(self) -> None:
        """Take a lower descriptor that has come free."""
        high = self._descriptor
        with contextlib.suppress(OSError):  # Another thread may have it by now.
            self._descriptor = os.dup(high)
            os.close(high)

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

    @property
    def is_closed(self) -> bool:
        """Whether it is closed for good."""
        return self._descriptor == _CLOSED

    @property
    def is_reserved(self) -> bool:
        """Whether its descriptor is one of the last that the process may hold."""
        return self._descriptor >= self._files.first_reserved


class OpenFiles:
    """The files that hold a descriptor, at most `limit` of them."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.first_reserved = first_reserved()
        self._open: deque[RealFile] = deque()
        # By directory and path: a rename must not look at the files of all others, of which one
        # directory may have 100,000.
        self._known: dict[str, dict[str, tuple[weakref.ref[RealFile], ...]]] = {}
        self._names = threading.Lock()

    def add(self, path: str, descriptor: int) -> RealFile:
        """A file over a descriptor that was just opened."""
        file = RealFile(path, descriptor, self)
        self._know(file)
        self.admit(file)
        return file

    def admit(self, file: RealFile) -> None:
        """Count a file that holds a descriptor; one that was not used lately gives its own up.

        The same happens when sockets have taken the rest: files never keep the last descriptors.
        """
        self._open.append(file)
        if len(self._open) > self.limit or file.is_reserved:
            self._make_room(file)

    def _make_room(self, newest: RealFile) -> None:
        # Each file gets a second chance: its first visit takes the mark away, the second the
        # descriptor.
        for _ in range(2 * len(self._open)):
            file = self._open.popleft()
            if not file.is_open:
                if len(self._open) <= self.limit and not newest.is_reserved:
                    return
            elif file.recent or file is newest:
                file.recent = file is newest
                self._open.append(file)
            else:
                file.evict()
                break
        if newest.is_reserved:
            newest.move_down()

    def descriptor_for_sync(self, file: RealFile) -> int | None:
        """A descriptor for a thread that syncs the file; None if it was closed and is gone.

        The file holds no descriptor while it waits for its turn: thousands of files may wait.

        Raises:
            OSError: it cannot be opened.
        """
        with self._names:
            try:
                return os.open(file.path, os.O_RDONLY | os.O_CLOEXEC)
            except FileNotFoundError:
                if file.is_closed:
                    return None
                raise

    def rename(self, source: str, target: str) -> None:
        """Rename a file or directory; it, or the files in it, stay usable under the new name."""
        with self._names:
            os.rename(source, target)
            for inside in self._known.pop(source, {}).values():
                for file in _alive(inside):
                    file.path = target + file.path[len(source) :]
                    self._know(file)
            beside = self._known.get(os.path.dirname(source), {})
            for file in _alive(beside.pop(source, ())):
                file.path = target
                self._know(file)

    def forget(self, path: str) -> None:
        """The file or directory was removed."""
        self._known.pop(path, None)
        self._known.get(os.path.dirname(path), {}).pop(path, None)

    def _know(self, file: RealFile) -> None:
        beside = self._known.setdefault(os.path.dirname(file.path), {})
        others = _alive(beside.get(file.path, ()))
        beside[file.path] = (*map(weakref.ref, others), weakref.ref(file))


def _alive(files: Iterable["weakref.ref[RealFile]"]) -> list[RealFile]:
    """The files that are still referenced."""
    return [file for each in files if (file := each()) is not None]


def sync_path(path: str) -> None:
    """Return when a file that need not be open, or the names in a directory, are on stable storage.

    Raises:
        OSError: they are not, or nothing is there.
    """
    descriptor = os.open(path or ".", os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


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
    """Write what a short write left out; returns the position after the last byte."""
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
