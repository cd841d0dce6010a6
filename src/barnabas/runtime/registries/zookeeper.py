"""The SharedRegistry port on real ZooKeeper, through kazoo.

kazoo connects and reconnects on its own threads; its events are passed to the caller's thread. A call
waits briefly for a response, and not at all while ZooKeeper is known not to respond. During a broker's
start, calls wait until the start is cancelled. An event loop makes its calls through `later`, which
waits on a thread. A change is retried only during a start; otherwise callers decide whether they may
retry it.
"""

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import TypeVar

from kazoo.client import KazooClient
from kazoo.exceptions import (
    BadVersionError,
    KazooException,
    NodeExistsError,
    NoNodeError,
    NotEmptyError,
)
from kazoo.protocol.states import KazooState
from kazoo.retry import KazooRetry

from barnabas.errors import ConfigError, RegistryConflict, RegistryUnavailable, StorageError
from barnabas.runtime.registries.call_thread import CallThread
from barnabas.runtime.registries.start_waits import StartWaits
from barnabas.runtime.registries.zookeeper_calls import AT_ONCE, ZooKeeperCalls
from barnabas.runtime.registries.zookeeper_transactions import ZooKeeperTransactions
from barnabas.runtime.registries.zookeeper_watch import ZooKeeperWatch
from barnabas.types import MUST_BE_NEW, NodeWrite

log = logging.getLogger(__name__)

_RECONNECT_SECONDS = 2.0
"""The longest pause between two attempts to connect; the first one is a twentieth of it."""

_CALL_SECONDS = 5.0
"""The longest that a call waits, and at most a third of a session."""

_kazoo_log = logging.getLogger("barnabas.kazoo")

Callback = Callable[[], None]
Made = TypeVar("Made")


