"""FrameWatch: which connections are watched, for how long, and their frames."""

from typing import Final, NamedTuple, Protocol

from barnabas.lens.watching.exchanges import (
    KEPT_BYTES,
    SIZE_BYTES,
    WatchedConnection,
    WatchedExchange,
    request_head,
)
from barnabas.lens.watching.frame_ring import FrameRing
from barnabas.types import Buffer

PATIENCE_S: Final = 5.0
"""Seconds after the last look for which a connection stays watched."""
_MOST_AT_ONCE: Final = 500


class Selection(NamedTuple):
    """The connection with a number, or those of a client id."""

    connection: int = 0
    client_id: str = ""

    def has(self, connection: WatchedConnection) -> bool:
        """Whether it selects a connection."""
        if self.connection:
            return connection.number == self.connection
        return connection.client_id == self.client_id


class FrameSource(Protocol):
    """Shows the frames of connections: of a broker, or of a proxy in front of any broker. For any thread.

    Every method raises OSError if it is gone.
    """

    @property
    def place(self) -> str:
        """The address at which clients are watched; empty: the usual one."""
        ...

    def connections(self) -> list[WatchedConnection]:
        """The connections that are open."""
        ...

    def look(self, selection: Selection, after: int) -> list[WatchedExchange]:
        """Watch connections for some seconds; returns their exchanges behind a number."""
        ...

    def exchange(self, number: int) -> WatchedExchange | None:
        """One exchange; None: it was too long ago."""
        ...


class FrameWatch:
    """For one thread. `now` is in nanoseconds, of a clock that has dates."""

    def __init__(self) -> None:
        self.ring = FrameRing()
        self._until: dict[Selection, int] = {}

    def look(self, selection: Selection, after: int, now: int) -> list[WatchedExchange]:
        """Watch for `PATIENCE_S`, and return what there is behind a number."""
        self._until[selection] = now + int(PATIENCE_S * 1e9)
        found = [each for each in self.ring.newer(after, now) if selection.has(each.connection)]
        return found[-_MOST_AT_ONCE:]

    def exchange(self, number: int, now: int) -> WatchedExchange | None:
        """One exchange."""
        return next((one for one in self.ring.newer(number - 1, now) if one.number == number), None)

    def wants(self, connection: WatchedConnection) -> bool:
        """Whether a connection is watched."""
        return any(selection.has(connection) for selection in self._until)

    def expire(self, now: int) -> bool:
        """Forget selections that are no longer viewed; returns whether some are left."""
        self._until = {one: until for one, until in self._until.items() if until > now}
        if not self._until:
            self.ring.clear()
        return bool(self._until)


def note_request(
    ring: FrameRing, connection: WatchedConnection, frame: Buffer, size: int, now: int
) -> None:
    """Note a request of a watched connection; `frame` is at least its start, without its size."""
    head = request_head(frame) if connection.dialect == "kafka" else None
    if head is not None:
        connection = connection._replace(
            client_id=head.client_id, api_key=head.api_key, api_version=head.api_version
        )
    # Dialects without a correlation id answer in order: each gets a number of its own.
    correlation_id = head.correlation_id if head is not None else -now
    kept = size.to_bytes(SIZE_BYTES, "big") + bytes(frame[: KEPT_BYTES - SIZE_BYTES])
    ring.request(connection, correlation_id, kept, size + SIZE_BYTES, now)


def note_response(
    ring: FrameRing, connection: WatchedConnection, frame: Buffer, size: int, now: int
) -> None:
    """Note a response of a watched connection; `frame` is at least its start, without its size."""
    correlation_id = None
    if connection.dialect == "kafka":
        correlation_id = int.from_bytes(frame[:SIZE_BYTES], "big", signed=True)
    kept = size.to_bytes(SIZE_BYTES, "big") + bytes(frame[: KEPT_BYTES - SIZE_BYTES])
    ring.response(connection.number, correlation_id, kept, size + SIZE_BYTES, now)
