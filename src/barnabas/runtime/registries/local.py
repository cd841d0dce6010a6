"""LocalRegistry: the SharedRegistry port for brokers of one process; no ZooKeeper.

Lasting nodes are in a file (`embedded`). Ephemeral ones are in memory: they end with their session, and
all sessions end with the process. Brokers run on threads of their own, so each call takes a lock.
"""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TypeVar

from barnabas.errors import RegistryConflict, RegistryUnavailable
from barnabas.runtime.registries.call_thread import CallThread
from barnabas.runtime.registries.embedded import EmbeddedRegistry
from barnabas.types import ANY_VERSION, MUST_BE_NEW, NodeWrite

Callback = Callable[[], None]
HandOver = Callable[[Callback], None]
Made = TypeVar("Made")


class LocalRegistry:
    """The nodes that all sessions see."""

    def __init__(self, lasting: EmbeddedRegistry, first_number: int) -> None:
        """`first_number` is that of the first change: above all of the process before."""
        self.lasting = lasting
        self.lock = threading.Condition()
        self.ephemeral: dict[str, tuple[bytes, int]] = {}
        self.owners: dict[str, LocalSession] = {}
        self.created: dict[str, int] = {}
        """The numbers of the changes that made the ephemeral nodes."""
        self.written: dict[str, int] = {}
        """Of the changes in this process that wrote persistent nodes."""
        self.sessions: list[LocalSession] = []
        self._number = first_number
        self._numbered: dict[str, int] = {}
        """The newest number of sequential nodes, by their path without it."""

    def session(self, hand_over: HandOver) -> "LocalSession":
        """One more client; `hand_over` has its callbacks called on its thread."""
        made = LocalSession(self, hand_over)
        with self.lock:
            self.sessions.append(made)
        return made

    def close(self) -> None:
        """Give the file back, after all sessions."""
        self.lasting.close()

    def number(self, paths: Iterable[str], numbers: dict[str, int]) -> None:
        """A change makes or writes nodes now."""
        self._number += 1
        numbers.update(dict.fromkeys(paths, self._number))

    def forget(self, gone: Iterable[str]) -> None:
        """Keep no numbers of nodes that are gone, and of those below them."""
        for path in [
            path for top in gone for path in self.written if f"{path}/".startswith(f"{top}/")
        ]:
            del self.written[path]

    def next_of(self, path: str, there: Iterable[str]) -> int:
        """The number of the next sequential node of a path; `there` has the names beside it."""
        if path not in self._numbered:
            numbers = [one[-10:] for one in there if one[-10:].isdecimal()]
            self._numbered[path] = max(map(int, numbers), default=-1)
        self._numbered[path] += 1
        return self._numbered[path]

    def missing_above(self, path: str) -> list[str]:
        """The nodes above one that are not there, the lowest first."""
        missing = []
        while (path := _above(path)) and self.lasting.get(path) is None:
            missing.append(path)
        return missing

    def tell(self, changed: Iterable[str], came_or_went: Iterable[str]) -> None:
        """Have those called who watch a node that changed, or the one above it if it came or went."""
        gone = {*came_or_went}
        watched = {*changed, *gone, *map(_above, gone)}
        for session in self.sessions:
            session.hear(watched)
        self.lock.notify_all()


