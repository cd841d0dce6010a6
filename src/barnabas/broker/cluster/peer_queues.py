"""PeerQueues: queued requests to other brokers; one connection and one request at a time for each.

Items queued while a request is pending go into the next one, so a slow broker gets fewer and larger requests.
"""

from collections.abc import Callable
from functools import partial
from typing import Generic, NamedTuple, TypeVar

from barnabas.broker.cluster.member import ClusterMember
from barnabas.broker.cluster.peer_connection import OnAnswer, PeerConnection, address_of
from barnabas.errors import ConnectionFailed
from barnabas.ports import Timers
from barnabas.protocol.api_keys import ApiKey
from barnabas.types import NodeId

ItemT = TypeVar("ItemT")

_PATIENCE_SECONDS = 30.0


class Exchange(NamedTuple):
    """A request to another broker. `on_answer` gets the response, or the error instead."""

    key: ApiKey
    version: int
    request: object
    on_answer: OnAnswer


class PeerQueues(Generic[ItemT]):
    """One queue for each broker. For one thread."""

    def __init__(
        self, member: ClusterMember, timers: Timers, begin: Callable[[list[ItemT]], Exchange]
    ) -> None:
        """`begin` makes a request from the items queued for a broker, and removes these from the list."""
        self._member = member
        self._timers = timers
        self._begin = begin
        self._waiting: dict[NodeId, list[ItemT]] = {}
        self._connections: dict[NodeId, tuple[tuple[str, int], PeerConnection]] = {}
        self._is_due = False
        member.on_close.append(self._close)

    def add(self, node_id: NodeId, item: ItemT) -> bool:
        """Queue an item for a broker; False: the cluster has no such broker now."""
        if node_id not in self._member.image.brokers:
            return False
        self._waiting.setdefault(node_id, []).append(item)
        self._send_soon()
        return True

    def _send_soon(self) -> None:
        if not self._is_due:
            self._is_due = True
            self._timers.soon(self._send)

    def _send(self) -> None:
        self._is_due = False
        for node_id in [*self._waiting]:
            connection = self._connection(node_id)
            if connection is None:
                self._give_up(node_id)
            elif not connection.is_busy:
                exchange = self._next(node_id)
                answered = partial(self._answered, exchange)
                connection.ask(
                    exchange.key, exchange.version, exchange.request, _PATIENCE_SECONDS, answered
                )

    def _next(self, node_id: NodeId) -> Exchange:
        waiting = self._waiting.pop(node_id)
        exchange = self._begin(waiting)
        if waiting:
            self._waiting[node_id] = waiting
        return exchange

    def _give_up(self, node_id: NodeId) -> None:
        """Fail the items of a broker that left the cluster between `add` and the first connection to it."""
        error = ConnectionFailed(f"broker {node_id} has gone")
        while node_id in self._waiting:
            self._next(node_id).on_answer(error)

    def _connection(self, node_id: NodeId) -> PeerConnection | None:
        """The connection to a broker, or to its last address. None: it left before the first request."""
        broker = self._member.image.brokers.get(node_id)
        known = self._connections.get(node_id)
        if known is not None:
            address, connection = known
            if broker is None or connection.is_busy or address_of(broker) == address:
                return connection
            connection.close()
        if broker is None:
            return None
        address = address_of(broker)
        connection = self._member.connect(address)
        self._connections[node_id] = address, connection
        return connection

    def _answered(self, exchange: Exchange, response: object) -> None:
        try:
            exchange.on_answer(response)
        finally:
            if self._waiting:
                self._send_soon()

    def _close(self) -> None:
        self._waiting.clear()
        for _, connection in self._connections.values():
            connection.close()
        self._connections.clear()
