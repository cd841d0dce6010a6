"""ReplicaFetcher: copies all partitions that one leader leads and this broker follows.

Each follower decides what it needs next; here the needs of all become one request, and each gets its part of
the response. One request is pending at a time: epochs first, because a log that may diverge must not grow,
then offsets, then records.
"""

import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple, TypeVar

from barnabas.broker.cluster.follower_session import FollowerSession
from barnabas.broker.cluster.peer_connection import PeerConnection
from barnabas.broker.cluster.replica_requests import (
    EARLIEST,
    LATEST,
    FetchLimits,
    epoch_end_request,
    fetch_request,
    list_offsets_request,
)
from barnabas.broker.replicas.follower_role import FollowerRole
from barnabas.errors import DecodeError, ErrorCode, KafkaError, StorageError
from barnabas.log.partition.fetched_appending import checked_end
from barnabas.ports import Clock, Timer, Timers
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.fetch import FetchResponse, PartitionData
from barnabas.protocol.list_offsets import ListOffsetsResponse
from barnabas.protocol.offset_for_leader_epoch import OffsetForLeaderEpochResponse
from barnabas.replication.divergence import EpochEnd
from barnabas.replication.follower import (
    EpochEndFound,
    Fetched,
    FollowerEvent,
    OffsetsFound,
    RequestFailed,
)
from barnabas.replication.requests import AskEpochEnd, AskOffsets, FetchNext, FollowerRequest
from barnabas.replication.throttle import ReplicationThrottle
from barnabas.types import TopicPartition

log = logging.getLogger(__name__)

_PATIENCE_SECONDS = 30.0
"""How long a response may take, beyond the wait that a fetch requests."""
_NOTHING = memoryview(b"")

RequestT = TypeVar("RequestT", AskEpochEnd, AskOffsets, FetchNext)


class FetcherPorts(NamedTuple):
    """What a fetcher needs of its broker."""

    clock: Clock
    timers: Timers
    limits: FetchLimits
    topic_id: Callable[[str], bytes]
    throttle: ReplicationThrottle
    on_failed: Callable[[TopicPartition], None]
    """Called when a log cannot be written: its partition is offline."""


