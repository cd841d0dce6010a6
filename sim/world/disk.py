"""SimDisk: the Disk port in memory: slow syncs, writes torn by a kill, losses at a power cut."""

import contextlib
from collections.abc import Callable, Iterator, Sequence

from barnabas.errors import DiskFull, LockHeld, StorageError
from barnabas.ports import File, Sync
from barnabas.types import Buffer
from sim.world.clock import SimClock
from sim.world.entropy import SeededEntropy
from sim.world.inode import Inode
from sim.world.names import Change, Names, parent
from sim.world.process import Process

NO_SPACE = "no space left on the device"
_SPACE = 1 << 40
_FASTEST_SYNC, _SLOWEST_SYNC = 0.0005, 0.03


class Storage:
    """What a machine has stored; it outlives processes and power cuts."""

    def __init__(self, entropy: SeededEntropy, clock: SimClock) -> None:
        self.entropy = entropy
        self.clock = clock
        self.names = Names()
        self.locks: dict[str, Process] = {}
        self.slowness = 1.0
        """How many times longer than else a sync takes."""
        self.is_full = False
        """Whether nothing more can be written."""

    def check_room(self, path: str) -> None:
        """Raises DiskFull where nothing can be added."""
        if self.is_full:
            raise DiskFull(f"cannot write {path}: {NO_SPACE}")

    def power_cut(self) -> list[str]:
        """Forget what is not on stable storage; the process must be dead. Says what is gone."""
        pending = self.names.pending
        staying = self.entropy.below(pending + 1)
        files = self.names.power_cut(staying)
        undone = [f"{pending - staying} of {pending} changes of names undone"] if pending else []
        losses = [inode.power_cut(self.entropy) for inode in files]
        return undone + [loss for loss in losses if loss]


class SimFile:
    """`ports.File`."""

    __slots__ = ("_disk", "inode", "path")

    def __init__(self, disk: "SimDisk", inode: Inode, path: str) -> None:
        self._disk = disk
        self.inode = inode
        self.path = path

    def fileno(self) -> int:
        """None."""
        return -1

    def size(self) -> int:
        """Bytes in the file."""
        self._disk.process.check()
        return len(self.inode.data)

    def read(self, position: int, count: int) -> bytes:
        """Up to `count` bytes."""
        self._disk.process.check()
        return bytes(self.inode.data[position : position + count])

    def read_into(self, position: int, target: memoryview) -> int:
        """Fill `target`."""
        data = self.read(position, len(target))
        target[: len(data)] = data
        return len(data)

    def write(self, position: int, buffers: Sequence[Buffer]) -> None:
        """Write all; a process that is to die with it leaves a part."""
        self._disk.check_room(self.path)
        self._disk.write(self.inode, position, buffers)

    def truncate(self, size: int) -> None:
        """Cut, or fill with zeros."""
        self._disk.step()
        data = self.inode.data
        del data[size:]
        data += bytes(size - len(data))

    def sync(self) -> None:
        """At once."""
        self._disk.step()
        self.inode.sync()

    def close(self) -> None:
        """Nothing is held."""


class SimSync:
    """`ports.Sync`: over after a while, or when somebody insists."""

    def __init__(self, end: Callable[[], None]) -> None:
        self._end = end
        self.is_over = False

    def finish(self) -> None:
        """It is over now; a second call does nothing."""
        if not self.is_over:
            self.is_over = True
            self._end()

    def poll(self) -> bool:
        """Whether it is over."""
        return self.is_over

    def wait(self) -> None:
        """Have it over."""
        self.finish()


