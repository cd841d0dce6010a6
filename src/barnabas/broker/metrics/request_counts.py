"""RequestCounts: how many requests came by API, what they brought, and how long they took."""

from collections.abc import Callable

from barnabas.broker.broker import Broker
from barnabas.broker.connections.connection import ClientConnection
from barnabas.broker.connections.listener_dialects import Spoken
from barnabas.dialects.dialect import Dialect, Request
from barnabas.runtime.connections.connection import Connection
from barnabas.wire.send import Send

_SIZE_BYTES = 4
_KEY_AT = 5
"""The low byte of the key, behind the frame's size."""
_MOST_KEYS = 256


class RequestCounts:
    """Counts of all connections, by API key.

    `seconds` are those of the broker's thread for the requests that are `timed`: all but those that repeat
    earlier ones.
    """

    __slots__ = ("connections", "received_bytes", "requests", "seconds", "sent_bytes", "timed")

    def __init__(self) -> None:
        self.connections = 0
        self.requests = [0] * _MOST_KEYS
        self.received_bytes = [0] * _MOST_KEYS
        self.sent_bytes = [0] * _MOST_KEYS
        self.timed = [0] * _MOST_KEYS
        self.seconds = [0.0] * _MOST_KEYS


class MeteredConnection(ClientConnection):
    """A client's connection that counts its requests. A broker without metrics has none such."""

    __slots__ = ("_counts", "_monotonic")

    def __init__(  # noqa: PLR0913 - one more than its base class has
        self,
        counts: RequestCounts,
        broker: Broker,
        spoken: Spoken,
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
        counts.connections += 1
        self._monotonic = broker.clock.monotonic

    def take_known(self, received: memoryview, start: int, end: int) -> int:
        """As `ClientConnection.take_known`."""
        taken = super().take_known(received, start, end)
        if taken > start and self._known is not None:
            # What an event repeats is of one API: to read the key of each would cost more than to answer it.
            key, count = received[start + _KEY_AT], self._known.count
            self._counts.requests[key] += count
            self._counts.received_bytes[key] += taken - start - _SIZE_BYTES * count
        return taken

    def on_frame(self, frame: memoryview) -> bool:
        """As `ClientConnection.on_frame`."""
        began, counts = self._monotonic(), self._counts
        goes_on = super().on_frame(frame)
        key = frame[1]
        counts.requests[key] += 1
        counts.received_bytes[key] += len(frame)
        counts.timed[key] += 1
        counts.seconds[key] += self._monotonic() - began
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
