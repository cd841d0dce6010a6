"""Plans fetches, and interprets their responses. No I/O, no decoding.

A partition is fetched while at most one of its fetched parts waits for the user, so the next one is
in flight while the last is decoded. Every assignment and seek gives a partition a new turn number,
and responses of an old turn are dropped.
"""

import logging
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from barnabas.client.core.cluster.cluster_view import Broker, ClusterView
from barnabas.client.core.consumer.consumer_options import ConsumerOptions
from barnabas.client.core.consumer.fetch_position import NO_OFFSET, NO_REPLICA, FetchPosition
from barnabas.client.core.consumer.fetch_session import (
    SESSION_ERRORS,
    ClientFetchSession,
    PartitionFetch,
)
from barnabas.client.core.consumer.fetched import FetchedRecords, end_of, records_of, too_large
from barnabas.client.core.group.fetched_epochs import NO_EPOCH
from barnabas.errors import (
    BrokerError,
    ErrorCode,
    KafkaError,
    LocalProtocolError,
    LogTruncated,
)
from barnabas.protocol.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    ForgottenTopic,
    PartitionData,
)
from barnabas.types import TopicPartition
from barnabas.wire.schema import NO_UUID

log = logging.getLogger(__name__)

_AHEAD: Final = 1


@dataclass(frozen=True, slots=True)
class PlannedFetch:
    """One pending fetch: broker, partitions and turns."""

    node_id: int
    request: FetchRequest
    turns: dict[TopicPartition, tuple[int, int]]
    by_id: bool


