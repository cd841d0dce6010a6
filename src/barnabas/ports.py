"""Everything that is not deterministic, as protocols: clock, chance, disk, network, registry.

`runtime` implements them for the real world; tests and the simulator bring their own. Machines take
them as arguments and touch nothing else. What is *not* here: threads (an implementation may use
them behind a call, never visibly), logging, configuration.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from barnabas.types import Buffer


class Clock(Protocol):
    """Time. `monotonic` never goes back; `time_ms` is wall time and may."""

    def monotonic(self) -> float:
        """Seconds from an arbitrary start."""
        ...

    def time_ms(self) -> int:
        """Milliseconds since the epoch, as in record timestamps."""
        ...

    def time_ns(self) -> int:
        """The same in nanoseconds: what is asked for each record of a producer."""
        ...


class Entropy(Protocol):
    """Chance."""

    def below(self, bound: int) -> int:
        """A number in [0, bound)."""
        ...

    def fraction(self) -> float:
        """A number in [0, 1)."""
        ...

    def uuid(self) -> bytes:
        """Sixteen bytes of a random (version 4) UUID."""
        ...


class File(Protocol):
    """One open file, addressed by position; there is no cursor."""

    def fileno(self) -> int:
        """The descriptor, for sendfile; -1 where there is none (a simulated file)."""
        ...

    def size(self) -> int:
        """Bytes in the file."""
        ...

    def read(self, position: int, count: int) -> bytes:
        """Up to `count` bytes from `position`; fewer only at the end of the file."""
        ...

    def read_into(self, position: int, target: memoryview) -> int:
        """Fill `target` from `position`; returns the bytes read, fewer only at the end."""
        ...

    def write(self, position: int, buffers: Sequence[Buffer]) -> None:
        """Write all buffers one behind the other from `position`, in as few calls as can be.

        Raises:
            StorageError: not all was written; what the file holds past `position` is undefined.
        """
        ...

    def truncate(self, size: int) -> None:
        """Cut the file to `size` bytes."""
        ...

    def sync(self) -> None:
        """Return when data and size are on stable storage."""
        ...

    def close(self) -> None:
        """Give the descriptor back; a second call does nothing."""
        ...


class Sync(Protocol):
    """A sync under way that nobody waits for."""

    def poll(self) -> bool:
        """Whether it is over. StorageError: it failed; what came since the one before may be lost."""
        ...

    def wait(self) -> None:
        """Return when it is over; raises as `poll`."""
        ...


class Disk(Protocol):
    """A file system. Paths are absolute strings. Errors of the system come as StorageError."""

    def open(self, path: str, *, create: bool = False) -> File:
        """Open for reading and writing."""
        ...

    def exists(self, path: str) -> bool:
        """Whether a file or directory is there."""
        ...

    def list(self, path: str) -> list[str]:
        """Names in a directory, sorted."""
        ...

    def make_directory(self, path: str) -> None:
        """Make it and its parents; fine if it is there."""
        ...

    def size(self, path: str) -> int:
        """Bytes in a file that need not be open."""
        ...

    def modified_ms(self, path: str) -> int:
        """When the file's data last changed, milliseconds since the epoch."""
        ...

    def set_modified_ms(self, path: str, time_ms: int) -> None:
        """Let a file's data have last changed at another time."""
        ...

    def space(self, path: str) -> tuple[int, int]:
        """Bytes of the volume that a directory is on: all, and those that may still be written."""
        ...

    def read_file(self, path: str) -> bytes:
        """The whole of a small file."""
        ...

    def write_file(self, path: str, data: Buffer) -> None:
        """Put `data` at `path` without a sync: a crash may leave it torn or absent."""
        ...

    def replace_file(self, path: str, data: Buffer) -> None:
        """Put `data` at `path`, whole or not at all, also across a power cut."""
        ...

    def rename(self, source: str, target: str, *, durable: bool = True) -> None:
        """Rename a file or directory; if `durable`, then sync the directories concerned.

        Files that are open under the old name live on under the new one.
        """
        ...

    def remove(self, path: str) -> None:
        """Remove a file, or a directory with all that is in it; fine if it is not there."""
        ...

    def begin_sync(
        self,
        files: Sequence[File],
        paths: Sequence[str] = (),
        on_over: Callable[[], None] | None = None,
    ) -> Sync:
        """Start to bring the data of files to stable storage and return at once.

        `paths` are files that are not open, or directories; those that are gone are passed over.
        `on_over` is called on the thread of the event loop when it is over, well or not; a disk
        without a loop waits instead, and has the sync over when this returns.
        """
        ...

    def sync_directory(self, path: str) -> None:
        """Return when the names in a directory are on stable storage."""
        ...

    def lock(self, path: str) -> AbstractContextManager[None]:
        """Hold `path` against other processes until the context ends.

        Raises:
            LockHeld: another process holds it.
            StorageError: it cannot be opened.
        """
        ...


class Work(Protocol):
    """A job on another thread."""

    def poll(self) -> bool:
        """Whether it is over; raises what ended it."""
        ...

    def cancel(self) -> None:
        """End it after the step it is at; it is over when this returns. Raises nothing."""
        ...


class Worker(Protocol):
    """Another thread, for long work that is made of short steps."""

    @property
    def disk(self) -> Disk:
        """A disk for the steps, apart from everybody else's."""
        ...

    def begin(self, steps: Iterator[int], bytes_per_second: float) -> Work:
        """Take the steps one after the other; each gives the bytes that it has moved.

        It pauses between them so as not to move more than `bytes_per_second`. One job is done
        after the other.
        """
        ...


