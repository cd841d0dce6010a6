"""Where clusters keep what their brokers share: ZooKeeper, or a file."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from barnabas.types import NodeWrite


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

    def later(self, work: Callable[[], Any], on_done: Callable[[Any], None]) -> None:
        """Do `work`, calls of this registry and values that do not change, one after the other beside the loop.

        `on_done` is called on the loop with what it returned, or the error that it raised.
        """
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

    session_seconds: float
    """How long nodes outlive a silent session, in seconds."""
