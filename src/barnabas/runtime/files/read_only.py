"""A read-only file system: `ports.Disk` for the files of others, such as a backup's.

Files are only opened for reading, so a volume that is mounted read-only is enough. Every change raises an
error; code that rebuilds a damaged index then keeps it in memory.
"""

# ruff: noqa: ARG002 - what would write has the arguments of the port and refuses.

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from barnabas.errors import StorageError
from barnabas.ports import Sync
from barnabas.runtime.files.file_errors import storage_error
from barnabas.types import Buffer


class ReadOnlyFile:
    """`ports.File` over a descriptor that cannot write."""

    __slots__ = ("_descriptor", "path")

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise storage_error("open", path, error) from error

    def fileno(self) -> int:
        """The descriptor."""
        return self._descriptor

    def size(self) -> int:
        """Bytes in the file."""
        return os.fstat(self._descriptor).st_size

    def read(self, position: int, count: int) -> bytes:
        """Up to `count` bytes from `position`; fewer only at the end of the file."""
        try:
            return os.pread(self._descriptor, count, position)
        except OSError as error:
            raise storage_error("read", self.path, error) from error

    def read_into(self, position: int, target: memoryview) -> int:
        """Fill `target` from `position`; returns the bytes read, fewer only at the end."""
        try:
            return os.preadv(self._descriptor, [target], position)
        except OSError as error:
            raise storage_error("read", self.path, error) from error

    def write(self, position: int, buffers: Sequence[Buffer]) -> None:
        """Refused."""
        raise _only_read(self.path)

    def truncate(self, size: int) -> None:
        """Refused."""
        raise _only_read(self.path)

    def sync(self) -> None:
        """Nothing was written."""

    def close(self) -> None:
        """Give the descriptor back; a second call does nothing."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


class ReadOnlyDisk:
    """`ports.Disk` over the operating system, without a way to change anything."""

    def open(self, path: str, *, create: bool = False) -> ReadOnlyFile:
        """Open for reading, also where the caller would make the file: then it must be there."""
        del create
        return ReadOnlyFile(path)

    def exists(self, path: str) -> bool:
        """Whether a file or directory is there."""
        return os.path.exists(path)

    def list(self, path: str) -> list[str]:
        """Names in a directory, sorted."""
        try:
            return sorted(os.listdir(path))
        except OSError as error:
            raise storage_error("list", path, error) from error

    def size(self, path: str) -> int:
        """Bytes in a file that need not be open."""
        return self._stat(path).st_size

    def modified_ms(self, path: str) -> int:
        """When the file's data last changed, milliseconds since the epoch."""
        return self._stat(path).st_mtime_ns // 1_000_000

    def _stat(self, path: str) -> os.stat_result:
        try:
            return os.stat(path)
        except OSError as error:
            raise storage_error("look at", path, error) from error

    def read_file(self, path: str) -> bytes:
        """The whole of a small file."""
        try:
            with open(path, "rb") as file:
                return file.read()
        except OSError as error:
            raise storage_error("read", path, error) from error

    def space(self, path: str) -> tuple[int, int]:
        """Bytes of the volume that a directory is on; none of them may be written."""
        volume = os.statvfs(path)
        return volume.f_frsize * volume.f_blocks, 0

    def make_directory(self, path: str) -> None:
        """Refused."""
        raise _only_read(path)

    def set_modified_ms(self, path: str, time_ms: int) -> None:
        """Refused."""
        raise _only_read(path)

    def write_file(self, path: str, data: Buffer) -> None:
        """Refused."""
        raise _only_read(path)

    def replace_file(self, path: str, data: Buffer) -> None:
        """Refused."""
        raise _only_read(path)

    def rename(self, source: str, target: str, *, durable: bool = True) -> None:
        """Refused."""
        raise _only_read(source)

    def remove(self, path: str) -> None:
        """Refused."""
        raise _only_read(path)

    def remove_part(self, path: str, most: int) -> bool:
        """Refused."""
        raise _only_read(path)

    def begin_sync(
        self,
        files: Sequence[object],
        paths: Sequence[str] = (),
        on_over: Callable[[], None] | None = None,
    ) -> Sync:
        """Refused."""
        raise _only_read(", ".join(paths))

    def sync_directory(self, path: str) -> None:
        """Nothing was written."""

    def lock(self, path: str) -> AbstractContextManager[None]:
        """Refused."""
        raise _only_read(path)


def _only_read(path: str) -> StorageError:
    return StorageError(f"{path} is only read")