class Listener(Protocol):
    """An open port."""

    @property
    def address(self) -> tuple[str, int]:
        """Host and port as bound (the port is never 0)."""
        ...

    def close(self) -> None:
        """Stop accepting; connections live on."""
        ...


class Channel(Protocol):
    """One non-blocking byte stream. All calls come from, and all callbacks go to, one thread."""

    @property
    def peer(self) -> str:
        """`host:port` of the other side, for logs and quotas."""
        ...

    def fileno(self) -> int:
        """The descriptor, for a kernel to send by itself; -1: there is none, or bytes must come this way."""
        ...

    def receive_into(self, target: memoryview) -> int:
        """Bytes received; 0: the end of the stream, -1: nothing now; ConnectionFailed if it broke."""
        ...

    def send(self, buffers: Sequence[Buffer], *, more: bool = False) -> int:
        """Bytes that were taken of the buffers in order, may be 0; ConnectionFailed if it broke.

        `more` says that further bytes follow at once, so that no small packet leaves alone.
        """
        ...

    def send_one(self, data: Buffer) -> int:
        """As `send`, of one buffer."""
        ...

    def send_file(self, file: File, position: int, count: int) -> int:
        """Send what fits now of a file region; returns the bytes taken, may be 0."""
        ...

    def on_readable(self, callback: Callable[[], None] | None, *, late: bool = False) -> None:
        """Call when bytes (or the end) can be received, `late`: up to 100 ms late; None pauses."""
        ...

    def on_writable(self, callback: Callable[[], None] | None) -> None:
        """Call whenever bytes can be sent; None stops."""
        ...

    def end_sending(self) -> None:
        """Let the other side find the end of the stream; what it says can still be received."""
        ...

    def close(self) -> None:
        """Close at once; callbacks stop; a second call does nothing."""
        ...


class Network(Protocol):
    """Where connections come from."""

    def listen(self, host: str, port: int, on_accept: Callable[[Channel], None]) -> Listener:
        """Open a port (0: any free one).

        Raises:
            ConnectionFailed: the address cannot be had; the message names it.
        """
        ...

    def connect(
        self,
        host: str,
        port: int,
        on_done: Callable[[Channel | Exception], None],
        *,
        buffers: tuple[int, int] = (-1, -1),
    ) -> Callable[[], None]:
        """Begin to connect; `on_done` is called once. Returns a function that gives up.

        `buffers` are the socket's for sending and receiving, in bytes; -1 leaves it to the system.
        """
        ...


class Timer(Protocol):
    """A deadline that can be called off."""

    def cancel(self) -> None:
        """Never fire; fine if it has."""
        ...


class Timers(Protocol):
    """Deadlines on the thread of the event loop."""

    def after(self, seconds: float, callback: Callable[[], None]) -> Timer:
        """Call once, `seconds` from now."""
        ...

    def soon(self, callback: Callable[[], None]) -> None:
        """Call once, after the callbacks of the present event."""
        ...


class Registry(Protocol):
    """A small hierarchical store with versions, in the shape of ZooKeeper's.

    Paths start with "/", never end in one. Writes are durable when the call returns.
    """

    def get(self, path: str) -> tuple[bytes, int] | None:
        """Data and version of a node, or None where there is no node."""
        ...

    def get_all(self, paths: Sequence[str]) -> list[tuple[bytes, int] | None]:
        """As `get` for each path, waiting once."""
        ...

    def children(self, path: str) -> list[str]:
        """Names below a node, sorted; empty where there is no node."""
        ...

    def create(self, path: str, data: bytes) -> None:
        """Make a node and the missing ones above it; RegistryConflict is raised where it exists."""
        ...

    def create_all(self, nodes: Mapping[str, bytes]) -> list[str]:
        """Make nodes by path, as `create`, in one time; gives the paths where there was one."""
        ...

    def set(self, path: str, data: bytes, version: int = -1) -> int:
        """Replace or make; gives the new version. RegistryConflict: it has not `version` (-1: any)."""
        ...

    def set_all(self, nodes: Mapping[str, bytes]) -> None:
        """As `set` for each; a kill may leave the later ones undone."""
        ...

    def delete(self, *paths: str) -> None:
        """Remove nodes, none below another, and all below them, in order; fine if there is none."""
        ...

    def close(self) -> None:
        """Give back its file, or end its session; a second call does nothing."""
        ...


class SharedRegistry(Registry, Protocol):
    """A registry that others use too: nodes that live with a session, and news of changes.

    Callbacks come on the thread that the registry was made for, never within a call of it.
    Every call may raise RegistryUnavailable, after a bounded time.
    """

    def create_ephemeral(self, path: str, data: bytes) -> None:
        """As `create`, but the node goes with this session, which may have made it with this data."""
        ...

    def create_all(self, nodes: Mapping[str, bytes], *, ephemeral: bool = False) -> list[str]:
        """As without a session; those that are `ephemeral` go with this one."""
        ...

    def is_mine(self, path: str) -> bool:
        """Whether a node is there and goes with this session."""
        ...

    def watch(self, path: str, on_change: Callable[[], None]) -> None:
        """Call when a node, its data or the names right below it may have changed; several at once."""
        ...

    def on_new_session(self, callback: Callable[[], None]) -> None:
        """Call when a session was lost and there is another: ephemeral nodes are gone by then."""
        ...

    def wait_until_gone(self, path: str, seconds: float) -> bool:
        """Wait for a node to go, not longer than that; whether it is gone."""
        ...

    @property
    def session_seconds(self) -> float:
        """How long nodes outlive a session that has gone silent."""
        ...
