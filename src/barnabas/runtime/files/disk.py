"""The real file system behind `ports.Disk`: atomic replacement, directory syncs, locks.

Background syncs run on a few threads (`sync_threads`): `Sync.poll` returns False until then.
"""

import contextlib
import errno
import fcntl
import os
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from functools import partial
from itertools import islice

from barnabas.errors import LockHeld, StorageError
from barnabas.ports import File, Sync
from barnabas.runtime import descriptors
from barnabas.runtime.files.file_errors import storage_errors
from barnabas.runtime.files.open_files import (
    OpenFiles,
    RealFile,
    sync_descriptor,
    sync_path,
)
from barnabas.runtime.files.sync_threads import SyncThreads
from barnabas.types import Buffer

_MOST_OPEN_FILES = 4096
LARGEST_READ_WHOLE = 256 * 1024 * 1024
"""In bytes: enough for a registry of over 100,000 topics. A larger file is damaged, or another one."""


class RealDisk:
    """`ports.Disk` over the operating system. Used from one thread."""

    def __init__(
        self,
        most_open_files: int | None = None,
        call: Callable[[Callable[[], None]], None] | None = None,
    ) -> None:
        """`call` has something called on the event loop; from any thread, RuntimeError if it ended."""
        self._files = OpenFiles(most_open_files or _room_for_files())
        self._call = call
        self._syncer: SyncThreads | None = None

    def open(self, path: str, *, create: bool = False) -> RealFile:
        """Open for reading and writing."""
        flags = os.O_RDWR | os.O_CLOEXEC | (os.O_CREAT if create else 0)
        with storage_errors("open", path):
            descriptor = os.open(path, flags, 0o644)
            try:
                _check_is_file(descriptor)
            except OSError:
                os.close(descriptor)
                raise
            return self._files.add(path, descriptor)

    def exists(self, path: str) -> bool:
        """Whether a file or directory is there."""
        return os.path.lexists(path)

    def list(self, path: str) -> list[str]:
        """Names in a directory, sorted."""
        with storage_errors("list", path):
            return sorted(os.listdir(path))

    def make_directory(self, path: str) -> None:
        """Make it and its parents; fine if it is there."""
        if os.path.isdir(path):
            return
        parent = os.path.dirname(path)
        if parent and parent != path:
            self.make_directory(parent)
        with storage_errors("make the directory", path), contextlib.suppress(FileExistsError):
            os.mkdir(path)

    def size(self, path: str) -> int:
        """Bytes in a file that need not be open."""
        with storage_errors("look at", path):
            return os.stat(path).st_size

    def modified_ms(self, path: str) -> int:
        """When the file's data last changed, milliseconds since the epoch."""
        with storage_errors("look at", path):
            return os.stat(path).st_mtime_ns // 1_000_000

    def set_modified_ms(self, path: str, time_ms: int) -> None:
        """Let a file's data have last changed at another time."""
        with storage_errors("set the time of", path):
            os.utime(path, ns=(1_000_000 * time_ms, 1_000_000 * time_ms))

    def space(self, path: str) -> tuple[int, int]:
        """Bytes of the volume that a directory is on: all, and those that may still be written."""
        with storage_errors("look at", path):
            volume = os.statvfs(path)
        return volume.f_frsize * volume.f_blocks, volume.f_frsize * volume.f_bavail

    def read_file(self, path: str) -> bytes:
        """The whole of a small file."""
        with storage_errors("read", path), open(path, "rb", opener=_open_at_once) as file:
            _check_is_file(file.fileno())
            size = os.fstat(file.fileno()).st_size
            if size > LARGEST_READ_WHOLE:
                most = (
                    f"{size} bytes, and a file that is read whole has at most {LARGEST_READ_WHOLE}"
                )
                raise StorageError(f"cannot read {path}: it has {most}")
            return file.read()

    def write_file(self, path: str, data: Buffer) -> None:
        """Put `data` at `path` without a sync: a crash may leave it torn or absent."""
        with storage_errors("write", path), open(path, "wb") as file:
            file.write(data)

    def replace_file(self, path: str, data: Buffer) -> None:
        """Put `data` at `path`, whole or not at all, also across a power cut."""
        # Kafka writes its checkpoints through the same name (CheckpointFile: path + ".tmp").
        temporary = path + ".tmp"
        with storage_errors("replace", path):
            with open(temporary, "wb") as file:
                file.write(data)
                file.flush()
                sync_descriptor(file.fileno(), temporary)
            os.replace(temporary, path)
            sync_path(os.path.dirname(path))

    def rename(self, source: str, target: str, *, durable: bool = True) -> None:
        """Rename a file or directory; if `durable`, then sync the directories concerned."""
        with storage_errors("rename", source):
            self._files.rename(source, target)
            if durable:
                for directory in {os.path.dirname(source), os.path.dirname(target)}:
                    sync_path(directory)

    def remove(self, path: str) -> None:
        """Remove a file, or a directory with all that is in it; fine if it is not there."""
        with storage_errors("remove", path), contextlib.suppress(FileNotFoundError):
            if os.path.isdir(path) and not os.path.islink(path):
                # Imported late: a broker starts faster without it.
                from shutil import rmtree

                rmtree(path)
            else:
                os.unlink(path)
            self._files.forget(path)

    def remove_part(self, path: str, most: int) -> bool:
        """As `remove`, but of a directory's contents at most so many; whether all is removed."""
        with storage_errors("remove", path), contextlib.suppress(FileNotFoundError):
            if os.path.isdir(path) and not os.path.islink(path):
                with os.scandir(path) as entries:
                    some = [entry.path for entry in islice(entries, most)]
                for each in some:
                    self.remove(each)
                if len(some) == most:
                    return False
        self.remove(path)
        return True

    @contextlib.contextmanager
    def lock(self, path: str) -> Iterator[None]:
        """Hold `path` against other processes, real Kafka brokers among them.

        Raises:
            LockHeld: another process (or another broker in this one) holds it.
            StorageError: it cannot be opened.
        """
        with storage_errors("open", path):
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            _take_locks(descriptor, path)
            yield
        finally:
            os.close(descriptor)

    def begin_sync(
        self,
        files: Sequence[File],
        paths: Sequence[str] = (),
        on_over: Callable[[], None] | None = None,
    ) -> Sync:
        """Start to sync files on a thread; see `ports.Disk.begin_sync`."""
        if self._syncer is None:
            self._syncer = SyncThreads(self._files)
        ours = [file for file in files if isinstance(file, RealFile)]
        assert len(ours) == len(files), "files of another disk"
        future = self._syncer.begin(ours, list(paths))
        if on_over is not None:
            if self._call is None:
                wait([future])
            else:
                future.add_done_callback(partial(_tell, self._call, on_over))
        return _RunningSync(future)

    def sync_directory(self, path: str) -> None:
        """Return when the names in a directory are on stable storage."""
        with storage_errors("sync", path):
            sync_path(path)

    def close(self) -> None:
        """Wait for the syncs under way and end the threads."""
        if self._syncer is not None:
            self._syncer.close()
            self._syncer = None