class ZooKeeperRegistry:
    """One session with ZooKeeper, and the next one when it has expired.

    Calls come from one thread and from what `later` does; all callbacks go to `hand_over`.
    """

    def __init__(
        self,
        place: str,
        *,
        session_ms: int,
        connection_ms: int,
        hand_over: Callable[[Callback], None],
        waits: StartWaits | None = None,
    ) -> None:
        """Connect to `place`: host:port, several separated by commas, then a path for all nodes.

        `waits`: those of a broker's start, whose calls wait without a limit.

        Raises:
            ConfigError: `place` cannot be read.
            RegistryUnavailable: no server responded within `connection_ms`.
            StartCancelled: no server responded before the start was cancelled.
        """
        hosts, self._root = read_place(place)
        self._place = place
        self._hand_over = hand_over
        self._thread = CallThread(hand_over)
        self.session_seconds = session_ms / 1000
        self._watches: list[ZooKeeperWatch] = []
        self._new_session: list[Callback] = []
        self._lost = False
        self._closed = False
        self._waits = waits or StartWaits()
        # kazoo logs each attempt to connect; this module logs the outage once.
        _kazoo_log.setLevel(logging.CRITICAL)
        self._client = KazooClient(
            hosts,
            timeout=self.session_seconds,
            connection_retry=KazooRetry(
                max_tries=-1, delay=_RECONNECT_SECONDS / 20, max_delay=_RECONNECT_SECONDS
            ),
            logger=_kazoo_log,
        )
        seconds = min(_CALL_SECONDS, self.session_seconds / 3)
        self._calls = ZooKeeperCalls(self._client, place, self._root, seconds, self._waits)
        self._transactions = ZooKeeperTransactions(self._client, self._root, self._calls)
        try:
            self._connect(connection_ms)
        except StorageError:
            self._close(0)
            raise
        self._client.add_listener(self._on_state)

    def _connect(self, milliseconds: int) -> None:
        """Wait for the first connection. Raises as the constructor."""
        self._client.add_listener(self._waits.wake)
        self._client.start_async()
        what, seconds = f"ZooKeeper at {self._place}", milliseconds / 1000
        if not self._waits.until(lambda: self._client.connected, what, seconds):
            raise RegistryUnavailable(f"{what} did not answer within {milliseconds} ms")
        self._calls.find_out_what_it_has(seconds)

    def get(self, path: str) -> tuple[bytes, int] | None:
        """Data and version of a node, or None where there is no node."""
        try:
            data, status = self._calls.ask(self._client.get_async, path)
        except NoNodeError:
            return None
        return data or b"", status.version

    def get_all(self, paths: Sequence[str]) -> list[tuple[bytes, int] | None]:
        """As `get` for each path, many in one request."""
        found = self._calls.read_all(paths)
        return [one and (one[0] or b"", one[1].version) for one in found]

    def get_dated(self, paths: Sequence[str]) -> list[tuple[bytes, int, int] | None]:
        """As `get_all`, with the number of the change that wrote each node last."""
        found = self._calls.read_all(paths)
        return [one and (one[0] or b"", one[1].version, one[1].mzxid) for one in found]

    def children(self, path: str) -> list[str]:
        """Names below a node, sorted; empty where there is no node."""
        try:
            return sorted(self._calls.ask(self._client.get_children_async, path.rstrip("/")))
        except NoNodeError:
            return []

    def create(self, path: str, data: bytes) -> None:
        """Make a node and the missing ones above it."""
        try:
            self._calls.ask(partial(self._client.create_async, makepath=True), path, data)
        except NodeExistsError:
            raise RegistryConflict(f"{path} exists") from None

    def create_ephemeral(self, path: str, data: bytes) -> None:
        """Make a node that goes with this session, and the missing ones above it to stay."""
        begin = partial(self._client.create_async, ephemeral=True, makepath=True)
        try:
            self._calls.ask(begin, path, data)
        except NodeExistsError:
            there = self.get(path)
            if there is None or there[0] != data or not self.is_mine(path):
                raise RegistryConflict(f"{path} exists") from None

    def create_sequential(self, path: str, data: bytes) -> None:
        """Make a node and the missing ones above it; ZooKeeper ends its name with a number."""
        begin = partial(self._client.create_async, makepath=True, sequence=True)
        self._calls.ask(begin, path, data)

    def create_all(self, nodes: Mapping[str, bytes], *, ephemeral: bool = False) -> list[str]:
        """Make nodes, and the missing ones above them; gives the paths where there was one."""
        paths, there = list(nodes), []
        for first in range(0, len(paths), AT_ONCE):
            some = {path: nodes[path] for path in paths[first : first + AT_ONCE]}
            # One transaction takes a fraction of the time that a request for each of them does.
            if not self._transactions.create(some, self._missing_above(some), ephemeral=ephemeral):
                there += self._calls.in_time(partial(self._create_each, some, ephemeral=ephemeral))
        return there

    def _missing_above(self, paths: Iterable[str]) -> set[str]:
        missing: set[str] = set()
        level = {path.rpartition("/")[0] for path in paths} - {""}
        while level:
            names = sorted(level)
            found = zip(names, self.get_all(names), strict=True)
            absent = {name for name, node in found if node is None}
            missing |= absent
            level = {name.rpartition("/")[0] for name in absent} - {""}
        return missing

    def _create_each(self, nodes: Mapping[str, bytes], *, ephemeral: bool) -> list[str]:
        """As `create_all`, of some that are sent before an answer is waited for."""
        begin = partial(self._client.create_async, ephemeral=ephemeral, makepath=True)
        asked = {path: self._calls.begin(begin, path, data) for path, data in nodes.items()}
        there = []
        for path, one in asked.items():
            try:
                self._calls.wait(one, path)
            except NodeExistsError:
                there.append(path)
        return there

    def commit(self, writes: Sequence[NodeWrite], checks: Mapping[str, int] | None = None) -> None:
        """Make all changes in one transaction of ZooKeeper's, or none."""
        new = {one.path for one in writes if one.version == MUST_BE_NEW}
        self._transactions.commit(writes, self._missing_above(new) - new, checks or {})

    def replace_each(
        self, parts: Sequence[Sequence[NodeWrite]], checks: Mapping[str, int] | None = None
    ) -> list[bool]:
        """Replace data, in a transaction for each part, all sent at once; which of them were made."""
        return self._transactions.replace_each(parts, checks or {})

    def created_at(self, path: str) -> int:
        """The number of the change that made a node; -1 where there is none."""
        status = self._calls.ask(self._client.exists_async, path)
        return int(status.czxid) if status is not None else -1

    def is_mine(self, path: str) -> bool:
        """Whether a node is there and goes with this session."""
        status = self._calls.ask(self._client.exists_async, path)
        session, _ = self._client.client_id or (None, b"")
        return status is not None and status.ephemeralOwner == session

    def set(self, path: str, data: bytes, version: int = -1) -> int:
        """Replace the data of a node, making it if `version` is -1; returns the new version."""
        try:
            return int(self._calls.ask(self._client.set_async, path, data, version).version)
        except BadVersionError:
            raise RegistryConflict(f"{path} does not have version {version}") from None
        except NoNodeError:
            if version != -1:
                raise RegistryConflict(f"{path} does not exist") from None
        try:
            self.create(path, data)
        except RegistryConflict:  # Somebody was quicker.
            return self.set(path, data)
        return 0

    def set_all(self, nodes: Mapping[str, bytes]) -> None:
        """As `set` for each."""
        for path, data in nodes.items():
            self.set(path, data)

    def delete(self, *paths: str) -> None:
        """Remove nodes and all below them; fine if there is none."""
        for path in paths:
            try:
                self._calls.ask_all(self._client.delete_async, self._calls.tree(path))
            except NotEmptyError:
                what = f"{path} got a new node while it was removed"
                raise RegistryUnavailable(what) from None

    def watch(self, path: str, on_change: Callback) -> Callback:
        """Call whenever a node, its data, or the names right below it may have changed."""
        watch = ZooKeeperWatch(self._client, self._root + path, partial(self._call, on_change))
        self._watches.append(watch)
        watch.arm()

        def end() -> None:
            watch.is_over = True
            with suppress(ValueError):
                self._watches.remove(watch)

        return end

    def on_new_session(self, callback: Callback) -> None:
        """Call when a session was lost and there is another."""
        self._new_session.append(callback)

    def wait_until_gone(self, path: str, seconds: float) -> bool:
        """Wait for a node to go, not longer than that; whether it is gone."""
        deadline = monotonic() + seconds
        while True:
            changed = threading.Event()

            def look(_event: object, changed: threading.Event = changed) -> None:
                changed.set()
                self._waits.wake()

            if self._calls.ask(partial(self._client.exists_async, watch=look), path) is None:
                return True
            # A watch ends with its connection, too: then there is another one to be set.
            if not self._waits.until(changed.is_set, f"{path} to go", deadline - monotonic()):
                return self._calls.ask(self._client.exists_async, path) is None

    def later(self, work: Callable[[], Made], on_done: Callable[[Made | Exception], None]) -> None:
        """Do `work` on a thread, and call `on_done` with its result or error."""
        self._thread.later(work, on_done)

    def close(self) -> None:
        """End the session, and its nodes with it; a second call does nothing."""
        self._close(0 if self._waits.is_cancelled else _CALL_SECONDS)

    def _close(self, seconds: float) -> None:
        if not self._closed:
            self._closed = True
            self._thread.close()
            # One that does not answer would be waited for as long as for a session.
            ending = threading.Thread(target=self._end, name="barnabas-zookeeper-end", daemon=True)
            ending.start()
            ending.join(seconds)

    def _end(self) -> None:
        with suppress(KazooException, OSError):
            self._client.stop()
            self._client.close()

    def _on_state(self, state: str) -> None:
        """On a thread of kazoo's."""
        fields = {"zookeeper": self._place}
        if state == KazooState.SUSPENDED:
            log.warning("ZooKeeper connection lost", extra=fields)
            return
        if state == KazooState.LOST:
            self._lost = True
            if not self._closed:
                log.warning("ZooKeeper session lost", extra=fields)
            return
        log.warning("ZooKeeper connected again", extra={**fields, "new_session": self._lost})
        if self._lost:
            self._lost = False
            for callback in self._new_session:
                self._call(callback)
        for watch in [*self._watches]:
            watch.arm()
            watch.tell()

    def _call(self, callback: Callback) -> None:
        # A loop that has ended has no callbacks to run.
        with suppress(RuntimeError):
            self._hand_over(callback)


def read_place(place: str) -> tuple[str, str]:
    """The hosts and the path of a `zookeeper.connect`; no path is the empty one.

    Raises:
        ConfigError: it cannot be read.
    """
    hosts, slash, path = place.partition("/")
    for host in hosts.split(","):
        name, _, port = host.strip().rpartition(":")
        if not name or not port.isdecimal() or not 0 < int(port) < 65536:
            raise ConfigError(
                f"zookeeper.connect={place}: it must look like host:port,host:port/path"
            )
    names = path.rstrip("/").split("/") if path.rstrip("/") else []
    if slash and any(name in {"", ".", ".."} for name in names):
        raise ConfigError(f"zookeeper.connect={place}: its path has an empty name, or . or ..")
    return hosts, "".join(f"/{name}" for name in names)
