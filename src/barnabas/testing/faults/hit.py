"""RequestHit: one request that a fault matches, and the possible responses to it."""

from collections.abc import Callable

from barnabas.broker.purgatory.pending import itself
from barnabas.dialects.dialect import Request
from barnabas.testing.faults.fault import SeenRequest
from barnabas.testing.observed_connection import ObservedConnection


class RequestHit:
    """`handle` has the broker handle a message in place of the request."""

    def __init__(
        self, connection: ObservedConnection, asked: SeenRequest, handle: Callable[[object], object]
    ) -> None:
        self.asked = asked
        self.timers = asked.broker.timers
        self._connection = connection
        self._handle = handle
        self._number = connection.correlation_id

    def handle(self, message: object) -> object:
        """Have the broker handle `message` in place of the request; gives the response or a `Pending`."""
        return itself(self._handle(message))

    def write(self, response: object) -> bytes:
        """The bytes of a response, with their size in front."""
        asked = self.asked
        request = Request(
            int(asked.api), asked.version, self._number, asked.client_id, asked.message
        )
        return self._connection.write(request, response)

    def send(self, data: bytes) -> None:
        """Send bytes to the client."""
        self._connection.connection.send(data)

    def silence(self, wait_ms: int) -> None:
        """Handle nothing more of the client for so long."""
        self._connection.silence(wait_ms)