class LocalSession:
    """One client of a LocalRegistry."""

    session_seconds = 1.0

    def __init__(self, shared: LocalRegistry, hand_over: HandOver) -> None:
        self._shared = shared
        self._hand_over = hand_over
        self._watches: dict[str, list[Callback]] = {}
        self._new_session: list[Callback] = []
        self._calls = CallThread(hand_over)
        self._is_over = False
        self._is_cut_off = False

    # --- Reading ------------------------------------------------------------------------------

    def get(self, path: str) -> tuple[bytes, int] | None:
        """Data and version of a node, or None where there is no node."""
        with self._use() as shared:
            return shared.ephemeral.get(path) or shared.lasting.get(path)

    def get_all(self, paths: Sequence[str]) -> list[tuple[bytes, int] | None]:
        """As `get` for each path."""
        return [self.get(path) for path in paths]

    def get_dated(self, paths: Sequence[str]) -> list[tuple[bytes, int, int] | None]:
        """As `get_all`, with the number of the change that wrote a lasting node; 0: in another process."""
        with self._use() as shared:
            return [
                node and (*node, shared.written.get(path, 0))
                for path, node in zip(paths, self.get_all(paths), strict=True)
            ]

    def children(self, path: str) -> list[str]:
        """Names below a node, sorted; empty where there is no node."""
        with self._use() as shared:
            start = path.rstrip("/")
            names = {one.rpartition("/")[2] for one in shared.ephemeral if _above(one) == start}
            return sorted(names | set(shared.lasting.children(path)))

    def created_at(self, path: str) -> int:
        """The number of the change that made an ephemeral node; 0 for a lasting one."""
        with self._use() as shared:
            return shared.created.get(path, 0) if self.get(path) is not None else -1

    def is_mine(self, path: str) -> bool:
        """Whether a node is there and goes with this session."""
        with self._use() as shared:
            return shared.owners.get(path) is self

    def wait_until_gone(self, path: str, seconds: float) -> bool:
        """Wait for a node to go, not longer than that; whether it is gone."""
        with self._use() as shared:
            return shared.lock.wait_for(lambda: self.get(path) is None, seconds)

    # --- Writing ------------------------------------------------------------------------------

    def create(self, path: str, data: bytes) -> None:
        """Make a node and the missing ones above it."""
        self.commit([NodeWrite(path, data, MUST_BE_NEW)])

    def create_ephemeral(self, path: str, data: bytes) -> None:
        """Make a node that goes with this session, and the missing ones above it to stay."""
        with self._use() as shared:
            if not self.is_mine(path) or shared.ephemeral[path][0] != data:
                self.commit([NodeWrite(path, data, MUST_BE_NEW, ephemeral=True)])

    def create_sequential(self, path: str, data: bytes) -> None:
        """Make a node and the missing ones above it; its name ends with a number."""
        with self._use() as shared:
            self.create(f"{path}{shared.next_of(path, self.children(_above(path))):010}", data)

    def create_all(self, nodes: Mapping[str, bytes], *, ephemeral: bool = False) -> list[str]:
        """Make nodes, all in one change; gives the paths where there was one."""
        with self._use():
            there = [path for path in nodes if self.get(path) is not None]
            self.commit(
                [
                    NodeWrite(path, data, MUST_BE_NEW, ephemeral)
                    for path, data in nodes.items()
                    if path not in there
                ]
            )
            return there

    def set(self, path: str, data: bytes, version: int = ANY_VERSION) -> int:
        """Replace the data of a node, making it if `version` is -1; returns the new version."""
        with self._use():
            is_new = version == ANY_VERSION and self.get(path) is None
            self.commit([NodeWrite(path, data, MUST_BE_NEW if is_new else version)])
            found = self.get(path)
            assert found is not None, "it was written"
            return found[1]

    def set_all(self, nodes: Mapping[str, bytes]) -> None:
        """As `set` for each, all in one change."""
        with self._use():
            self.commit(
                [
                    NodeWrite(path, data, MUST_BE_NEW if self.get(path) is None else ANY_VERSION)
                    for path, data in nodes.items()
                ]
            )

    def delete(self, *paths: str) -> None:
        """Remove nodes and all below them, in one change; fine if there is none."""
        self.commit([NodeWrite(path, None) for path in paths])

    def commit(self, writes: Sequence[NodeWrite], checks: Mapping[str, int] | None = None) -> None:
        """Make all changes, or none."""
        with self._use() as shared:
            fleeting = [one for one in writes if one.ephemeral or one.path in shared.ephemeral]
            lasting = [one for one in writes if one not in fleeting]
            for one in fleeting:
                there = self.get(one.path)
                if one.data is not None and (one.version == MUST_BE_NEW) is not (there is None):
                    raise RegistryConflict(f"{one.path} exists" if there else f"no {one.path}")
                if there and one.data is not None and one.version not in {ANY_VERSION, there[1]}:
                    raise RegistryConflict(f"{one.path} does not have version {one.version}")
            for one in lasting:
                if one.version == MUST_BE_NEW and one.data is not None and self.get(one.path):
                    raise RegistryConflict(f"{one.path} exists")
            new = [one.path for one in writes if one.version == MUST_BE_NEW]
            above = {path for one in new for path in shared.missing_above(one)}
            missing = [NodeWrite(path, b"", MUST_BE_NEW) for path in sorted(above - {*new})]
            shared.lasting.commit([*missing, *lasting], checks)
            shared.number((one.path for one in lasting if one.data is not None), shared.written)
            shared.forget([one.path for one in lasting if one.data is None])
            for one in fleeting:
                self._write_ephemeral(one)
            went = [one.path for one in writes if one.data is None]
            shared.tell([one.path for one in writes], [*above, *new, *went])

    def replace_each(
        self, parts: Sequence[Sequence[NodeWrite]], checks: Mapping[str, int] | None = None
    ) -> list[bool]:
        """Replace data, in a change for each part; which of them were made."""
        return [self._commits(part, checks) for part in parts]

    def _commits(self, part: Sequence[NodeWrite], checks: Mapping[str, int] | None) -> bool:
        try:
            self.commit(part, checks)
        except RegistryConflict:
            return False
        return True

    def _write_ephemeral(self, one: NodeWrite) -> None:
        shared = self._shared
        if one.data is None:
            shared.ephemeral.pop(one.path, None)
            shared.owners.pop(one.path, None)
            shared.created.pop(one.path, None)
            return
        there = shared.ephemeral.get(one.path)
        shared.ephemeral[one.path] = one.data, there[1] + 1 if there else 0
        if there is None:
            shared.owners[one.path] = self
            shared.number([one.path], shared.created)

    # --- Changes of others, and the end -------------------------------------------------------

    def watch(self, path: str, on_change: Callback) -> Callback:
        """Call whenever a node, its data, or the names right below it may have changed."""
        with self._use():
            self._watches.setdefault(path, []).append(on_change)

        def end() -> None:
            with self._shared.lock, suppress(ValueError):
                self._watches[path].remove(on_change)

        return end

    def later(self, work: Callable[[], Made], on_done: Callable[[Made | Exception], None]) -> None:
        """Do `work` on a thread: what a controller decides for thousands of partitions takes its time."""
        self._calls.later(work, on_done)

    def on_new_session(self, callback: Callback) -> None:
        """Call when there is another session, after one that ended because the broker was cut off."""
        self._new_session.append(callback)

    def hear(self, paths: Iterable[str]) -> None:
        """Call the watchers of these nodes."""
        if not self._is_cut_off:
            self._call({id(one): one for path in paths for one in self._watches.get(path, ())})

    def cut_off(self) -> None:
        """End the session as if it had expired; the broker does not reach the registry until `heal`."""
        with self._shared.lock:
            self._is_cut_off = True
            self._end()

    def heal(self) -> None:
        """Begin another session; what changed meanwhile is reported as if it were new."""
        with self._shared.lock:
            if not self._is_cut_off or self._is_over:
                return
            self._is_cut_off = False
            self._call({id(one): one for one in self._new_session})
            self._call({id(one): one for each in self._watches.values() for one in each})

    def close(self) -> None:
        """End the session, and its nodes with it; a second call does nothing."""
        with self._shared.lock:
            if self._is_over:
                return
            self._is_over = True
            self._calls.close()
            self._watches.clear()
            self._shared.sessions.remove(self)
            self._end()

    def _end(self) -> None:
        """Remove the nodes that go with the session."""
        mine = [path for path, owner in self._shared.owners.items() if owner is self]
        for path in mine:
            self._write_ephemeral(NodeWrite(path, None))
        self._shared.tell((), mine)

    def _call(self, callbacks: Mapping[int, Callback]) -> None:
        for callback in callbacks.values():
            with suppress(RuntimeError):  # A loop that has ended has no callbacks to run.
                self._hand_over(callback)

    def _use(self) -> "_Use":
        return _Use(self._shared, is_over=self._is_over or self._is_cut_off)


class _Use:
    """The registry, locked; a session that has ended may not use it."""

    __slots__ = ("_is_over", "_shared")

    def __init__(self, shared: LocalRegistry, *, is_over: bool) -> None:
        self._shared = shared
        self._is_over = is_over

    def __enter__(self) -> LocalRegistry:
        if self._is_over:
            raise RegistryUnavailable("this session with the local registry has ended")
        self._shared.lock.acquire()
        return self._shared

    def __exit__(self, *_: object) -> None:
        self._shared.lock.release()


def _above(path: str) -> str:
    return path.rpartition("/")[0]