class Fetcher:
    """The fetching side of a consumer. `parts` are the waiting fetched parts, oldest first.

    `failures` are errors for the user, in order. `stale` is set when metadata must be requested,
    `leaderless` are partitions to fetch without a known leader.
    """

    def __init__(self, options: ConsumerOptions, view: ClusterView) -> None:
        self.positions: dict[TopicPartition, FetchPosition] = {}
        self.parts: deque[tuple[int, FetchedRecords]] = deque()
        self.failures: deque[KafkaError] = deque()
        self.stale = False
        self.leaderless: list[TopicPartition] = []
        self._options = options
        self._view = view
        self._sessions: dict[int, ClientFetchSession] = {}
        self._asked: set[int] = set()
        self._turn = 0

    def assign(self, partitions: Iterable[TopicPartition]) -> None:
        """Set the assigned partitions; those already assigned keep their positions."""
        wanted = list(dict.fromkeys(partitions))
        for gone in self.positions.keys() - set(wanted):
            self._forget_parts(gone)
            del self.positions[gone]
        self.positions = {where: self.positions.get(where) or self._new() for where in wanted}

    def move(self, where: TopicPartition, offset: int, wanted: int | None = None) -> None:
        """Move a partition to an offset, or (offset -1) to an end of its log that must be looked up."""
        position = self.position(where)
        self._turn += 1
        position.turn = self._turn
        position.offset = position.fetch_offset = offset
        position.wanted = wanted
        position.epoch = -1
        position.epochs.begin(offset, NO_EPOCH)
        position.nearer = NO_REPLICA
        position.not_before = 0.0
        self._forget_parts(where)

    def resolved(
        self, where: TopicPartition, turn: int, offset: int, epoch: int = NO_EPOCH
    ) -> None:
        """A position was looked up, with the epoch before it; ignored if the partition was moved since."""
        position = self.positions.get(where)
        if position is not None and position.turn == turn and not position.known:
            position.offset = position.fetch_offset = offset
            position.epochs.begin(offset, epoch)

    def position(self, where: TopicPartition) -> FetchPosition:
        """The position of an assigned partition.

        Raises:
            LocalProtocolError: it is not assigned.
        """
        found = self.positions.get(where)
        if found is None:
            raise LocalProtocolError(f"{where.topic}-{where.partition} is not assigned")
        return found

    def take(self) -> FetchedRecords | None:
        """Return the next part that is still current, if any, and advance its partition."""
        for _ in range(len(self.parts)):
            turn, part = self.parts.popleft()
            position = self.positions.get(part.where)
            if position is None or position.turn != turn:
                continue
            if position.paused:
                self.parts.append((turn, part))
                continue
            position.parts -= 1
            return part
        return None

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
        last: dict[int, FetchRequest] = {}
        for node_id, session in self._sessions.items():
            part = session.end()
            if part is not None:
                last[node_id] = FetchRequest(
                    max_wait_ms=0,
                    min_bytes=0,
                    max_bytes=0,
                    session_id=part.session_id,
                    session_epoch=part.epoch,
                    topics=[],
                    forgotten_topics_data=[],
                )
        return last

    def _is_wanted(self, position: FetchPosition, now: float) -> bool:
        idle = not position.paused and position.parts <= _AHEAD
        return position.known and idle and now >= position.not_before

    def _ask(self, node_id: int, wishes: dict[TopicPartition, PartitionFetch]) -> PlannedFetch:
        session = self._sessions.setdefault(node_id, ClientFetchSession())
        by_id = all(wish.topic_id != NO_UUID for wish in wishes.values())
        part = session.request(wishes)
        topics: dict[tuple[str, bytes], list[FetchPartition]] = {}
        for where, wish in part.changed.items():
            row = FetchPartition(
                partition=where.partition,
                current_leader_epoch=wish.leader_epoch,
                fetch_offset=wish.offset,
                last_fetched_epoch=wish.last_epoch,
                partition_max_bytes=wish.max_bytes,
            )
            topics.setdefault((where.topic, wish.topic_id), []).append(row)
        forgotten: dict[tuple[str, bytes], list[int]] = {}
        for where, wish in part.forgotten.items():
            forgotten.setdefault((where.topic, wish.topic_id), []).append(where.partition)
        request = FetchRequest(
            max_wait_ms=int(self._options.max_wait_s * 1000),
            min_bytes=self._options.min_bytes,
            max_bytes=self._options.max_bytes,
            isolation_level=int(self._options.committed_only),
            session_id=part.session_id,
            session_epoch=part.epoch,
            topics=[
                FetchTopic(topic=name, topic_id=topic_id, partitions=rows)
                for (name, topic_id), rows in topics.items()
            ],
            forgotten_topics_data=[
                ForgottenTopic(topic=name, topic_id=topic_id, partitions=rows)
                for (name, topic_id), rows in forgotten.items()
            ],
            rack_id=self._options.rack,
        )
        self._asked.add(node_id)
        turns = {where: (self.positions[where].turn, wish.offset) for where, wish in wishes.items()}
        return PlannedFetch(node_id, request, turns, by_id)

    def _take_partition(
        self,
        ask: PlannedFetch,
        where: TopicPartition,
        data: PartitionData,
        times: tuple[float, float],
    ) -> None:
        """Handle one partition's result; `times` are now, and the next try after an error."""
        now, retry_at = times
        position = self.positions.get(where)
        turn, asked = ask.turns.get(where, (-1, -1))
        if position is None or position.turn != turn or position.fetch_offset != asked:
            return
        if data.error_code and ask.node_id == position.nearer:
            # A replica may lack records; only the leader's error counts.
            position.nearer = NO_REPLICA
            return
        if data.error_code:
            self._take_error(where, position, data, retry_at)
            return
        if data.diverging_epoch is not None and data.diverging_epoch.end_offset >= 0:
            self._diverged(where, position, data.diverging_epoch.end_offset, retry_at)
            return
        if data.preferred_read_replica >= 0:
            position.nearer = data.preferred_read_replica
            position.nearer_until = now + self._options.metadata_max_age_s
            # Its address may be new to us.
            self.stale |= position.nearer not in self._view.brokers
        committed = self._options.committed_only and data.last_stable_offset >= 0
        position.readable_end = data.last_stable_offset if committed else data.high_watermark
        records = records_of(data)
        size, following, epoch = end_of(records)
        if following <= asked:
            if not size and len(records):
                position.not_before = retry_at
                self.failures.append(too_large(where, asked, self._options.partition_bytes))
            return
        aborted = tuple(
            (row.producer_id, row.first_offset) for row in data.aborted_transactions or ()
        )
        part = FetchedRecords(
            where, records[:size], asked, following, epoch, data.high_watermark, aborted
        )
        position.fetch_offset, position.epoch = following, epoch
        position.epochs.extend(part.records, epoch)
        position.parts += 1
        self.parts.append((turn, part))

    def _take_error(
        self, where: TopicPartition, position: FetchPosition, data: PartitionData, retry_at: float
    ) -> None:
        code = ErrorCode.of(data.error_code)
        position.not_before = retry_at
        name = f"{where.topic}-{where.partition}"
        if code is ErrorCode.OFFSET_OUT_OF_RANGE:
            if position.parts:
                return  # Waiting parts are returned first; then it is fetched again.
            if self._options.reset is None:
                what = (
                    f"{name} has no offset {position.fetch_offset}, and auto.offset.reset is none"
                )
                self.failures.append(BrokerError(code, f"{what}: seek to another one"))
            else:
                self.move(where, NO_OFFSET, self._options.reset)
            return
        if not code.retriable:
            self.failures.append(BrokerError(code, f"fetching {name}"))
            return
        hint = data.current_leader
        adopted = hint is not None and self._view.adopt_leader(
            where, hint.leader_id, hint.leader_epoch
        )
        if adopted:
            position.not_before = 0.0
        self.stale |= not adopted and (
            code.stale_metadata or code is ErrorCode.UNKNOWN_LEADER_EPOCH
        )

    def _diverged(
        self, where: TopicPartition, position: FetchPosition, end: int, retry_at: float
    ) -> None:
        """The log was truncated below the position, and has other records now (KIP-320)."""
        position.not_before = retry_at
        if position.parts:
            return  # Waiting parts are returned first; then it is fetched again.
        if self._options.reset is None:
            self.failures.append(LogTruncated(where, position.fetch_offset, end))
            return
        log.warning(
            "log truncated: records read before are lost where=%s-%d position=%d goes_on_at=%d",
            *where,
            position.fetch_offset,
            end,
        )
        self.move(where, min(end, position.fetch_offset))

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

    def _forget_parts(self, where: TopicPartition) -> None:
        self.parts = deque(entry for entry in self.parts if entry[1].where != where)
        position = self.positions.get(where)
        if position is not None:
            position.parts = 0

    def _new(self) -> FetchPosition:
        self._turn += 1
        return FetchPosition(turn=self._turn)
