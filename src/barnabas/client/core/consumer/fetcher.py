"""Plans fetches, and interprets their responses. No I/O, no decoding.

A partition is fetched while at most one of its fetched parts waits for the user, so the next one is
in flight while the last is decoded.
"""

from collections.abc import Callable
from typing import Final

from barnabas.client.core.cluster.cluster_view import Broker, ClusterView
from barnabas.client.core.consumer.consumer_options import ConsumerOptions
from barnabas.client.core.consumer.fetch_position import NO_REPLICA, FetchPosition
from barnabas.client.core.consumer.fetch_requests import PlannedFetch, fetch_request, last_request
from barnabas.client.core.consumer.fetch_results import FetchResults
from barnabas.client.core.consumer.fetch_session import (
    SESSION_ERRORS,
    ClientFetchSession,
    PartitionFetch,
)
from barnabas.errors import BrokerError, ErrorCode, KafkaError
from barnabas.protocol.fetch import FetchRequest, FetchResponse
from barnabas.types import TopicPartition
from barnabas.wire.schema import NO_UUID

_AHEAD: Final = 1


class Fetcher(FetchResults):
    """The fetching side of a consumer. `leaderless` are partitions to fetch without a known leader."""

    def __init__(self, options: ConsumerOptions, view: ClusterView) -> None:
        super().__init__(options, view)
        self.leaderless: list[TopicPartition] = []
        self._sessions: dict[int, ClientFetchSession] = {}
        self._asked: set[int] = set()

    def plan(self, now: float, can_ask: Callable[[int], bool]) -> list[PlannedFetch]:
        """The fetches to send now; at most one per broker is pending."""
        wishes: dict[int, dict[TopicPartition, PartitionFetch]] = {}
        for where, position in self.positions.items():
            if not self._is_wanted(position, now):
                continue
            view = self._view.partition(*where)
            if view is None or view.leader not in self._view.brokers:
                self.stale = True
                self.leaderless.append(where)
                continue
            wish = PartitionFetch(
                self._view.topics[where.topic].topic_id,
                position.fetch_offset,
                view.leader_epoch,
                self._options.partition_bytes,
                position.epoch,
            )
            node_id = view.leader
            if position.nearer in self._view.brokers and now < position.nearer_until:
                node_id = position.nearer
            wishes.setdefault(node_id, {})[where] = wish
        free = [node for node in wishes if node not in self._asked]
        return [self._ask(node, wishes[node]) for node in free if can_ask(node)]

    def answered(
        self, ask: PlannedFetch, response: FetchResponse, now: float, retry_s: float
    ) -> None:
        """Handle a response; `retry_s` is the back-off of a partition with an error."""
        self._asked.discard(ask.node_id)
        session = self._sessions[ask.node_id]
        error = ErrorCode.of(response.error_code)
        if error:
            session.begin_again()
            if error not in SESSION_ERRORS and not error.retriable:
                self.failures.append(BrokerError(error, "fetching"))
            self.stale |= error.stale_metadata
            self._leave_alone(ask, now + retry_s if error not in SESSION_ERRORS[:3] else now)
            return
        session.answered(response.session_id)
        for node in response.node_endpoints:
            self._view.adopt_broker(Broker(node.node_id, node.host, node.port, node.rack))
        for topic in response.responses:
            name = topic.topic or self._view.topic_named(topic.topic_id)
            if name is None:
                continue
            for data in topic.partitions:
                self._take_partition(
                    ask, TopicPartition(name, data.partition_index), data, (now, now + retry_s)
                )

    def failed(self, ask: PlannedFetch, error: KafkaError, now: float, retry_s: float) -> None:
        """No response arrived: the session ended with its connection."""
        self._asked.discard(ask.node_id)
        self._sessions[ask.node_id].begin_again()
        self.leave(ask.node_id)
        if error.retriable:
            self.stale = True
        else:
            self.failures.append(error)
        self._leave_alone(ask, now + retry_s)

    def farewells(self) -> dict[int, FetchRequest]:
        """By broker: the request that ends its fetch session (KIP-227)."""
        last = {node_id: session.end() for node_id, session in self._sessions.items()}
        return {node_id: last_request(part) for node_id, part in last.items() if part is not None}

    def _is_wanted(self, position: FetchPosition, now: float) -> bool:
        idle = not position.paused and position.parts <= _AHEAD
        return position.known and idle and now >= position.not_before

    def _ask(self, node_id: int, wishes: dict[TopicPartition, PartitionFetch]) -> PlannedFetch:
        session = self._sessions.setdefault(node_id, ClientFetchSession())
        by_id = all(wish.topic_id != NO_UUID for wish in wishes.values())
        request = fetch_request(session.request(wishes), self._options)
        self._asked.add(node_id)
        turns = {where: (self.positions[where].turn, wish.offset) for where, wish in wishes.items()}
        return PlannedFetch(node_id, request, turns, by_id)

    def leave(self, node_id: int) -> None:
        """A broker is unreachable: read its partitions from their leaders."""
        for position in self.positions.values():
            if position.nearer == node_id:
                position.nearer = NO_REPLICA

    def _leave_alone(self, ask: PlannedFetch, until: float) -> None:
        for where in ask.turns:
            position = self.positions.get(where)
            if position is not None:
                position.not_before = until
