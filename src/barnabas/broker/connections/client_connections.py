"""Connections: all client connections of a broker: their limits, idle timeouts, and the stop."""

import logging
from collections import Counter
from collections.abc import Callable

from barnabas.broker.broker import Broker
from barnabas.broker.connections.connection import ClientConnection
from barnabas.broker.connections.listener_dialects import ListenerDialect
from barnabas.ports import Channel
from barnabas.runtime.connections.connection import Connection
from barnabas.runtime.connections.loop_turn import LoopTurn
from barnabas.runtime.connections.memory import SMALL_RING_BYTES, ConnectionMemory
from barnabas.wire.framing import LargeFrameCheck

log = logging.getLogger(__name__)

IDLE_TICKS = 8
"""How many times per connections.max.idle.ms `close_idle` is to be called."""

_NO_LIMIT = 2**62

MakeClient = Callable[..., ClientConnection]
"""What serves a new connection: takes the arguments of `ClientConnection`."""


class Connections:
    """Accepts channels and keeps what became of them."""

    def __init__(self, broker: Broker, make_client: MakeClient = ClientConnection) -> None:
        config = broker.config
        self._broker = broker
        self._make_client = make_client
        self._max_frame_bytes = config.socket_request_max_bytes
        limit = config.queued_max_request_bytes
        # The largest frame must fit beside others, or it could never be received; small rings are rounded up.
        largest = self._max_frame_bytes + min(self._max_frame_bytes, SMALL_RING_BYTES)
        self._memory = ConnectionMemory(_NO_LIMIT if limit < 0 else limit, largest)
        self._turn = LoopTurn(broker.timers, broker.clock.monotonic)
        self._clients: dict[ClientConnection, None] = {}
        self._per_host: Counter[str] = Counter()
        self._accepted = 0
        self._on_empty: Callable[[], None] | None = None

    def __len__(self) -> int:
        return len(self._clients)

    def clients(self) -> list[ClientConnection]:
        """Those that are open, the oldest first."""
        return list(self._clients)

    def accept(self, channel: Channel, listener: str, spoken: ListenerDialect) -> None:
        """Serve a new channel, or close it if there are too many."""
        host = channel.peer.rpartition(":")[0]
        config = self._broker.config
        most, most_of_host = config.max_connections, config.max_connections_per_ip
        if len(self._clients) >= most or self._per_host[host] >= most_of_host:
            log.warning(
                "connection refused",
                extra={
                    "peer": channel.peer,
                    "connections": len(self._clients),
                    "from_host": self._per_host[host],
                },
            )
            channel.close()
            return
        wait_ms = self._broker.throttling.connected(host)
        if wait_ms:
            # Source: Kafka's ConnectionQuotas: it is closed when the address may come again.
            log.info("connection refused", extra={"peer": channel.peer, "wait_ms": wait_ms})
            self._broker.timers.after(wait_ms / 1000, channel.close)
            return
        self._accepted += 1
        connection = Connection(
            channel,
            self._memory,
            self._turn,
            max_frame_bytes=self._max_frame_bytes,
            large=LargeFrameCheck(
                config.socket_request_max_memory_bytes, spoken.dialect.check_large
            ),
        )
        client = self._make_client(
            self._broker,
            spoken,
            connection,
            listener=listener,
            number=self._accepted,
            on_gone=self._forget,
        )
        self._clients[client] = None
        self._per_host[host] += 1
        connection.serve(client)

    def close_idle(self) -> None:
        """One tick: close those that did nothing for IDLE_TICKS of them."""
        for client in self.clients():
            connection = client.connection
            connection.idle_ticks += 1
            if connection.idle_ticks > IDLE_TICKS:
                log.info("connection was idle", extra={"peer": connection.peer})
                connection.close()

    def finish(self, on_empty: Callable[[], None]) -> None:
        """Take no more requests; when all replies are out, call `on_empty` once."""
        self._on_empty = on_empty
        for client in self.clients():
            client.finish()
        self._tell_if_empty()

    def close(self) -> None:
        """Close all that are left, at once."""
        for client in self.clients():
            client.connection.close()

    def _forget(self, client: ClientConnection) -> None:
        del self._clients[client]
        self._broker.forget_client(client.number)
        self._per_host[client.peer_host] -= 1
        if not self._per_host[client.peer_host]:
            del self._per_host[client.peer_host]
        self._tell_if_empty()

    def _tell_if_empty(self) -> None:
        if not self._clients and self._on_empty is not None:
            on_empty, self._on_empty = self._on_empty, None
            on_empty()
