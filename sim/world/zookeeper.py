"""ZooKeeper in memory: sessions, ephemeral nodes, watches, expiry. Nothing happens by itself.

`SimulatedSession` is the SharedRegistry port; what it has to tell waits in `news` until `deliver`.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from barnabas.errors import RegistryConflict, RegistryUnavailable
from barnabas.runtime.registries.call_thread import outcome_of
from barnabas.types import ANY_VERSION, MUST_BE_NEW, NodeWrite

Callback = Callable[[], None]
Made = TypeVar("Made")


class SimulatedZooKeeper:
    """The tree that all sessions see."""

    def __init__(self) -> None:
        self.nodes: dict[str, tuple[bytes, int]] = {}
        self.owners: dict[str, int] = {}
        self.created: dict[str, int] = {}
        self.written: dict[str, int] = {}
        self.sessions: list[SimulatedSession] = []
        self.revision = 0
        """Grows with every change of a node."""
        self._numbers = 0

    def next_number(self) -> int:
        """Of sessions, and of changes that make nodes."""
        self._numbers += 1
        return self._numbers

    def session(self, hand_over: Callable[[Callback], None] | None = None) -> "SimulatedSession":
        """One more client; without `hand_over` its callbacks wait in `news`."""
        made = SimulatedSession(self, hand_over)
        self.sessions.append(made)
        return made

    def changed(self, path: str) -> None:
        """Notify those who watch the node; who watches the one above learns only of its names."""
        self.revision += 1
        self.written[path] = self.next_number()
        for session in self.sessions:
            session.hear(path)

    def came_or_went(self, path: str) -> None:
        """A node was made or removed."""
        self.changed(path)
        for session in self.sessions:
            session.hear(path.rpartition("/")[0])

    def drop(self, path: str) -> None:
        """Remove a node and all below it."""
        for one in [each for each in self.nodes if each == path or each.startswith(path + "/")]:
            del self.nodes[one]
            self.owners.pop(one, None)
            self.came_or_went(one)

    def end(self, number: int) -> None:
        """A session is over: its nodes go."""
        for path in [path for path, owner in self.owners.items() if owner == number]:
            self.drop(path)


class SimulatedSession:
    """One client. `reachable` is for the test to change, `expire` for it to call."""

    session_seconds = 6.0

    def __init__(
        self, keeper: SimulatedZooKeeper, hand_over: Callable[[Callback], None] | None
    ) -> None:
        self.keeper = keeper
        self.number = keeper.next_number()
        self.reachable = True
        self.closed = False
        self.news: list[Callback] = []
        self.withheld: list[Callback] | None = None
        """The answers to what was done `later`, while a test keeps them back; None: they come at once."""
        self._hand_over = hand_over or self.news.append
        self._watches: dict[str, list[Callback]] = {}
        self._new_session: list[Callback] = []

    def get(self, path: str) -> tuple[bytes, int] | None:
        """Data and version of a node, or None."""
        self._check()
        return self.keeper.nodes.get(path)

    def get_all(self, paths: Sequence[str]) -> list[tuple[bytes, int] | None]:
        """As `get` for each."""
        return [self.get(path) for path in paths]

    def get_dated(self, paths: Sequence[str]) -> list[tuple[bytes, int, int] | None]:
        """As `get_all`, with the number of the change that wrote each node last."""
        return [
            node and (*node, self.keeper.written[path])
            for path, node in zip(paths, self.get_all(paths), strict=True)
        ]

    def children(self, path: str) -> list[str]:
        """Names below a node, sorted."""
        self._check()
        start = path.rstrip("/") + "/"
        names = {each[len(start) :] for each in self.keeper.nodes if each.startswith(start)}
        return sorted({name.split("/")[0] for name in names})

    def create(self, path: str, data: bytes) -> None:
        """Make a node and the missing ones above it."""
        self._check()
        if path in self.keeper.nodes:
            raise RegistryConflict(f"{path} exists")
        above = path.rpartition("/")[0]
        if above and above not in self.keeper.nodes:
            self.create(above, b"")
        self.keeper.nodes[path] = (data, 0)
        self.keeper.created[path] = self.keeper.next_number()
        self.keeper.came_or_went(path)

    def created_at(self, path: str) -> int:
        """The number of the change that made a node; -1: there is none."""
        self._check()
        return self.keeper.created[path] if path in self.keeper.nodes else -1

    def create_ephemeral(self, path: str, data: bytes) -> None:
        """Make a node that goes with this session."""
        self._check()
        there = self.keeper.nodes.get(path)
        if there is not None and there[0] == data and self.is_mine(path):
            return
        self.create(path, data)
        self.keeper.owners[path] = self.number

    def create_sequential(self, path: str, data: bytes) -> None:
        """Make a node whose name ends with a number that no other has."""
        self.create(f"{path}{self.keeper.next_number():010}", data)

    def create_all(self, nodes: Mapping[str, bytes], *, ephemeral: bool = False) -> list[str]:
        """Make nodes; gives the paths where there was one."""
        self._check()
        there = [path for path in nodes if path in self.keeper.nodes]
        for path in [each for each in nodes if each not in there]:
            self.create(path, nodes[path])
            if ephemeral:
                self.keeper.owners[path] = self.number
        return there

    def commit(self, writes: Sequence[NodeWrite], checks: Mapping[str, int] | None = None) -> None:
        """Make all changes, or none."""
        self._check()
        found = {path: node[1] for path, node in self.keeper.nodes.items()}
        rows = [(path, version, b"") for path, version in (checks or {}).items()]
        for path, version, data in [*rows, *((one.path, one.version, one.data) for one in writes)]:
            there = found.get(path)
            if data is not None and (version == MUST_BE_NEW) is not (there is None):
                raise RegistryConflict(f"{path} exists" if there is not None else f"no {path}")
            if there is not None and data is not None and version not in {ANY_VERSION, there}:
                raise RegistryConflict(f"{path} does not have version {version}")
            if path not in (checks or {}):
                found[path] = 0 if there is None else there + 1
        for one in writes:
            if one.data is None:
                self.delete(one.path)
            elif one.version != MUST_BE_NEW:
                self.set(one.path, one.data)
            elif one.ephemeral:
                self.create_ephemeral(one.path, one.data)
            else:
                self.create(one.path, one.data)

    def replace_each(
        self, parts: Sequence[Sequence[NodeWrite]], checks: Mapping[str, int] | None = None
    ) -> list[bool]:
        """Replace data, in a change for each part; which of them were made."""
        made = []
        for part in parts:
            try:
                self.commit(part, checks)
            except RegistryConflict:
                made.append(False)
            else:
                made.append(True)
        return made

    def is_mine(self, path: str) -> bool:
        """Whether a node goes with this session."""
        self._check()
        return self.keeper.owners.get(path) == self.number

    def set(self, path: str, data: bytes, version: int = -1) -> int:
        """Replace the data of a node, or make it; returns the version."""
        self._check()
        there = self.keeper.nodes.get(path)
        if version != -1 and (there is None or there[1] != version):
            raise RegistryConflict(f"{path} does not have version {version}")
        if there is None:
            self.create(path, data)
            return 0
        self.keeper.nodes[path] = (data, there[1] + 1)
        self.keeper.changed(path)
        return there[1] + 1

    def set_all(self, nodes: Mapping[str, bytes]) -> None:
        """As `set` for each."""
        for path, data in nodes.items():
            self.set(path, data)

    def delete(self, *paths: str) -> None:
        """Remove nodes and all below them."""
        for path in paths:
            self._check()
            self.keeper.drop(path)

    def watch(self, path: str, on_change: Callback) -> Callback:
        """Call whenever a node or the names below it may have changed."""
        self._watches.setdefault(path, []).append(on_change)
        return lambda: self._watches[path].remove(on_change)

    def on_new_session(self, callback: Callback) -> None:
        """Call when there is another session in the place of one that has ended."""
        self._new_session.append(callback)

    def wait_until_gone(self, path: str, seconds: float) -> bool:
        """Whether a node is gone; nothing is waited for."""
        del seconds
        return self.get(path) is None

    def later(self, work: Callable[[], Made], on_done: Callable[[Made | Exception], None]) -> None:
        """Do `work` now; its answer comes at once, or is withheld."""
        answer = partial(on_done, outcome_of(work))
        if self.withheld is None:
            answer()
        else:
            self.withheld.append(answer)

    def answer(self) -> None:
        """Give the answers that were withheld, and withhold no more."""
        withheld, self.withheld = self.withheld or [], None
        for one in withheld:
            one()

    def close(self) -> None:
        """End the session."""
        if not self.closed:
            self.keeper.end(self.number)
            self.closed = True

    def hear(self, path: str) -> None:
        """Have those called who watch a node."""
        if not self.closed:
            for callback in self._watches.get(path, ()):
                self._hand_over(callback)

    def deliver(self) -> None:
        """Have the callbacks called that are due."""
        while self.news:
            self.news.pop(0)()

    def expire(self) -> None:
        """ZooKeeper takes the session for gone; the client has another one at once."""
        self.keeper.end(self.number)
        self.number = self.keeper.next_number()
        for callback in self._new_session:
            self._hand_over(callback)
        self.tell_all()

    def tell_all(self) -> None:
        """Anything may have changed: have all called who watch something."""
        for callbacks in self._watches.values():
            for callback in callbacks:
                self._hand_over(callback)

    def _check(self) -> None:
        if self.closed or not self.reachable:
            raise RegistryUnavailable("ZooKeeper is not reachable")
