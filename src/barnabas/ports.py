"""Everything that is not deterministic, as protocols: clock, randomness, disk, network, registry.

`runtime` implements them for production; tests and the simulator have their own.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from barnabas.types import Buffer, NodeWrite


class Clock(Protocol):
    """Time. `monotonic` never decreases; `time_ms` is wall time and may."""

    def monotonic(self) -> float:
        """Seconds from an arbitrary start."""
        ...

    def time_ms(self) -> int:
        """Milliseconds since the epoch, as in record timestamps."""
        ...

    def time_ns(self) -> int:
        """The same in nanoseconds: a producer needs one for each record."""
        ...


class Entropy(Protocol):
    """Randomness."""

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


class Listener(Protocol):
    """An open port."""

    @property
    def address(self) -> tuple[str, int]:
        """Host and port as bound (the port is never 0)."""
        ...

    def close(self) -> None:
        """Stop accepting; open connections stay open."""
        ...


class Channel(Protocol):
    """One non-blocking byte stream. All calls and callbacks happen on one thread."""

    @property
    def peer(self) -> str:
        """`host:port` of the peer, for logs and quotas."""
        ...

    def receive_into(self, target: memoryview) -> int:
        """Receive bytes; returns their number, 0: the end, -1: none now. Raises ConnectionFailed."""
        ...

    def send(self, buffers: Sequence[Buffer], *, more: bool = False) -> int:
        """Send buffers in order; returns the number of bytes accepted, which may be 0.

        `more` says that more bytes follow at once, so that no small packet is sent alone. Raises
        ConnectionFailed if the connection broke.
        """
        ...

    def send_one(self, data: Buffer) -> int:
        """Like `send`, for one buffer."""
        ...

    def send_file(self, file: File, position: int, count: int) -> int:
        """Send as much of a file region as possible; returns the bytes accepted, maybe 0."""
        ...

    def on_readable(self, callback: Callable[[], None] | None, *, late: bool = False) -> None:
        """Call when bytes (or the end) can be received; `late`: up to 100 ms late. None pauses."""
        ...

    def on_writable(self, callback: Callable[[], None] | None) -> None:
        """Call whenever bytes can be sent; None stops."""
        ...

    def end_sending(self) -> None:
        """Close the sending direction; the peer's bytes can still be received."""
        ...

    def close(self) -> None:
        """Close at once; callbacks stop; a second call does nothing."""
        ...


class Network(Protocol):
    """Opens ports and connections."""

    def listen(self, host: str, port: int, on_accept: Callable[[Channel], None]) -> Listener:
        """Open a port (0: any free one); raises ConnectionFailed, which names what is not available."""
        ...

    def connect(
        self,
        host: str,
        port: int,
        on_done: Callable[[Channel | Exception], None],
        *,
        buffers: tuple[int, int] = (-1, -1),
    ) -> Callable[[], None]:
        """Start to connect; `on_done` is called once. Returns a function that cancels.

        `buffers` are the socket's send and receive buffers, in bytes; -1 is the system's default.
        """
        ...


class Timer(Protocol):
    """A deadline that can be cancelled."""

    def cancel(self) -> None:
        """Never fire; fine if it has fired."""
        ...


class Timers(Protocol):
    """Deadlines on the thread of the event loop."""

    def after(self, seconds: float, callback: Callable[[], None]) -> Timer:
        """Call once, `seconds` from now."""
        ...

    def soon(self, callback: Callable[[], None], /) -> None:
        """Call once, after the callbacks of the current event."""
        ...


class Registry(Protocol):
    """A tree of nodes with versions, as ZooKeeper's. What a call wrote is durable when it returns."""

    def get(self, path: str) -> tuple[bytes, int] | None:
        """Return data and version of a node; None if it does not exist."""
        ...

    def get_all(self, paths: Sequence[str]) -> list[tuple[bytes, int] | None]:
        """Like `get` for each path, waiting once."""
        ...

    def children(self, path: str) -> list[str]:
        """Names below a node, sorted; empty if it does not exist."""
        ...

    def create(self, path: str, data: bytes) -> None:
        """Create a node and its missing parents; raises RegistryConflict if it exists."""
        ...

    def create_all(self, nodes: Mapping[str, bytes]) -> list[str]:
        """Create nodes by path like `create`, in one batch; return the paths that existed."""
        ...

    def set(self, path: str, data: bytes, version: int = -1) -> int:
        """Replace or create; returns the version. RegistryConflict: not at `version` (-1: any)."""
        ...

    def set_all(self, nodes: Mapping[str, bytes]) -> None:
        """Like `set` for each; after a crash, later ones may be missing."""
        ...

    def delete(self, *paths: str) -> None:
        """Delete nodes, none below another, with all below them, in order; missing ones are fine."""
        ...

    def close(self) -> None:
        """Release its file, or end its session; a second call does nothing."""
        ...


class SharedRegistry(Registry, Protocol):
    """A registry shared with other processes: ephemeral nodes, and notifications of changes.

    Callbacks run on the registry's thread, never during a call of it. Each call may raise RegistryUnavailable.
    """

    def create_ephemeral(self, path: str, data: bytes) -> None:
        """Like `create`, but the node ends with this session, which may have created it before."""
        ...

    def create_sequential(self, path: str, data: bytes) -> None:
        """Like `create`; the registry ends the name with ten digits, a number that grows."""
        ...

    def create_all(self, nodes: Mapping[str, bytes], *, ephemeral: bool = False) -> list[str]:
        """Like `Registry.create_all`; those in `ephemeral` end with this session."""
        ...

    def commit(self, writes: Sequence[NodeWrite], checks: Mapping[str, int] | None = None) -> None:
        """All changes or none; RegistryConflict: one of the nodes, or of `checks`, has another version."""
        ...

    def replace_each(
        self, parts: Sequence[Sequence[NodeWrite]], checks: Mapping[str, int] | None = None
    ) -> list[bool]:
        """Replace data like `commit`, in a transaction for each part, all sent at once; which were made."""
        ...

    def get_dated(self, paths: Sequence[str]) -> list[tuple[bytes, int, int] | None]:
        """Like `get_all`, with the number of the change that wrote each node last (its mzxid)."""
        ...

    def created_at(self, path: str) -> int:
        """Return the number of the change that created a node (its czxid); -1 if there is none."""
        ...

    def is_mine(self, path: str) -> bool:
        """Whether a node exists and belongs to this session."""
        ...

    def watch(self, path: str, on_change: Callable[[], None]) -> Callable[[], None]:
        """Call when a node, its data or its children may have changed; returns what ends the watch."""
        ...

    def on_new_session(self, callback: Callable[[], None]) -> None:
        """Call when a session was lost and a new one exists: ephemeral nodes are gone by then."""
        ...

    def wait_until_gone(self, path: str, seconds: float) -> bool:
        """Wait a limited time for a node to disappear; return whether it did."""
        ...

    def later(self, work: Callable[[], Any], on_done: Callable[[Any], None]) -> None:
        """Do `work`, calls of this registry and values that do not change, one after the other beside the loop.

        `on_done` is called on the loop with what it returned, or the error that it raised.
        """
        ...

    session_seconds: float
    """How long nodes outlive a silent session, in seconds."""
