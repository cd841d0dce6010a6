"""A disk in memory that forgets what was not synced at a power cut tears what was half done."""

import contextlib
from collections.abc import Callable, Iterator, Sequence

from barnabas.errors import DiskFull, LockHeld, StorageError
from barnabas.ports import File, Sync
from barnabas.types import Buffer

Below = Callable[[int], int]
"""A number in [0, bound): the chance that decides what a power cut leaves."""


class MemoryFile:
    """`now` is what the system shows, `kept` what survives a power cut for certain."""

    def __init__(self, is_full: Callable[[], bool] = lambda: False, path: str = "/memory") -> None:
        self._is_full = is_full
        self.path = path
        self.now = bytearray()
        self.kept = b""
        self.begun = 0
        self.ended = 0
        self.closed = False

    def fileno(self) -> int:
        return -1

    def size(self) -> int:
        return len(self.now)

    def read(self, position: int, count: int) -> bytes:
        return bytes(self.now[position : position + count])

    def read_into(self, position: int, target: memoryview) -> int:
        data = self.now[position : position + len(target)]
        target[: len(data)] = data
        return len(data)

    def write(self, position: int, buffers: Sequence[Buffer]) -> None:
        assert position <= len(self.now), "a log leaves no holes"
        data = b"".join(buffers)
        if self._is_full() and position + len(data) > len(self.now):
            data = data[: len(data) // 2]
            self.now[position : position + len(data)] = data
            raise DiskFull("No space left on device")
        self.now[position : position + len(data)] = data

    def truncate(self, size: int) -> None:
        del self.now[size:]
        self.kept = self.kept[:size]

    def sync(self) -> None:
        self.keep(self.begin_sync(), bytes(self.now))

    def begin_sync(self) -> int:
        """The number of a sync that begins now."""
        self.begun += 1
        return self.begun

    def keep(self, number: int, content: bytes) -> None:
        """A sync is over; one that began before another that is over brings no news."""
        if number > self.ended:
            self.kept = content
            self.ended = number

    def close(self) -> None:
        self.closed = True

    def lose(self, below: Below) -> None:
        """The power is cut: of what was added some stays, or its length without its bytes."""
        now, kept = bytes(self.now), self.kept
        if not now.startswith(kept):
            now = (now, kept)[below(2)]
            kept = now
        stays = len(kept) + below(len(now) - len(kept) + 1)
        zeros = below(2) * below(len(now) - stays + 1)
        self.now = bytearray(now[:stays] + bytes(zeros))
        self.kept = bytes(self.now)


class MemorySync:
    """A sync that is over when it is asked about the second time."""

    def __init__(self, files: Sequence[MemoryFile]) -> None:
        self._promised = [(file, file.begin_sync(), bytes(file.now)) for file in files]
        self._asked = False
        self.failure: StorageError | None = None
        self.lasts = False
        """Until `MemoryDisk.end_syncs`."""

    def poll(self) -> bool:
        if self.lasts or not self._asked:
            self._asked = True
            return False
        self.wait()
        return True

    def wait(self) -> None:
        if self.failure is not None:
            raise self.failure
        for file, number, content in self._promised:
            file.keep(number, content)


class Killed(BaseException):
    """The process died; nothing may catch this."""


class MemoryDisk:
    """`ports.Disk`; names and cuts are on stable storage at once, bytes when synced."""

    def __init__(self) -> None:
        self.is_full = False
        """No file can grow: half of what is added is written, and then it fails."""
        self.files: dict[str, MemoryFile] = {}
        self.names_until_death: int | None = None
        """After so many more changes of names the process dies: `Killed` is raised."""
        self._locked: set[str] = set()
        self.waiting: list[tuple[MemorySync, Callable[[], None]]] = []

    def power_cut(self, below: Below) -> None:
        for path in sorted(self.files):
            self.files[path].lose(below)
        self.killed()

    def killed(self) -> None:
        """The process is gone, and its locks."""
        self.names_until_death = None
        self._locked.clear()

    def _change_a_name(self) -> None:
        if self.names_until_death is not None:
            if not self.names_until_death:
                raise Killed
            self.names_until_death -= 1

    def open(self, path: str, *, create: bool = False) -> MemoryFile:
        if path not in self.files and not create:
            raise StorageError(f"cannot open {path}")
        return self.files.setdefault(path, MemoryFile(lambda: self.is_full, path))

    def exists(self, path: str) -> bool:
        return path in self.files or any(name.startswith(f"{path}/") for name in self.files)

    def list(self, path: str) -> list[str]:
        below = f"{path}/"
        return sorted({p[len(below) :].split("/")[0] for p in self.files if p.startswith(below)})

    def make_directory(self, path: str) -> None:
        """Directories are there when files are in them."""

    def size(self, path: str) -> int:
        return len(self.files[path].now)

    def modified_ms(self, path: str) -> int:
        assert path in self.files
        return 0

    def set_modified_ms(self, path: str, time_ms: int) -> None:
        assert path in self.files
        assert time_ms == 0, "this disk has no clock"

    def space(self, path: str) -> tuple[int, int]:
        return 1 << 30, 0 if self.is_full else 1 << 29

    def read_file(self, path: str) -> bytes:
        return bytes(self.files[path].now)

    def write_file(self, path: str, data: Buffer) -> None:
        self._refuse_if_full()
        self.open(path, create=True).now = bytearray(data)

    def replace_file(self, path: str, data: Buffer) -> None:
        self._refuse_if_full()
        self.files.pop(path, None)
        self.write_file(path, data)
        self.files[path].sync()

    def _refuse_if_full(self) -> None:
        if self.is_full:
            raise DiskFull("No space left on device")

    def rename(self, source: str, target: str, *, durable: bool = True) -> None:
        del durable
        self._change_a_name()
        for path in [p for p in self.files if p == source or p.startswith(f"{source}/")]:
            self.files[target + path[len(source) :]] = self.files.pop(path)

    def remove(self, path: str) -> None:
        self._change_a_name()
        for name in [p for p in self.files if p == path or p.startswith(f"{path}/")]:
            del self.files[name]

    def remove_part(self, path: str, most: int) -> bool:
        inside = [name for name in self.files if name.startswith(f"{path}/")]
        for name in inside[:most]:
            self.remove(name)
        if len(inside) < most:
            self.remove(path)
        return len(inside) < most

    def begin_sync(
        self,
        files: Sequence[File],
        paths: Sequence[str] = (),
        on_over: Callable[[], None] | None = None,
    ) -> Sync:
        opened = [file for file in files if isinstance(file, MemoryFile)]
        sync = MemorySync([*opened, *(self.files[p] for p in paths if p in self.files)])
        if on_over is not None:
            sync.lasts = True
            self.waiting.append((sync, on_over))
        return sync

    def end_syncs(self, failure: StorageError | None = None) -> None:
        """Pending syncs end, with success or an error."""
        waiting, self.waiting = self.waiting, []
        for sync, on_over in waiting:
            sync.poll()  # the first time
            sync.lasts, sync.failure = False, failure
            on_over()

    def sync_directory(self, path: str) -> None:
        """Names are on stable storage at once."""

    @contextlib.contextmanager
    def lock(self, path: str) -> Iterator[None]:
        if path in self._locked:
            raise LockHeld(f"another process holds the lock {path}")
        self._locked.add(path)
        yield
        self._locked.discard(path)
