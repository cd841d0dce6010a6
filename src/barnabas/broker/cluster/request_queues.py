"""RequestQueues: a controller's requests to the brokers, in order.

Each broker has a connection of its own and gets its requests one after the other. A request without a response
is repeated until its broker has left: epochs make repetition harmless.

Source: Kafka's ControllerChannelManager.
"""

import logging
from collections import deque
from collections.abc import Callable, Iterable, Mapping

from barnabas.broker.cluster.inter_broker import InterBrokerVersions
from barnabas.broker.cluster.peer_connection import Address, PeerConnection, address_of
from barnabas.cluster.image import Broker
from barnabas.cluster.requests import BrokerRequest
from barnabas.errors import KafkaError, LocalProtocolError
from barnabas.ports import Timer, Timers
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.leader_and_isr import LeaderAndIsrRequest
from barnabas.protocol.stop_replica import StopReplicaRequest
from barnabas.types import NodeId

log = logging.getLogger(__name__)

_PATIENCE_SECONDS = 30.0
_AGAIN_SECONDS = 0.1

OnAnswer = Callable[[BrokerRequest, object], None]


class RequestQueues:
    """One queue for each live broker."""

    def __init__(
        self,
        connect: Callable[[Address], PeerConnection],
        timers: Timers,
        versions: InterBrokerVersions,
        on_answer: OnAnswer,
    ) -> None:
        """`on_answer` is called with each request and its response."""
        self._connect = connect
        self._timers = timers
        self._versions = versions
        self._on_answer = on_answer
        self._queues: dict[NodeId, _Queue] = {}
        self._known: dict[NodeId, Broker] = {}

    def know(self, brokers: Mapping[NodeId, Broker]) -> None:
        """Take the live brokers. The requests for a broker that left or registered again are dropped."""
        for node_id in [*self._queues]:
            if brokers.get(node_id) != self._known[node_id]:
                self._queues.pop(node_id).close()
        self._known = dict(brokers)
        for node_id, broker in brokers.items():
            if node_id not in self._queues:
                connection = self._connect(address_of(broker))
                self._queues[node_id] = _Queue(
                    connection, self._timers, self._versions, self._on_answer
                )

    def send(self, requests: Iterable[BrokerRequest]) -> None:
        """Queue requests; each broker gets its own in this order."""
        for request in requests:
            queue = self._queues.get(request.node_id)
            if queue is not None:
                queue.add(request)

    def close(self) -> None:
        """Drop all requests, and close the connections."""
        for queue in self._queues.values():
            queue.close()
        self._queues.clear()


class _Queue:
    """Requests to one broker; the first one is pending, or about to be repeated."""

    __slots__ = ("_again", "_connection", "_on_answer", "_timers", "_versions", "_waiting")

    def __init__(
        self,
        connection: PeerConnection,
        timers: Timers,
        versions: InterBrokerVersions,
        on_answer: OnAnswer,
    ) -> None:
        self._connection = connection
        self._timers = timers
        self._versions = versions
        self._on_answer = on_answer
        self._waiting: deque[BrokerRequest] = deque()
        self._again: Timer | None = None

    def add(self, request: BrokerRequest) -> None:
        self._waiting.append(request)
        if len(self._waiting) == 1:
            self._send()

    def close(self) -> None:
        self._waiting.clear()
        if self._again is not None:
            self._again.cancel()
        self._connection.close()

    def _send(self) -> None:
        """Send the first request. Skip requests that cannot be encoded, for the sake of later ones."""
        self._again = None
        while self._waiting:
            node_id, message = self._waiting[0].node_id, self._waiting[0].message
            key, version = self._as(message)
            try:
                self._connection.ask(key, version, message, _PATIENCE_SECONDS, self._answered)
            except LocalProtocolError as error:
                fields = {"node": node_id, "api": key.name, "error": error}
                log.error("request of the controller cannot be encoded", extra=fields)  # noqa: TRY400 - it says why
                self._waiting.popleft()
            else:
                return

    def _as(self, message: object) -> tuple[ApiKey, int]:
        if isinstance(message, LeaderAndIsrRequest):
            return ApiKey.LEADER_AND_ISR, self._versions.leader_and_isr
        if isinstance(message, StopReplicaRequest):
            return ApiKey.STOP_REPLICA, self._versions.stop_replica
        return ApiKey.UPDATE_METADATA, self._versions.update_metadata

    def _answered(self, response: object | KafkaError) -> None:
        if isinstance(response, KafkaError):
            node_id = self._waiting[0].node_id
            log.info("no response from a broker", extra={"node": node_id, "error": response})
            self._again = self._timers.after(_AGAIN_SECONDS, self._send)
            return
        request = self._waiting.popleft()
        self._send()
        self._on_answer(request, response)
