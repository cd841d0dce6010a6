"""PublishedNodes: a broker's nodes in a shared registry; each is written again until it is there."""

import logging
from collections.abc import Iterable, Mapping
from functools import partial
from itertools import islice
from typing import NamedTuple

from barnabas.errors import KafkaError, RegistryConflict
from barnabas.ports import SharedRegistry, Timer, Timers

log = logging.getLogger(__name__)

_A_STEP = 128
"""How many nodes are written before other calls of the registry: some tens of milliseconds."""

_FIRST_SECONDS = 0.2
_LONGEST_SECONDS = 5.0


class _Node(NamedTuple):
    """How a node should be; without data there should be none."""

    data: bytes | None
    ephemeral: bool = False


class PublishedNodes:
    """Nodes that others read, and that nobody else should write.

    They are wanted at once and made as soon as the registry can be reached; ephemeral ones again in
    each new session. Nothing here raises: a broker serves also while nobody finds it.
    """

    def __init__(
        self, registry: SharedRegistry, timers: Timers, *, anew: bool = False, owner: str = ""
    ) -> None:
        """`anew`: ephemeral nodes are deleted and created again, for watchers that see only the names.

        `owner`: while this node is ours, nobody else writes the others, and what is there is replaced.
        """
        self._registry = registry
        self._timers = timers
        self._anew = anew
        self._owner = owner
        self._ephemeral: dict[str, bytes] = {}
        self._lasting: dict[str, bytes] = {}
        self._due: dict[str, None] = {}
        """Paths whose nodes may not be as they should, in order."""
        self._pause = _FIRST_SECONDS
        self._again: Timer | None = None
        self._stopped = False
        self._is_writing = False
        self._sessions = 0
        registry.on_new_session(self._renew)

    def hold(self, path: str, data: bytes, *, ephemeral: bool = True) -> None:
        """Have a node there with this data; an ephemeral one goes with the broker."""
        wanted = self._ephemeral if ephemeral else self._lasting
        if wanted.get(path) != data:
            wanted[path] = data
            self._due[path] = None
            self._soon()

    def release(self, paths: Iterable[str]) -> None:
        """Have no nodes there."""
        for path in paths:
            if path in self._ephemeral or path in self._lasting:
                self._ephemeral.pop(path, None)
                self._lasting.pop(path, None)
                self._due[path] = None
        self._soon()

    def forget(self, paths: Iterable[str]) -> None:
        """Want no nodes there any more; those there are, are removed by somebody else."""
        for path in paths:
            self._ephemeral.pop(path, None)
            self._lasting.pop(path, None)
            self._due.pop(path, None)

    def write(self) -> None:
        """Have what is due put into the registry, a part of it after the other; what fails, again later."""
        if self._again is not None:
            self._again.cancel()
            self._again = None
        if self._stopped or self._is_writing or not self._due:
            return
        self._is_writing = True
        nodes = {path: self._wanted(path) for path in islice(self._due, _A_STEP)}
        done = partial(self._written, nodes, self._sessions)
        self._registry.later(partial(self._put, nodes), done)

    def _wanted(self, path: str) -> _Node:
        data = self._ephemeral.get(path)
        return _Node(self._lasting.get(path)) if data is None else _Node(data, ephemeral=True)

    def _written(
        self,
        nodes: Mapping[str, _Node],
        sessions: int,
        outcome: tuple[set[str], KafkaError | None] | Exception,
    ) -> None:
        self._is_writing = False
        done, error = outcome if isinstance(outcome, tuple) else (set[str](), outcome)
        # Nodes of the session before are deleted, or about to be.
        if sessions == self._sessions:
            for path in done:
                if self._wanted(path) == nodes[path]:
                    self._due.pop(path, None)
        if error is None:
            self._pause = _FIRST_SECONDS
            self._soon()
            return
        path = next(one for one in nodes if one not in done)
        fields = {"path": path, "again_in_s": self._pause, "error": error}
        log.warning("registration fails", extra=fields)
        if self._again is None:
            self._again = self._timers.after(self._pause, self.write)
        self._pause = min(2 * self._pause, _LONGEST_SECONDS)
        if path in self._due:
            # The others first, the next time: this one may be in somebody's hands.
            self._due[path] = self._due.pop(path)

    def stop(self) -> None:
        """Write nothing more; ephemeral nodes go with the session."""
        self._stopped = True

    def _renew(self) -> None:
        """Nodes of the session before are deleted, or about to be."""
        self._sessions += 1
        self._due.update(dict.fromkeys(self._ephemeral))
        self._soon()

    def _soon(self) -> None:
        if self._again is None and self._due and not self._is_writing:
            self._again = self._timers.after(0, self.write)

    # --- Beside the loop ----------------------------------------------------------------------

    def _put(self, nodes: Mapping[str, _Node]) -> tuple[set[str], KafkaError | None]:
        """Have nodes as they are wanted; gives those that are, and why others are not."""
        done: set[str] = set()
        try:
            self._make_missing(nodes, done)
            for path in [each for each in nodes if each not in done]:
                self._write(path, nodes[path])
                done.add(path)
        except KafkaError as error:
            return done, error
        return done, None

    def _make_missing(self, nodes: Mapping[str, _Node], done: set[str]) -> None:
        """All at once, which is what most need; `done` gets those that are as they should be.

        Raises:
            StorageError: the registry does not do it.
        """
        mine = {path: one.data for path, one in nodes.items() if one.ephemeral and one.data}
        wanted = {path: one.data for path, one in nodes.items() if not one.ephemeral}
        lasting = {path: data for path, data in wanted.items() if data is not None}
        missing: dict[str, bytes] = {}
        for path, there in zip(lasting, self._registry.get_all([*lasting]), strict=True):
            if there is None:
                missing[path] = lasting[path]
            elif there[0] == lasting[path]:
                done.add(path)
        for some, ephemeral in ((mine, True), (missing, False)):
            done |= some.keys() - set(self._registry.create_all(some, ephemeral=ephemeral))

    def _write(self, path: str, node: _Node) -> None:
        """As it is wanted.

        Raises:
            RegistryConflict: somebody else made an ephemeral node there.
            StorageError: the registry does not do it.
        """
        data, ephemeral = node
        if data is None:
            self._registry.delete(path)
            return
        if not ephemeral:
            there = self._registry.get(path)
            if there is None or there[0] != data:
                self._registry.set(path, data)
            return
        try:
            self._registry.create_ephemeral(path, data)
        except RegistryConflict:
            mine = self._registry.is_mine(path)
            if not mine and not self._may_replace(path):
                raise
            if self._anew or not mine:
                self._registry.delete(path)
                self._registry.create_ephemeral(path, data)
            else:
                self._registry.set(path, data)

    def _may_replace(self, path: str) -> bool:
        return bool(self._owner) and path != self._owner and self._registry.is_mine(self._owner)
