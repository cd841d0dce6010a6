"""Fetch exactly the offsets [start, end) of one partition, always one fetch ahead.

Decodes nothing and holds at most two responses: one with the caller, one arriving.
"""

import asyncio
from dataclasses import dataclass
from typing import Final

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.cluster.retries import lookup_offsets
from barnabas.client.core.admin.descriptions import EARLIEST, LATEST, Resource
from barnabas.client.core.arguments.deadline import API_TIMEOUT, Deadline
from barnabas.client.core.cluster.cluster_view import PartitionView
from barnabas.client.core.consumer.fetched import FetchedRecords, end_of, records_of, too_large
from barnabas.errors import BrokerError, ErrorCode, KafkaError
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from barnabas.protocol.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    PartitionData,
)
from barnabas.types import OffsetRange, TopicPartition
from barnabas.wire.schema import NO_UUID

_FORMAT: Final = "message.format.version"
_SMALLEST_FETCH: Final = 65_536
_NO_SESSION: Final = -1
_WITHOUT_TOPIC_IDS: Final = 12


@dataclass(frozen=True, slots=True)
class RangeOptions:
    """How to fetch.

    Sizes in bytes, times in seconds; `patience_s` limits the time without progress.
    """

    fetch_bytes: int = 4 * 1024 * 1024
    max_wait_s: float = 0.5
    request_timeout_s: float = 30.0
    patience_s: float = 60.0
    committed_only: bool = False


