"""The Registry port in local files: the default of a single broker, no server needed.

While a broker serves, changes run on a thread (`later`): a disk whose sync hangs delays only the callers that
wait for a change. Reads never wait for a change.

A file is a journal of changes (`journal`), and has copies (`copies`). It is rewritten when most
of it is history. There are no watches, no sessions and no other processes (the lock of the data directory
excludes them).
"""

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import update_wrapper
from typing import Concatenate, ParamSpec, TypeVar

from barnabas.errors import RegistryConflict, StorageError
from barnabas.ports import Disk
from barnabas.runtime.registries.call_thread import CallThread, outcome_of
from barnabas.runtime.registries.copies import RegistryCopies
from barnabas.runtime.registries.journal import (
    MARK,
    Change,
    Node,
    frame_of,
    generation_frame,
    live_size,
)
from barnabas.types import ANY_VERSION, MUST_BE_NEW, NodeWrite

log = logging.getLogger(__name__)

Given = ParamSpec("Given")
Made = TypeVar("Made")
Store = TypeVar("Store", bound="EmbeddedRegistry")

_HISTORY_BYTES = 1 << 16
"""A journal shorter than this is not worth rewriting."""


def _one_at_a_time(
    change: Callable[Concatenate[Store, Given], Made],
) -> Callable[Concatenate[Store, Given], Made]:
    """A change that begins when the one before is synced, on whichever thread."""

    def run(registry: Store, /, *args: Given.args, **more: Given.kwargs) -> Made:
        with registry.changing:
            return change(registry, *args, **more)

    return update_wrapper(run, change)


