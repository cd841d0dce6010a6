"""RequestCounts: how many requests came by API, what they brought, and how long they took."""

from collections.abc import Callable
from typing import NamedTuple

from barnabas.broker.broker import Broker
from barnabas.broker.connections.connection import ClientConnection
from barnabas.broker.connections.known_requests import KnownRequests
from barnabas.broker.connections.listener_dialects import ListenerDialect
from barnabas.dialects.dialect import Dialect, Request
from barnabas.kernels.connections.repeats import RepeatCounts
from barnabas.runtime.connections.connection import Connection
from barnabas.wire.send import Send

_MOST_KEYS = 256
_REQUESTS, _BYTES, _SECONDS = range(3)


class Received(NamedTuple):
    """Requests of one API: how many there were, their bytes, how many were timed, and the seconds of those."""

    requests: int
    bytes: int
    timed: int
    seconds: float


class RequestCounts:
    """Counts of all connections, by API key.

    Those that repeat earlier requests are counted where they are answered, and not timed: to do more would cost
    more than to answer them. All is put together when somebody looks.
    """

    __slots__ = ("connections", "read", "repeated", "sent_bytes")

    def __init__(self) -> None:
        self.connections = 0
        self.read: list[list[float]] = [[0, 0, 0.0] for _ in range(_MOST_KEYS)]
        """Of the requests that were read: how many, their bytes, seconds of the broker's thread."""
        self.repeated = RepeatCounts()
        self.sent_bytes = [0] * _MOST_KEYS

    def received(self, key: int) -> Received:
        """What came of one API."""
        requests, size, seconds = self.read[key]
        again, again_bytes = self.repeated.of(key)
        return Received(int(requests) + again, int(size) + again_bytes, int(requests), seconds)


class MeteredConnection(ClientConnection):
    """A client's connection that counts its requests. A broker without metrics has none such."""

    __slots__ = ("_counts", "_monotonic", "_read")

    def __init__(  # noqa: PLR0913 - one more than its base class has
        self,
        counts: RequestCounts,
        broker: Broker,
        spoken: ListenerDialect,
        connection: Connection,
        *,
        listener: str,
        number: int,
        on_gone: Callable[[ClientConnection], None],
    ) -> None:
        metered = spoken._replace(dialect=_MeteredDialect(counts, spoken.dialect))
        super().__init__(
            broker, metered, connection, listener=listener, number=number, on_gone=on_gone
        )
        self._counts = counts
        self._read = counts.read
        counts.connections += 1
        self._monotonic = broker.clock.monotonic

    def _new_known(self) -> KnownRequests:
        return KnownRequests(self._broker, self._dialect, self._counts.repeated)

    def on_frame(self, frame: memoryview) -> bool:
        """As `ClientConnection.on_frame`."""
        began = self._monotonic()
        # By its name: `super()` takes as long as all that is counted here.
        goes_on = ClientConnection.on_frame(self, frame)
        counted = self._read[frame[1]]
        counted[_REQUESTS] += 1
        counted[_BYTES] += len(frame)
        counted[_SECONDS] += self._monotonic() - began
        return goes_on

    def on_closed(self) -> None:
        """As `ClientConnection.on_closed`."""
        self._counts.connections -= 1
        super().on_closed()


class _MeteredDialect:
    """A dialect that counts what responses are long."""

    def __init__(self, counts: RequestCounts, dialect: Dialect) -> None:
        self.name, self.at_once = dialect.name, dialect.at_once
        self.has_records = dialect.has_records
        self.check_large = dialect.check_large
        self.read_request = dialect.read_request
        self._write = dialect.write_response
        self._sent_bytes = counts.sent_bytes

    def write_response(
        self, request: Request, response: object, throttle_ms: int = 0
    ) -> Send | bytes | None:
        """As `Dialect.write_response`."""
        written = self._write(request, response, throttle_ms)
        if written is not None:
            self._sent_bytes[request.api_key] += len(written)
        return written
