"""Files, and threads that work on them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from barnabas.types import Buffer


class File(Protocol):
    """One open file, addressed by position; there is no cursor. `path` is where it was opened."""

    path: str

    def fileno(self) -> int:
        """The descriptor, for sendfile; -1 if there is none (a simulated file)."""
        ...

    def size(self) -> int:
        """The size of the file, in bytes."""
        ...

    def read(self, position: int, count: int) -> bytes:
        """Up to `count` bytes from `position`; fewer only at the end of the file."""
        ...

    def read_into(self, position: int, target: memoryview) -> int:
        """Fill `target` from `position`; returns the bytes read, fewer only at the end."""
        ...

    def write(self, position: int, buffers: Sequence[Buffer]) -> None:
        """Write all buffers in order from `position`, in as few calls as possible.

        Raises:
            StorageError: not all was written; the file's contents after `position` are undefined.
        """
        ...

    def truncate(self, size: int) -> None:
        """Truncate the file to `size` bytes."""
        ...

    def sync(self) -> None:
        """Return when data and size are on stable storage."""
        ...

    def close(self) -> None:
        """Close the descriptor; a second call does nothing."""
        ...


class Sync(Protocol):
    """A sync in progress."""

    def poll(self) -> bool:
        """Whether it is done. StorageError: it failed; writes since the one before may be lost."""
        ...

    def wait(self) -> None:
        """Return when it is done; raises like `poll`."""
        ...


class Disk(Protocol):
    """A file system. Paths are absolute strings. System errors are raised as StorageError."""

    def open(self, path: str, *, create: bool = False) -> File:
        """Open for reading and writing."""
        ...

    def exists(self, path: str) -> bool:
        """Whether a file or directory exists."""
        ...

    def list(self, path: str) -> list[str]:
        """Names in a directory, sorted."""
        ...

    def make_directory(self, path: str) -> None:
        """Create it and its parents; fine if it exists."""
        ...

    def size(self, path: str) -> int:
        """The size in bytes of a file, open or not."""
        ...

    def modified_ms(self, path: str) -> int:
        """The time of the last change of the file's data, in milliseconds since the epoch."""
        ...

    def set_modified_ms(self, path: str, time_ms: int) -> None:
        """Set the time of the last change of a file's data."""
        ...

    def space(self, path: str) -> tuple[int, int]:
        """The size of the volume of a directory, and its free space, in bytes."""
        ...

    def read_file(self, path: str) -> bytes:
        """Return the contents of a small file."""
        ...

    def write_file(self, path: str, data: Buffer) -> None:
        """Write `data` to `path` without a sync: after a crash it may be incomplete or missing."""
        ...

    def replace_file(self, path: str, data: Buffer) -> None:
        """Replace `path` by `data` atomically, also across a power failure."""
        ...

    def rename(self, source: str, target: str, *, durable: bool = True) -> None:
        """Rename a file or directory, and sync its directories if `durable`; open files stay usable."""
        ...

    def remove(self, path: str) -> None:
        """Remove a file, or a directory with its contents; fine if it does not exist."""
        ...

    def remove_part(self, path: str, most: int) -> bool:
        """As `remove`, but of a directory's contents at most so many; whether all is removed."""
        ...

    def begin_sync(
        self,
        files: Sequence[File],
        paths: Sequence[str] = (),
        on_over: Callable[[], None] | None = None,
    ) -> Sync:
        """Start flushing files to stable storage and return at once.

        `paths` are closed files or directories; missing ones are skipped. `on_over` is called on
        the event loop's thread when the sync is done or has failed. A disk without a loop waits
        instead, and the sync is done on return.
        """
        ...

    def sync_directory(self, path: str) -> None:
        """Return when the names in a directory are on stable storage."""
        ...

    def lock(self, path: str) -> AbstractContextManager[None]:
        """Lock `path` until the context ends; raises LockHeld if another process holds it."""
        ...


class Work(Protocol):
    """A job on another thread."""

    def poll(self) -> bool:
        """Whether it is done; raises the error that ended it."""
        ...

    def cancel(self) -> None:
        """Stop it after its current step, and return when it has stopped. Raises nothing."""
        ...


class Worker(Protocol):
    """Another thread, for long jobs made of short steps."""

    @property
    def disk(self) -> Disk:
        """A disk for the steps, not shared with other threads."""
        ...

    def begin(self, steps: Iterator[int], bytes_per_second: float) -> Work:
        """Run steps, each of which returns how many bytes it moved, at this rate; jobs run one at a time."""
        ...
