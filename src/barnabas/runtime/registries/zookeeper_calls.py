"""Calls to ZooKeeper with a time limit; kazoo's exceptions become errors of this project.

During a broker's start, calls wait without a limit, and are retried when ZooKeeper is available again.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from kazoo.client import KazooClient, KazooState
from kazoo.exceptions import (
    BadVersionError,
    ConnectionClosedError,
    ConnectionLoss,
    KazooException,
    NodeExistsError,
    NoNodeError,
    NotEmptyError,
    OperationTimeoutError,
    SessionExpiredError,
)
from kazoo.handlers.threading import KazooTimeoutError

from barnabas.errors import RegistryUnavailable, StorageError
from barnabas.runtime.registries.multi_read import read_async
from barnabas.runtime.registries.start_waits import StartWaits

Made = TypeVar("Made")
_UNAVAILABLE = (
    ConnectionLoss, SessionExpiredError, ConnectionClosedError, OperationTimeoutError,
)  # fmt: skip


AT_ONCE = 64
"""How many calls are sent before the first response is awaited."""


READ_AT_ONCE = 128
"""How many nodes one request reads."""


class ZooKeeperCalls:
    """The calls of one session. While a response is overdue, no further call is sent."""

    def __init__(
        self, client: KazooClient, place: str, root: str, seconds: float, waits: StartWaits
    ) -> None:
        """`place` is for errors, `root` is put before each path.

        `seconds` are the longest wait of a call, but for those of the start that `waits` is of.
        """
        self._client = client
        self._waits = waits
        self._place = place
        self._root = root
        self._seconds = seconds
        self._late: Any = None
        """The call that took too long, until it is answered after all."""
        self._reads_one_by_one = False
        """Whether ZooKeeper is too old to return many nodes in one response (`find_out_what_it_has`)."""

    def ask(self, begin: Callable[..., Any], path: str, *more: object) -> Any:
        """The answer to one call; raises as `begin` and `wait`."""
        return self.in_time(lambda: self.wait(self.begin(begin, path, *more), path))

    def in_time(self, work: Callable[[], Made]) -> Made:
        """The result of calls; those of a start are made again whenever ZooKeeper is there again.

        Raises:
            RegistryUnavailable: it is not there, and this is no start.
            StartCancelled: it was not there until then.
        """
        while True:
            try:
                return work()
            except RegistryUnavailable as error:
                if not self._waits.is_mine:
                    raise
                self._waits.until(self._may_ask, str(error))

    def _may_ask(self) -> bool:
        return bool(self._client.connected) and (self._late is None or self._late.ready())

    def ask_all(self, begin: Callable[..., Any], paths: Sequence[str]) -> list[Any]:
        """The responses to one call for each path, several in flight at once; None where there is no node.

        Raises as `ask`; the other calls in flight may still take effect.
        """
        found: list[Any] = []
        for first in range(0, len(paths), AT_ONCE):
            some = paths[first : first + AT_ONCE]
            found += self.in_time(partial(self._ask_together, begin, some))
        return found

    def _ask_together(self, begin: Callable[..., Any], paths: Sequence[str]) -> list[Any]:
        asked = [self.begin(begin, path) for path in paths]
        found: list[Any] = []
        for path, one in zip(paths, asked, strict=True):
            try:
                found.append(self.wait(one, path))
            except NoNodeError:
                found.append(None)
        return found

    def read_all(self, paths: Sequence[str]) -> list[Any]:
        """Data and status of nodes, many in one request; None where there is no node. Raises as `ask`."""
        found: list[Any] = []
        for first in range(0, len(paths), READ_AT_ONCE):
            if self._reads_one_by_one:
                return found + self.ask_all(self._client.get_async, paths[first:])
            some = [self._root + path or "/" for path in paths[first : first + READ_AT_ONCE]]
            found += self.ask(lambda _path, some=some: read_async(self._client, some), some[0])
        return found

    def find_out_what_it_has(self, seconds: float) -> None:
        """Ask for a response of many nodes. ZooKeeper before 3.6 closes the connection then: wait for another.

        Raises:
            RegistryUnavailable: there is none within `seconds`.
            StartCancelled: by whoever waits.
        """
        dropped: list[str] = []

        def on_state(state: str) -> None:
            if state != KazooState.CONNECTED:
                dropped.append(state)
                self._waits.wake(state)

        # It may answer a few more calls before it closes the connection.
        self._client.add_listener(on_state)
        try:
            asked = self._woken_by(read_async(self._client, ["/"]))
            what = f"ZooKeeper at {self._place}"
            self._waits.until(asked.ready, what, self._seconds)
            if asked.ready() and asked.successful():
                return
            self._reads_one_by_one = True
            self._waits.until(lambda: bool(dropped), what, self._seconds)
        finally:
            self._client.remove_listener(on_state)
        self._until_there_again(what, seconds)

    def _until_there_again(self, what: str, seconds: float) -> None:
        one: list[Any] = []

        def is_back() -> bool:
            if one and one[-1].ready() and one[-1].successful():
                return True
            if self._client.connected and (not one or one[-1].ready()):
                one.append(self._woken_by(self._client.exists_async("/")))
            return False

        if not self._waits.until(is_back, what, seconds):
            raise self._unavailable(f"has not answered within {seconds:g} s")

    def _woken_by(self, asked: Any) -> Any:
        asked.rawlink(self._waits.wake)
        return asked

    def tree(self, path: str) -> list[str]:
        """A node and what is below it, the deepest first; nothing where there is no node."""
        levels: list[list[str]] = []
        paths = [path]
        while paths:
            found = self.ask_all(self._client.get_children_async, paths)
            rows = [
                (one, names) for one, names in zip(paths, found, strict=True) if names is not None
            ]
            levels.insert(0, [one for one, _ in rows])
            paths = [f"{one}/{name}" for one, names in rows for name in sorted(names)]
        return [one for level in levels for one in level]

    def begin(self, begin: Callable[..., Any], path: str, *more: object) -> Any:
        """A call that is sent, for `wait`.

        Raises:
            RegistryUnavailable: there is no connection.
            StorageError: it cannot be sent.
        """
        if self._late is not None and not self._late.ready():
            raise self._unavailable("has not answered a call before")
        if not self._client.connected:
            raise self._unavailable("is not connected")
        with self._explained(path):
            return begin(self._root + path or "/", *more)

    def wait(self, asked: Any, path: str) -> Any:
        """The answer to a call that was sent.

        Raises:
            RegistryUnavailable: there is none.
            StorageError: ZooKeeper refuses, for a reason that no caller here expects.
            NodeExistsError, NoNodeError, BadVersionError, NotEmptyError: what callers do expect.
        """
        if self._waits.is_mine:
            asked.rawlink(self._waits.wake)
            self._waits.until(asked.ready, f"ZooKeeper at {self._place} to answer for {path}")
        try:
            with self._explained(path):
                return asked.get(timeout=self._seconds)
        except KazooTimeoutError:
            self._late = asked
            asked.rawlink(self._waits.wake)
            raise self._unavailable(f"took longer than {self._seconds:g} s") from None

    @contextmanager
    def _explained(self, path: str) -> Iterator[None]:
        """Convert kazoo's errors to those of this project, except those that `wait` raises."""
        try:
            yield
        except _UNAVAILABLE as error:
            raise self._unavailable(f"was lost: {type(error).__name__}") from None
        except (
            KazooTimeoutError, NodeExistsError, NoNodeError, BadVersionError, NotEmptyError,
        ):  # fmt: skip
            raise
        except (KazooException, ValueError) as error:
            what = f"ZooKeeper at {self._place} refuses {path}: {error or type(error).__name__}"
            raise StorageError(what) from error

    def _unavailable(self, what: str) -> RegistryUnavailable:
        return RegistryUnavailable(f"ZooKeeper at {self._place} {what}")
