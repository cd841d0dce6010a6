"""MeteredConnection: a client's connection that counts its requests."""

from collections.abc import Callable

from barnabas.broker.broker import Broker
from barnabas.broker.connections.connection import ClientConnection
from barnabas.broker.connections.listener_dialects import ListenerDialect
from barnabas.broker.connections.repeated_requests import RepeatedRequests
from barnabas.broker.metrics.request_counts import RequestCounts
from barnabas.dialects.dialect import Dialect, Request
from barnabas.runtime.connections.connection import Connection
from barnabas.wire.send import Send

_REQUESTS, _BYTES, _SECONDS = range(3)
_FIRST = 16
"""Requests of a connection that are all timed; after them each eighth: most clients send the same ones."""
_UNTIMED = 7


class MeteredConnection(ClientConnection):
    """A client's connection that counts its requests. A broker without metrics has none such."""

    __slots__ = ("_counts", "_listener", "_metered", "_monotonic", "_plain", "_read", "_requests")

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
        self._plain = spoken.dialect
        self._metered = _MeteredDialect(counts, spoken.dialect)
        super().__init__(
            broker,
            spoken._replace(dialect=self._metered),
            connection,
            listener=listener,
            number=number,
            on_gone=on_gone,
        )
        self._counts = counts
        self._read = counts.read
        self._requests = 0
        self._listener = listener
        counts.connections[listener] += 1
        self._monotonic = counts.now

    def _new_known(self) -> RepeatedRequests:
        # What it writes to learn from is sent to nobody.
        return RepeatedRequests(self._broker, self._plain, self._counts)

    def on_frame(self, frame: memoryview) -> bool:
        """As `ClientConnection.on_frame`."""
        self._requests += 1
        if not self._requests & _UNTIMED or self._requests <= _FIRST:
            self._metered.read_request = self._metered.read_timed
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
        self._counts.connections[self._listener] -= 1
        super().on_closed()


class _MeteredDialect:
    """A dialect that counts what responses are long, and times some."""

    def __init__(self, counts: RequestCounts, dialect: Dialect) -> None:
        self.name, self.at_once = dialect.name, dialect.at_once
        self.has_records = dialect.has_records
        self.check_large = dialect.check_large
        self.read_request = self._read = dialect.read_request
        self._write = dialect.write_response
        self._counts = counts
        self._sent_bytes = counts.sent_bytes
        self._add_topics = counts.topics.add

    def read_timed(self, frame: memoryview) -> Request:
        """As `Dialect.read_request`, once: the request is timed."""
        self.read_request = self._read
        received_s = self._counts.now()
        request = self._read(frame)
        request.received_s = received_s
        return request

    def write_response(
        self, request: Request, response: object, throttle_ms: int = 0
    ) -> Send | bytes | None:
        """As `Dialect.write_response`."""
        written = self._write(request, response, throttle_ms)
        received_s, key = request.received_s, request.api_key
        if received_s < 0:
            return written
        if written is not None:
            self._sent_bytes[key] += len(written)
        if key <= 1:  # Produce and Fetch.
            self._add_topics(request, response)
        if received_s:
            self._counts.times[key].add(self._counts.now() - received_s, 1)
        return written
