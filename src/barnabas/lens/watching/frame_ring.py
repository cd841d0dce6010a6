"""FrameRing: the last exchanges of watched connections; old ones leave when there is too much."""

from collections import deque
from collections.abc import Iterator
from typing import Final

from barnabas.lens.watching.exchanges import WatchedConnection, WatchedExchange
from barnabas.protocol.api_keys import ApiKey

_MOST_EXCHANGES: Final = 500
_MOST_BYTES: Final = 4 << 20
_MOST_PENDING: Final = 256
_PATIENCE_NS: Final = 2_000_000_000
"""A request that waits longer for its response is shown without."""

_Key = tuple[int, int]


class FrameRing:
    """A response is paired by connection and correlation id; where a dialect has none, by the order."""

    def __init__(self) -> None:
        self._done: deque[WatchedExchange] = deque()
        self._pending: dict[_Key, WatchedExchange] = {}
        self._held_bytes = 0
        self._count = 0

    def request(
        self, connection: WatchedConnection, correlation_id: int, frame: bytes, size: int, now: int
    ) -> None:
        """A request arrived: `frame` is its start, `size` its whole size, `now` in nanoseconds."""
        key = (connection.number, correlation_id)
        # A request that had to wait for its turn comes again.
        if key not in self._pending:
            self._pending[key] = WatchedExchange(0, connection, correlation_id, now, frame, size)
            if len(self._pending) > _MOST_PENDING:
                self._end(next(iter(self._pending)))

    def response(
        self, connection: int, correlation_id: int | None, frame: bytes, size: int, now: int
    ) -> None:
        """A response was sent; without a correlation id it belongs to the oldest request."""
        if correlation_id is None:
            correlation_id = next((key[1] for key in self._pending if key[0] == connection), 0)
        key = (connection, correlation_id)
        asked = self._pending.pop(key, None)
        if asked is None:
            return
        for other in [each for each in self._pending if each[0] == connection]:
            earlier = self._pending[other]
            # Records that ask for no acknowledgement have no response.
            if earlier.began_ns < asked.began_ns and earlier.connection.api_key == ApiKey.PRODUCE:
                self._end(other)
        took = now - asked.began_ns
        self._add(asked._replace(took_ns=took, response=frame, response_size=size))

    def closed(self, connection: int) -> None:
        """A connection is gone: its last requests stay without responses."""
        for key in [each for each in self._pending if each[0] == connection]:
            self._end(key)

    def newer(self, number: int, now: int) -> Iterator[WatchedExchange]:
        """The exchanges after a number, oldest first."""
        for key, each in list(self._pending.items()):
            if not each.number and now - each.began_ns > _PATIENCE_NS:
                # It is shown again when the response is there.
                self._pending[key] = self._add(each)
        return (each for each in self._done if each.number > number)

    def clear(self) -> None:
        """Forget requests without a response: the connection is no longer watched."""
        self._pending.clear()

    def _end(self, key: _Key) -> None:
        """No response is expected any more."""
        exchange = self._pending.pop(key)
        if not exchange.number:
            self._add(exchange)

    def _add(self, exchange: WatchedExchange) -> WatchedExchange:
        self._count += 1
        exchange = exchange._replace(number=self._count)
        self._done.append(exchange)
        self._held_bytes += exchange.held_bytes
        while len(self._done) > _MOST_EXCHANGES or self._held_bytes > _MOST_BYTES:
            self._held_bytes -= self._done.popleft().held_bytes
        return exchange