class _RunningSync:
    """`ports.Sync` over a future."""

    __slots__ = ("_future",)

    def __init__(self, future: Future[None]) -> None:
        self._future = future

    def poll(self) -> bool:
        """Whether it is finished; raises its error."""
        if not self._future.done():
            return False
        self._future.result()
        return True

    def wait(self) -> None:
        """Return when it is over; raises what went wrong."""
        self._future.result()


def _tell(
    call: Callable[[Callable[[], None]], None], on_over: Callable[[], None], _: Future[None]
) -> None:
    # On a loop that has ended nothing waits any more.
    with contextlib.suppress(RuntimeError):
        call(on_over)


def _take_locks(descriptor: int, path: str) -> None:
    try:
        # flock keeps two brokers of one process apart; the POSIX lock is the one that Java takes.
        # On macOS and the BSDs the two share one list and would shut each other out.
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if sys.platform == "linux":
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise LockHeld(f"another process holds the lock {path}") from error


def _check_is_file(descriptor: int) -> None:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise OSError(errno.EINVAL, "it is a pipe or a device, not a file")


def _open_at_once(path: str, flags: int) -> int:
    """Open without waiting: nobody may ever open the other end of a pipe."""
    return os.open(path, flags | os.O_NONBLOCK)


def _room_for_files() -> int:
    """Half of what the process may open: sockets need the other half."""
    return max(16, min(descriptors.limit() // 2, _MOST_OPEN_FILES))