class RangeFetches:
    """The fetches of one range. `next` returns a response after sending the next fetch."""

    def __init__(self, cluster: Cluster, asked: OffsetRange, options: RangeOptions) -> None:
        self._cluster = cluster
        self._where = TopicPartition(asked.topic, asked.partition)
        self._position = int(asked.start)
        self._end = int(asked.end)
        self._options = options
        self._topic_id = NO_UUID
        self._started = False
        self._coming: asyncio.Task[PartitionData] | None = None
        self._bytes_per_offset = 0.0

    async def next(self) -> FetchedRecords | None:
        """Return the next part of the range, or None at its end.

        Raises:
            BrokerError: OFFSET_OUT_OF_RANGE if records of the range are gone, or another error
                that a retry does not fix.
            RequestTimeout, ConnectionFailed: no progress within the time limit.
        """
        loop = self._cluster.environment.loop
        failures, deadline = (
            0,
            self._cluster.limits.deadline_by(API_TIMEOUT, self._options.patience_s),
        )
        while self._position < self._end:
            coming = self._coming if self._coming is not None else self._ask()
            self._coming = None
            try:
                data = await self._cluster.limits.within(deadline, str(self), coming)
                fetched = self._take(data)
            except KafkaError as error:
                if error.code is ErrorCode.OFFSET_OUT_OF_RANGE:
                    raise await self._gone(deadline) from error
                if not error.retriable or not deadline.left(loop.time()):
                    raise
                failures += 1
                self._cluster.metadata.refresh()
                await asyncio.sleep(self._cluster.retry_wait(failures))
                continue
            if fetched is None and self._is_readable(data) and await self._counts_bytes():
                # The rest of the range lies after the first byte of the last message.
                return None
            if fetched is not None:
                if self._position < self._end:
                    self._coming = self._ask()
                    await asyncio.sleep(0)
                return fetched
            if not deadline.left(loop.time()):
                raise deadline.missed(f"{self}, where no records come: is its end right?")
        return None

    def close(self) -> None:
        """Drop the pending fetch."""
        if self._coming is not None:
            self._coming.cancel()
            self._coming = None

    def __str__(self) -> str:
        name, partition = self._where
        return f"reading {name}-{partition} from offset {self._position} up to {self._end}"

    def _ask(self) -> "asyncio.Task[PartitionData]":
        return self._cluster.environment.loop.create_task(self._fetch())

    async def _fetch(self) -> PartitionData:
        while True:
            response = await self._response()
            data = self._answer(response)
            if data is not None:
                return data
            # The client exceeded its quota: the broker returns nothing before the throttle ends
            # (KIP-219).
            await asyncio.sleep(response.throttle_time_ms / 1000)

    async def _response(self) -> FetchResponse:
        view = await self._leader()
        link = await self._cluster.ready_link(view.leader)
        top = _WITHOUT_TOPIC_IDS if self._topic_id == NO_UUID else None
        version = link.protocol.version_of(ApiKey.FETCH, at_most=top)
        request = self._request(view.leader_epoch)
        seconds = self._options.max_wait_s + self._options.request_timeout_s
        response = await link.ask(request, version=version, timeout_s=seconds)
        assert isinstance(response, FetchResponse)
        return response

    async def _leader(self) -> PartitionView:
        """Return the partition once it has a leader."""
        while True:
            await self._cluster.metadata.know([self._where.topic])
            topic = self._cluster.view.topics[self._where.topic]
            view = self._cluster.view.partition(*self._where)
            if topic.topic_id != NO_UUID:
                # An older range may have left the id of a deleted topic; that does no harm while
                # nothing of this range was read.
                if self._started and self._topic_id not in (NO_UUID, topic.topic_id):
                    what = f"{self}: the topic was deleted and created again meanwhile"
                    raise BrokerError(ErrorCode.OFFSET_OUT_OF_RANGE, what)
                self._topic_id = topic.topic_id
            if view is not None and view.leader in self._cluster.view.brokers:
                return view
            error = topic.error
            if view is None and error is ErrorCode.NONE:
                error = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            elif view is not None:
                error = view.error or ErrorCode.LEADER_NOT_AVAILABLE
            raise BrokerError(error, f"{self}: no leader is known")

    def _request(self, leader_epoch: int) -> FetchRequest:
        size = self._options.fetch_bytes
        if self._bytes_per_offset:
            rest = int((self._end - self._position) * self._bytes_per_offset * 1.1)
            size = min(size, max(_SMALLEST_FETCH, rest + _SMALLEST_FETCH))
        row = FetchPartition(
            partition=self._where.partition,
            current_leader_epoch=leader_epoch,
            fetch_offset=self._position,
            partition_max_bytes=size,
        )
        topic = FetchTopic(topic=self._where.topic, topic_id=self._topic_id, partitions=[row])
        return FetchRequest(
            max_wait_ms=int(self._options.max_wait_s * 1000),
            min_bytes=1,
            max_bytes=size,
            isolation_level=int(self._options.committed_only),
            session_epoch=_NO_SESSION,
            topics=[topic],
            forgotten_topics_data=[],
        )

    def _answer(self, response: FetchResponse) -> PartitionData | None:
        if response.error_code:
            raise BrokerError(response.error_code, str(self))
        for topic in response.responses:
            for data in topic.partitions:
                return data
        if response.throttle_time_ms > 0:
            return None
        raise BrokerError(ErrorCode.UNKNOWN_SERVER_ERROR, f"{self}: the response is empty")

    async def _gone(self, deadline: Deadline) -> BrokerError:
        """The error for missing offsets; it needs a request for the log's bounds."""
        ends = []
        for end in (EARLIEST, LATEST):
            found = await lookup_offsets(
                self._cluster,
                {self._where: end},
                committed_only=self._options.committed_only,
                deadline=deadline,
            )
            ends.append(found[self._where].offset)
        what = f"{self}: the log starts at {ends[0]} and ends at {ends[1]}"
        return BrokerError(ErrorCode.OFFSET_OUT_OF_RANGE, what)

    def _is_readable(self, data: PartitionData) -> bool:
        """Whether the end of the range may be read up to."""
        committed_only = self._options.committed_only
        return (data.last_stable_offset if committed_only else data.high_watermark) >= self._end

    async def _counts_bytes(self) -> bool:
        """Whether the topic has Kafka 0.7's format.

        Other formats return nothing only temporarily.
        """
        topic = DescribeConfigsResource(
            resource_type=Resource.TOPIC, resource_name=self._where.topic,
            configuration_keys=[_FORMAT],
        )  # fmt: skip
        try:
            response = await self._cluster.ask(DescribeConfigsRequest(resources=[topic]))
        except KafkaError:
            # Brokers before 0.11 do not report it; if it was a coincidence, the request is
            # repeated.
            return False
        return any(
            (one.name, one.value) == (_FORMAT, "0.7")
            for result in response.results
            for one in result.configs
        )

    def _take(self, data: PartitionData) -> FetchedRecords | None:
        if data.error_code:
            raise BrokerError(data.error_code, str(self))
        records = records_of(data)
        size, following, epoch = end_of(records)
        if following <= self._position:
            if not size and len(records):
                raise too_large(self._where, self._position, self._options.fetch_bytes)
            return None
        start, self._position = self._position, following
        self._started = True
        self._bytes_per_offset = size / (following - start)
        aborted = tuple(
            (row.producer_id, row.first_offset) for row in data.aborted_transactions or ()
        )
        return FetchedRecords(
            self._where, records[:size], start, following, epoch, data.high_watermark, aborted
        )