class EmbeddedRegistry:
    """Nodes in memory, changes in a journal; every change is on stable storage when a call returns.

    Raises:
        StorageError: on opening, the journal is damaged anywhere but in its last frame, and so are its
            copies (a torn last frame is a change that never returned, and is cut off); later, a write
            failed, in which case nothing has changed. The next change tries again.
    """

    def __init__(
        self,
        disk: Disk,
        path: str,
        *others: str,
        repair: bool = False,
        hand_over: Callable[[Callable[[], None]], None] | None = None,
    ) -> None:
        """`others`: where the same journal is in other directories.

        `repair`: what can be read of a damaged journal is to be all of it from now on.

        `hand_over` has something called on the event loop; `disk` is then used by a thread. Without it `later`
        works at once.
        """
        self.changing = threading.RLock()
        """Held by a change until it is synced."""
        self._names = threading.Lock()
        """Held while names come and go."""
        self._calls = CallThread(hand_over) if hand_over is not None else None
        self._is_closed = False
        self._path = path
        self._nodes: dict[str, Node] = {}
        self._children: dict[str, set[str]] = {}
        self._live = 0
        self._failed = False
        """The last change could not be written, and was logged."""
        self._copies = RegistryCopies(disk, [path, *others])
        journal = self._copies.load(repair=repair)
        for change in journal.changes():
            self._apply(*change)
        if journal.holes:
            self._rewrite()

    @_one_at_a_time
    def spread(self, paths: Sequence[str]) -> None:
        """Keep the journal in these files from now on; copies elsewhere count as older."""
        try:
            self._copies.spread(paths)
        except StorageError as error:
            self._report(error)

    def get(self, path: str) -> Node | None:
        """Data and version of a node, or None where there is no node."""
        return self._nodes.get(path)

    def get_all(self, paths: Sequence[str]) -> list[tuple[bytes, int] | None]:
        """As `get` for each path."""
        return [self._nodes.get(path) for path in paths]

    def children(self, path: str) -> list[str]:
        """Names below a node, sorted; empty where there is no node."""
        with self._names:
            return sorted(self._children.get(path.rstrip("/"), ()))

    @_one_at_a_time
    def create(self, path: str, data: bytes) -> None:
        """Make a node and the missing ones above it, all in one change."""
        if path in self._nodes:
            raise RegistryConflict(f"{path} exists")
        self._commit([*self._missing_above(path), (path, (data, 0))])

    @_one_at_a_time
    def set(self, path: str, data: bytes, version: int = -1) -> int:
        """Replace the data of a node, making it if `version` is -1; returns the new version."""
        node = self._nodes.get(path)
        if node is None:
            if version != -1:
                raise RegistryConflict(f"{path} does not exist")
            self.create(path, data)
            return 0
        if version not in {-1, node[1]}:
            raise RegistryConflict(f"{path} has version {node[1]}, not {version}")
        self._commit([(path, (data, node[1] + 1))])
        return node[1] + 1

    @_one_at_a_time
    def create_all(self, nodes: Mapping[str, bytes]) -> list[str]:
        """Make nodes, all in one change; gives the paths where there was one."""
        there = [path for path in nodes if path in self._nodes]
        self.set_all({path: data for path, data in nodes.items() if path not in self._nodes})
        return there

    @_one_at_a_time
    def set_all(self, nodes: Mapping[str, bytes]) -> None:
        """Replace the data of nodes or make them, all in one change."""
        changes: dict[str, Node | None] = {}
        for path, data in nodes.items():
            node = self._nodes.get(path)
            if node is None:
                for above, made in self._missing_above(path):
                    changes.setdefault(above, made)
            changes[path] = (data, 0 if node is None else node[1] + 1)
        if changes:
            self._commit([*changes.items()])

    @_one_at_a_time
    def commit(self, writes: Sequence[NodeWrite], checks: Mapping[str, int] | None = None) -> None:
        """Make all changes in one, or none; nodes in a file are never ephemeral."""
        for path, version in (checks or {}).items():
            _check(path, self._nodes.get(path), version)
        changes: dict[str, Node | None] = {}
        for path, data, version, _ in writes:
            node = changes[path] if path in changes else self._nodes.get(path)
            if data is None:
                if node is not None:
                    changes[path] = None
                continue
            _check(path, node, version)
            for above, made in self._missing_above(path):
                changes.setdefault(above, made)
            changes[path] = (data, 0 if node is None else node[1] + 1)
        if changes:
            self._commit([*changes.items()])

    @_one_at_a_time
    def delete(self, *paths: str) -> None:
        """Remove nodes and all below them, in one change; fine if there is none."""
        gone = [path for path in dict.fromkeys(paths) if path in self._nodes]
        if gone:
            self._commit([(path, None) for path in gone])

    def later(self, work: Callable[[], Made], on_done: Callable[[Made | Exception], None]) -> None:
        """As `Registry.later`."""
        if self._calls is None:
            on_done(outcome_of(work))
        else:
            self._calls.later(work, on_done)

    def close(self) -> None:
        """Give the files back after the change that is being written; a second call does nothing.

        Those that wait for their turn are not made.
        """
        if self._calls is not None:
            self._calls.close()
        with self.changing:
            self._is_closed = True
            self._copies.close()

    def _missing_above(self, path: str) -> list[Change]:
        assert path.startswith("/"), path
        assert "" not in path[1:].split("/"), path
        missing: list[Change] = []
        above = path.rpartition("/")[0]
        while above and above not in self._nodes:
            missing.append((above, (b"", 0)))
            above = above.rpartition("/")[0]
        return missing[::-1]

    def _commit(self, changes: list[Change]) -> None:
        """Write first, then change what readers see: a failed write has changed nothing."""
        if self._is_closed:
            raise StorageError(f"{self._path} is closed")
        try:
            self._copies.append(frame_of(changes))
        except StorageError as error:
            self._report(error)
            raise
        self._report(None)
        with self._names:
            for change in changes:
                self._apply(*change)
        if self._copies.end > _HISTORY_BYTES + 4 * self._live:
            self._rewrite()

    def _report(self, error: StorageError | None) -> None:
        """Say once that changes fail, and once that they do no longer."""
        if error is not None and not self._failed:
            log.error("registry cannot be written", extra={"path": self._path, "error": error})
        elif error is None and self._failed:
            log.warning("registry can be written again", extra={"path": self._path})
        self._failed = error is not None

    def _rewrite(self) -> None:
        self._copies.generation += 1
        snapshot = bytearray(MARK + generation_frame(self._copies.generation))
        for path, node in self._nodes.items():
            snapshot += frame_of([(path, node)])
        try:
            self._copies.replace(bytes(snapshot))
        except StorageError as error:
            # The change itself is written; the next one tries this again.
            log.warning("registry not rewritten", extra={"path": self._path, "error": error})

    def _apply(self, path: str, node: Node | None) -> None:
        above, _, name = path.rpartition("/")
        if node is not None:
            if path in self._nodes:
                self._live -= live_size(path, self._nodes[path])
            self._nodes[path] = node
            self._live += live_size(path, node)
            self._children.setdefault(above, set()).add(name)
            return
        if path not in self._nodes:
            return  # What made it was in a part that cannot be read.
        for child in list(self._children.get(path, ())):
            self._apply(f"{path}/{child}", None)
        self._children.pop(path, None)
        self._children[above].discard(name)
        self._live -= live_size(path, self._nodes.pop(path))


def _check(path: str, node: Node | None, version: int) -> None:
    """Whether a node has a version. Raises RegistryConflict."""
    if version == MUST_BE_NEW:
        if node is not None:
            raise RegistryConflict(f"{path} exists")
    elif node is None:
        raise RegistryConflict(f"{path} does not exist")
    elif version not in {ANY_VERSION, node[1]}:
        raise RegistryConflict(f"{path} has version {node[1]}, not {version}")
