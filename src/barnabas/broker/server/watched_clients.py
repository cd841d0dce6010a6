"""WatchedClients: the clients of a broker, and the frames of those that are watched.

While nobody watches, a connection has no observer, and nothing is kept of what it sends.
"""

from barnabas.broker.broker import Broker
from barnabas.broker.connections.client_connections import Connections
from barnabas.broker.connections.connection import ClientConnection
from barnabas.errors import StorageError
from barnabas.lens.watching.exchanges import (
    KEPT_BYTES,
    SIZE_BYTES,
    WatchedConnection,
    WatchedExchange,
)
from barnabas.lens.watching.frame_starts import FrameStarts
from barnabas.lens.watching.frame_watch import (
    PATIENCE_S,
    FrameWatch,
    Selection,
    note_request,
    note_response,
)
from barnabas.ports import Clock
from barnabas.wire.send import FileSlice, Send


class WatchedClients:
    """For the thread of the broker's loop."""

    def __init__(self, broker: Broker, connections: Connections) -> None:
        self._broker = broker
        self._connections = connections
        self._watch = FrameWatch()
        self._is_timed = False

    def connections(self) -> list[WatchedConnection]:
        """The connections that are open."""
        return [self._described(client) for client in self._connections.clients()]

    def look(self, selection: Selection, after: int) -> list[WatchedExchange]:
        """Watch connections for some seconds; returns their exchanges after a number."""
        now = self._broker.clock.time_ns()
        found = self._watch.look(selection, after, now)
        self._observe()
        if not self._is_timed:
            self._is_timed = True
            self._broker.timers.after(PATIENCE_S, self._expire)
        return found

    def exchange(self, number: int) -> WatchedExchange | None:
        """One exchange; None: it was too long ago."""
        return self._watch.exchange(number, self._broker.clock.time_ns())

    def _described(self, client: ClientConnection) -> WatchedConnection:
        software = self._broker.software.get(client.number)
        return WatchedConnection(
            client.number,
            client.connection.peer,
            client.dialect,
            client.connection.client_id or "",
            "" if software is None else f"{software.name} {software.version}".strip(),
            client.last_key,
            client.last_version,
        )

    def _expire(self) -> None:
        self._is_timed = self._watch.expire(self._broker.clock.time_ns())
        if self._is_timed:
            self._broker.timers.after(PATIENCE_S, self._expire)
        self._observe()

    def _observe(self) -> None:
        """Give an observer to the connections that are watched, and to no others."""
        for client in self._connections.clients():
            connection, described = client.connection, self._described(client)
            if not self._watch.wants(described):
                connection.observer = None
            elif connection.observer is None:
                connection.observer = _ClientObserver(self._watch, described, self._broker.clock)


class _ClientObserver:
    """Copies the starts of the frames of one client. A `FrameObserver`."""

    def __init__(self, watch: FrameWatch, connection: WatchedConnection, clock: Clock) -> None:
        self._watch = watch
        self._connection = connection
        self._clock = clock

    def received(self, frame: memoryview) -> None:
        """A frame came."""
        now = self._clock.time_ns()
        note_request(self._watch.ring, self._connection, frame, len(frame), now)

    def sent(self, reply: Send | bytes) -> None:
        """Whole replies are queued: several as bytes, or one that may be in files."""
        now = self._clock.time_ns()
        if isinstance(reply, Send):
            frames = [(_start_of(reply), len(reply) - SIZE_BYTES)]
        else:
            frames = list(FrameStarts().feed(reply, KEPT_BYTES))
        for start, size in frames:
            note_response(self._watch.ring, self._connection, start, size, now)


def _start_of(reply: Send) -> bytes:
    """The first bytes of a reply, after its size."""
    start = bytearray()
    for part in reply.parts:
        left = KEPT_BYTES - len(start)
        if left <= 0:
            break
        if not isinstance(part, FileSlice):
            start += memoryview(part)[:left]
            continue
        try:
            start += FileSlice(part.file, part.position, min(left, part.size)).read()
        except StorageError:
            break  # The connection fails where it sends that, and reports it.
    return bytes(start[SIZE_BYTES:])
