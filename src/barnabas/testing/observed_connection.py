"""ObservedConnection: a client connection whose requests a test observes, and may fail."""

from collections.abc import Callable
from functools import partial

from barnabas.broker.broker import Broker
from barnabas.broker.connections.connection import ClientConnection
from barnabas.broker.connections.listener_dialects import Handlers, ListenerDialect
from barnabas.broker.context import RequestContext
from barnabas.config.listeners import KAFKA
from barnabas.dialects.dialect import Request
from barnabas.runtime.connections.connection import Connection
from barnabas.testing.request_log import RequestLog

Handle = Callable[[Broker, RequestContext, object], object]
Interfere = Callable[["ObservedConnection", Handle, Broker, RequestContext, object], object]


class Observer:
    """Hooks of a test into all connections of its broker.

    `interfere` is called instead of a request's handler, which it receives; None: requests are handled.
    """

    __slots__ = ("interfere", "requests")

    def __init__(self, requests: RequestLog | None) -> None:
        self.requests = requests
        self.interfere: Interfere | None = None


class ObservedConnection(ClientConnection):
    """Notes each frame of Kafka's protocol, and lets faults take requests before their handlers do.

    While there are faults, every request is read: none is answered because it repeats an earlier one.
    """

    __slots__ = ("_observer", "_requests", "correlation_id")

    def __init__(  # noqa: PLR0913 - one more than its base class has
        self,
        observer: Observer,
        broker: Broker,
        spoken: ListenerDialect,
        connection: Connection,
        *,
        listener: str,
        number: int,
        on_gone: Callable[[ClientConnection], None],
    ) -> None:
        super().__init__(
            broker, spoken, connection, listener=listener, number=number, on_gone=on_gone
        )
        self._observer = observer
        self._requests = observer.requests if spoken.dialect.name == KAFKA else None
        if self._requests is not None:
            self._requests.topic_by_id = broker.topics.by_id
        self._handlers = _Interfered(self, observer, spoken.handlers)
        self.correlation_id = 0
        """That of the request that was received last."""

    def take_known(self, received: memoryview, start: int, end: int) -> int:
        """As `ClientConnection.take_known`; not while there are faults."""
        if self._observer.interfere is not None:
            return start
        taken = super().take_known(received, start, end)
        if self._requests is not None and taken > start:
            self._requests.note_all(self.number, received[start:taken])
        return taken

    def on_frame(self, frame: memoryview) -> bool:
        """As `ClientConnection.on_frame`."""
        if self._requests is not None:
            self._requests.note(self.number, frame)
        self.correlation_id = int.from_bytes(frame[4:8], signed=True)
        return super().on_frame(frame)

    def _is_for_now(self, request: Request, frame: memoryview) -> bool:
        is_for_now = super()._is_for_now(request, frame)
        if not is_for_now and self._requests is not None:
            self._requests.forget_last()  # It comes again.
        return is_for_now

    def write(self, request: Request, response: object) -> bytes:
        """The bytes of a response, with their size in front; empty where none is sent."""
        written = self._dialect.write_response(request, response)
        if written is None or isinstance(written, bytes):
            return written or b""
        return written.joined()

    def silence(self, wait_ms: int) -> None:
        """Handle no more requests for so long."""
        self._replies.silence.begin(wait_ms)


class _Interfered(dict[int, Handle]):
    """The handlers of a connection, each wrapped by `interfere`."""

    def __init__(
        self, connection: ObservedConnection, observer: Observer, handlers: Handlers
    ) -> None:
        self._connection = connection
        self._observer = observer
        self._plain = handlers

    def __missing__(self, key: int) -> Handle:
        handle, interfere = self._plain[key], self._observer.interfere
        return handle if interfere is None else partial(interfere, self._connection, handle)
