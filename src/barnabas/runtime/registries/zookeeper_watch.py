"""ZooKeeperWatch: a persistent watch; ZooKeeper's own end when they fire and with the connection."""

from collections.abc import Callable
from typing import Any

from kazoo.protocol.states import EventType, WatchedEvent


class ZooKeeperWatch:
    """A watch that is set again when it has fired, or after a reconnect."""

    __slots__ = ("_client", "_path", "is_over", "tell")

    def __init__(self, client: Any, path: str, tell: Callable[[], None]) -> None:
        """`tell`: call the owner, who looks what there is now."""
        self._client = client
        self._path = path or "/"
        self.tell = tell
        self.is_over = False

    def arm(self) -> None:
        """Watch for the next change; call this before reading the node, so that no change is missed."""
        self._client.exists_async(self._path, watch=self._fired)
        self._client.get_children_async(self._path, watch=self._fired)

    def _fired(self, event: WatchedEvent) -> None:
        # None is no change but the end of a connection; the next one sets it again.
        if event.type != EventType.NONE and not self.is_over:
            self.arm()
            self.tell()