class SimDisk:
    """`ports.Disk` for one process."""

    def __init__(self, storage: Storage, process: Process) -> None:
        self._storage = storage
        self._names = storage.names
        self.process = process
        self.steps_until_death: int | None = None
        """So many more changes, then the process dies half way through one."""

    def step(self) -> bool:
        """Before each change. True: this is the one that the process dies of."""
        self.process.check()
        if self.steps_until_death is None:
            return False
        self.steps_until_death -= 1
        if self.steps_until_death >= 0:
            return False
        self.process.die()
        return True

    def check_room(self, path: str) -> None:
        """As `Storage.check_room`."""
        self._storage.check_room(path)

    def write(self, inode: Inode, position: int, buffers: Sequence[Buffer]) -> None:
        """For files."""
        if self.step():
            joined = b"".join(buffers)
            buffers = [joined[: self._storage.entropy.below(len(joined) + 1)]]
        inode.write(position, buffers, self._storage.clock.time_ms())
        self.process.check()

    def _change(self, change: Change) -> None:
        if self.step() and self._storage.entropy.chance(0.5):
            self.process.check()
        self._names.change(change)
        self.process.check()

    def _file(self, path: str) -> Inode:
        self.process.check()
        found = self._names.live.get(path)
        if found is None:
            raise StorageError(f"there is no file {path}")
        return found

    def _make_file(self, path: str) -> Inode:
        if parent(path) not in self._names.live:
            raise StorageError(f"there is no directory for {path}")
        self.check_room(path)
        inode = Inode(self._storage.clock.time_ms())
        self._change(Change(path, inode))
        return inode

    def open(self, path: str, *, create: bool = False) -> SimFile:
        """Open for reading and writing."""
        if create and self._names.live.get(path) is None:
            return SimFile(self, self._make_file(path), path)
        return SimFile(self, self._file(path), path)

    def exists(self, path: str) -> bool:
        """Whether a file or directory is there."""
        self.process.check()
        return path in self._names.live

    def list(self, path: str) -> list[str]:
        """Names in a directory, sorted."""
        self.process.check()
        if path not in self._names.live:
            raise StorageError(f"there is no directory {path}")
        return [one[len(path) + 1 :] for one in self._names.below(path) if parent(one) == path]

    def make_directory(self, path: str) -> None:
        """Make it and its parents."""
        if path and path not in self._names.live:
            self.check_room(path)
            self.make_directory(parent(path))
            self._change(Change(path))

    def size(self, path: str) -> int:
        """Bytes in a file."""
        return len(self._file(path).data)

    def modified_ms(self, path: str) -> int:
        """When it was last written to."""
        return self._file(path).modified_ms

    def set_modified_ms(self, path: str, time_ms: int) -> None:
        """Let it have been written to at another time."""
        self._file(path).modified_ms = time_ms

    def space(self, path: str) -> tuple[int, int]:
        """Enough, or none."""
        del path
        return _SPACE, 0 if self._storage.is_full else _SPACE

    def read_file(self, path: str) -> bytes:
        """The whole of a file."""
        return bytes(self._file(path).data)

    def write_file(self, path: str, data: Buffer) -> None:
        """Put `data` there without a sync."""
        self.check_room(path)
        inode = self._names.live.get(path) or self._make_file(path)
        if self.step():
            data = bytes(data)[: self._storage.entropy.below(len(data) + 1)]
        inode.data[:] = data
        inode.modified_ms = self._storage.clock.time_ms()
        self.process.check()

    def replace_file(self, path: str, data: Buffer) -> None:
        """Put `data` there, whole or not at all."""
        temporary = f"{path}.tmp"
        self.write_file(temporary, data)
        self._file(temporary).sync()
        self.rename(temporary, path)

    def rename(self, source: str, target: str, *, durable: bool = True) -> None:
        """Rename a file or directory."""
        self.process.check()
        if source not in self._names.live:
            raise StorageError(f"there is no {source}")
        self._change(Change(target, source=source))
        if durable:
            self.sync_directory(parent(source))
            self.sync_directory(parent(target))

    def remove(self, path: str) -> None:
        """Remove a file, or a directory with all in it."""
        self.process.check()
        if path in self._names.live:
            for one in [*reversed(self._names.below(path)), path]:
                self._change(Change(one, is_removal=True))

    def remove_part(self, path: str, most: int) -> bool:
        """As `remove`, but of a directory's contents at most so many; whether all is removed."""
        for number, name in enumerate(self._names.below(path) if self.exists(path) else ()):
            if number == most:
                return False
            self.remove(name)
        self.remove(path)
        return True

    def begin_sync(
        self,
        files: Sequence[File],
        paths: Sequence[str] = (),
        on_over: Callable[[], None] | None = None,
    ) -> Sync:
        """Start a sync that takes its time."""
        self.process.check()
        inodes = [file.inode for file in files if isinstance(file, SimFile)]
        inodes += [found for path in paths if (found := self._names.live.get(path))]
        promised = [(inode, *inode.begin_sync()) for inode in inodes]
        directories = [path for path in paths if self._names.live.get(path, self) is None]

        def end() -> None:
            for inode, number, content in promised:
                inode.end_sync(number, content)
            for path in directories:
                self._names.sync(path)
            if on_over is not None:
                self.process.soon(on_over)

        sync = SimSync(end)
        entropy = self._storage.entropy
        seconds = entropy.between(_FASTEST_SYNC, _SLOWEST_SYNC)
        self.process.after(seconds * self._storage.slowness, sync.finish)
        return sync

    def sync_directory(self, path: str) -> None:
        """The names in it stay."""
        self.step()
        self.process.check()
        self._names.sync(path)

    @contextlib.contextmanager
    def lock(self, path: str) -> Iterator[None]:
        """Hold it until the context ends or the process dies."""
        holder = self._storage.locks.get(path)
        if holder is not None and holder.alive:
            raise LockHeld(f"another process holds the lock {path}")
        self._storage.locks[path] = self.process
        try:
            yield
        finally:
            if self._storage.locks.get(path) is self.process:
                del self._storage.locks[path]