class ReplicaFetcher:
    """Copies partitions from one leader. Call `add` and `remove` at any time."""

    def __init__(self, connection: PeerConnection, ports: FetcherPorts) -> None:
        self._connection = connection
        self._ports = ports
        self._session = FollowerSession()
        self._followings: dict[TopicPartition, FollowerRole] = {}
        self._again: Timer | None = None
        self._is_closed = False

    def __contains__(self, partition: object) -> bool:
        return partition in self._followings

    @property
    def is_idle(self) -> bool:
        """Whether it copies no partition."""
        return not self._followings

    def add(self, partition: TopicPartition, following: FollowerRole) -> None:
        """Copy this partition, too."""
        # In the present session the leader would leave out what it has sent to an earlier role.
        self._session.renew(partition)
        self._followings[partition] = following
        following.on_ready = partial(self._later, 0)
        self._later(0)

    def remove(self, partition: TopicPartition) -> None:
        """Stop copying a partition, if it is copied."""
        following = self._followings.pop(partition, None)
        if following is not None:
            following.on_ready = None

    def close(self) -> None:
        """Stop copying, and close the connection."""
        self._is_closed = True
        for partition in [*self._followings]:
            self.remove(partition)
        self._connection.close()
        if self._again is not None:
            self._again.cancel()

    def _later(self, seconds: float) -> None:
        if self._again is not None:
            self._again.cancel()
        self._again = self._ports.timers.after(seconds, self._turn)

    def _turn(self) -> None:
        """Send the next request, unless one is pending."""
        self._again = None
        if self._is_closed or self._connection.is_busy or not self._followings:
            return
        now_ms = self._now_ms()
        asked: dict[TopicPartition, FollowerRequest] = {}
        for partition, following in self._followings.items():
            if following.awaits_flush():
                # A fetch for the others now would delay it until their response.
                self._later(self._ports.limits.back_off_ms / 1000)
                return
            request = following.next_request(now_ms)
            if request is not None:
                asked[partition] = request
        if epochs := _of(asked, AskEpochEnd):
            self._ask_epochs(epochs)
        elif offsets := _of(asked, AskOffsets):
            self._ask_offsets(offsets)
        elif fetches := self._unthrottled(_of(asked, FetchNext), now_ms):
            self._fetch(fetches)
        else:
            self._later(self._ports.limits.back_off_ms / 1000)

    # --- Epochs and offsets -------------------------------------------------------------------

    def _ask_epochs(self, asked: Mapping[TopicPartition, AskEpochEnd]) -> None:
        def on_answer(response: object) -> None:
            assert isinstance(response, OffsetForLeaderEpochResponse)
            rows = {
                TopicPartition(topic.topic, row.partition): row
                for topic in response.topics
                for row in topic.partitions
            }
            for partition, request in asked.items():
                row = rows.get(partition)
                if row is None or row.error_code:
                    self._failed(partition, request, row.error_code if row else None)
                else:
                    end = EpochEnd(row.leader_epoch, row.end_offset)
                    self._step(partition, EpochEndFound(request, end, self._now_ms()))

        limits = self._ports.limits
        message = epoch_end_request(asked, limits)
        version = limits.versions.epoch_end
        self._ask(ApiKey.OFFSET_FOR_LEADER_EPOCH, version, message, asked, on_answer)

    def _ask_offsets(self, asked: Mapping[TopicPartition, AskOffsets]) -> None:
        def on_starts(response: object) -> None:
            starts = self._offsets_in(response, asked)
            left = {partition: asked[partition] for partition in starts}

            def on_ends(response: object) -> None:
                for partition, end in self._offsets_in(response, left).items():
                    found = OffsetsFound(asked[partition], starts[partition], end, self._now_ms())
                    self._step(partition, found)

            if left:
                self._list(left, LATEST, on_ends)

        self._list(asked, EARLIEST, on_starts)

    def _list(
        self,
        asked: Mapping[TopicPartition, AskOffsets],
        timestamp: int,
        on_answer: Callable[[object], None],
    ) -> None:
        limits = self._ports.limits
        message = list_offsets_request(asked, timestamp, limits)
        self._ask(ApiKey.LIST_OFFSETS, limits.versions.list_offsets, message, asked, on_answer)

    def _offsets_in(
        self, response: object, asked: Mapping[TopicPartition, AskOffsets]
    ) -> dict[TopicPartition, int]:
        assert isinstance(response, ListOffsetsResponse)
        rows = {
            TopicPartition(topic.name, row.partition_index): row
            for topic in response.topics
            for row in topic.partitions
        }
        found = {}
        for partition, request in asked.items():
            row = rows.get(partition)
            if row is None or row.error_code:
                self._failed(partition, request, row.error_code if row else None)
            else:
                found[partition] = row.offset
        return found

    # --- Records ------------------------------------------------------------------------------

    def _unthrottled(
        self, asked: Mapping[TopicPartition, FetchNext], now_ms: int
    ) -> dict[TopicPartition, FetchNext]:
        """The partitions that the throttle allows to fetch now (KIP-73)."""
        waits = self._ports.throttle.must_wait
        return {
            one: request
            for one, request in asked.items()
            if not waits(one, now_ms, is_in_sync=self._followings[one].follower.is_caught_up)
        }

    def _fetch(self, asked: Mapping[TopicPartition, FetchNext]) -> None:
        limits = self._ports.limits
        ids = {topic: self._ports.topic_id(topic) for topic in {one.topic for one in asked}}
        version, message = fetch_request(asked, ids, limits, self._session)
        is_incremental = self._session.is_incremental

        def on_answer(response: object) -> None:
            assert isinstance(response, FetchResponse)
            names = {topic_id: topic for topic, topic_id in ids.items()}
            rows = {
                TopicPartition(
                    topic.topic or names.get(topic.topic_id, ""), row.partition_index
                ): row
                for topic in response.responses
                for row in topic.partitions
            }
            if not self._session.take(response):
                return
            for partition, request in asked.items():
                row = rows.get(partition)
                if row is None and is_incremental:
                    continue  # Nothing is new.
                if response.error_code or row is None:
                    self._failed(partition, request, response.error_code or None)
                else:
                    self._take(partition, request, row)

        self._ask(ApiKey.FETCH, version, message, asked, on_answer)

    def _take(self, partition: TopicPartition, request: FetchNext, row: PartitionData) -> None:
        if row.error_code:
            self._failed(partition, request, row.error_code)
            return
        records = memoryview(row.records) if isinstance(row.records, memoryview) else _NOTHING
        is_first = request.log_start == request.offset
        try:
            size, next_offset = checked_end(records, request.offset, is_first=is_first)
        except DecodeError as error:
            fields = {**partition._asdict(), "offset": request.offset, "error": error}
            log.error("invalid records from a leader", extra=fields)  # noqa: TRY400 - it says why
            self._failed(partition, request, ErrorCode.CORRUPT_MESSAGE)
            return
        self._ports.throttle.record(partition, size, self._now_ms())
        diverging = row.diverging_epoch
        if diverging is not None:
            # The high watermark beside it is not used, and a leader of Kafka does not repeat it in the session.
            self._session.begin_anew()
        event = Fetched(
            request,
            next_offset,
            row.high_watermark,
            row.log_start_offset,
            self._now_ms(),
            None if diverging is None else EpochEnd(diverging.epoch, diverging.end_offset),
        )
        self._step(partition, event, records[:size])
        following = self._followings.get(partition)
        if size and following is not None:
            # To the end of the order, so that the others get their turn.
            del self._followings[partition]
            self._followings[partition] = following

    # --- Both ---------------------------------------------------------------------------------

    def _ask(
        self,
        key: ApiKey,
        version: int,
        message: object,
        asked: Mapping[TopicPartition, FollowerRequest],
        on_answer: Callable[[object], None],
    ) -> None:
        def answered(response: object | KafkaError) -> None:
            seconds = self._ports.limits.back_off_ms / 1000
            try:
                if isinstance(response, KafkaError):
                    fields = {"api": key.name, "partitions": len(asked), "error": response}
                    log.info("no response from a leader", extra=fields)
                    self._session.begin_anew()
                    for partition, request in asked.items():
                        self._failed(partition, request, ErrorCode.NETWORK_EXCEPTION)
                else:
                    on_answer(response)
                seconds = 0
            finally:
                # A response that could not be handled is requested again, but not at once.
                if not self._is_closed and not self._connection.is_busy:
                    self._later(seconds)

        seconds = _PATIENCE_SECONDS + self._ports.limits.wait_ms / 1000
        self._connection.ask(key, version, message, seconds, answered)

    def _failed(
        self, partition: TopicPartition, request: FollowerRequest, code: int | None
    ) -> None:
        error = ErrorCode.UNKNOWN_SERVER_ERROR if code is None else ErrorCode.of(code)
        self._step(partition, RequestFailed(request, error, self._now_ms()))

    def _step(
        self, partition: TopicPartition, event: FollowerEvent, records: memoryview = _NOTHING
    ) -> None:
        following = self._followings.get(partition)
        if following is None:
            return  # It was removed meanwhile.
        try:
            following.step(event, records, time_ms=self._ports.clock.time_ms())
        except StorageError as error:
            fields = {**partition._asdict(), "error": error}
            log.error("log of a follower failed", extra=fields)  # noqa: TRY400 - it says why
            self.remove(partition)
            self._ports.on_failed(partition)

    def _now_ms(self) -> int:
        return int(self._ports.clock.monotonic() * 1000)


def _of(
    asked: Mapping[TopicPartition, FollowerRequest], kind: type[RequestT]
) -> dict[TopicPartition, RequestT]:
    return {partition: one for partition, one in asked.items() if isinstance(one, kind)}
