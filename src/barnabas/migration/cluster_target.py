"""ClusterTarget: a topic of a current cluster, over the driver's own connections.

Batches are sent one by one, because each depends on the one before. With a megabyte per batch this
costs little.
"""

import asyncio
from collections.abc import Iterator, Mapping
from typing import Final

from barnabas.client.aio.cluster.cluster import Cluster, check
from barnabas.client.aio.cluster.environment import ClientEnvironment
from barnabas.client.aio.cluster.retries import by_leader, lookup_offsets, persist
from barnabas.client.aio.fetching.ranges import RangeFetches, RangeOptions
from barnabas.client.core.admin.descriptions import EARLIEST, LATEST
from barnabas.client.core.arguments.deadline import Deadline
from barnabas.client.sync.ranges import RangeReader
from barnabas.config.clients import ClientConfig, ConsumerConfig, ProducerConfig
from barnabas.errors import ErrorCode
from barnabas.migration.errors import MigrationStopped
from barnabas.migration.offset_map import BatchProducer
from barnabas.migration.target import TargetOutOfSync
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.init_producer_id import InitProducerIdRequest
from barnabas.protocol.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from barnabas.records.batches.batch import walk
from barnabas.records.columns.columns import BytesColumn, ColumnSelection
from barnabas.runtime.loops.caller_loop import CallerLoop
from barnabas.types import Offset, OffsetRange, TopicPartition

_BY_NAME: Final = 12
"""The last version of Produce that names topics."""
_OUT_OF_STEP: Final = (
    ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
    ErrorCode.DUPLICATE_SEQUENCE_NUMBER,
    ErrorCode.UNKNOWN_PRODUCER_ID,
)
_PAUSE_SECONDS: Final = 0.5
_ALL_REPLICAS: Final = -1


class ClusterTarget:
    """`config`: client properties. Use it from one thread, and `close` it."""

    def __init__(self, config: Mapping[str, object], topic: str) -> None:
        settings = ProducerConfig.load(_known(ProducerConfig, config))
        self._topic = topic
        self._loop = CallerLoop("a migration")
        self._around = ClientEnvironment.real(self._loop.loop)
        self._cluster = Cluster(settings, self._around)
        self._reader = RangeReader(_known(ConsumerConfig, config))
        self._patience_s = settings.delivery_timeout_ms / 1000
        self._timeout_ms = settings.request_timeout_ms

    def bounds(self, partition: int) -> tuple[int, int]:
        """The first and end offset, from ListOffsets."""
        where = TopicPartition(self._topic, partition)
        first, last = (
            self._loop.run(
                lookup_offsets(
                    self._cluster, {where: end}, committed_only=False, deadline=self._deadline()
                )
            )[where].offset
            for end in (EARLIEST, LATEST)
        )
        return first, last

    def last_batch(self, partition: int, end: int) -> tuple[BatchProducer | None, int]:
        """Producer and sequence, from the header of the batch."""
        asked = OffsetRange(self._topic, partition, Offset(end - 1), Offset(end))
        fetches = RangeFetches(self._cluster, asked, RangeOptions())
        fetched = self._loop.run(fetches.next())
        headers = [] if fetched is None else list(walk(fetched.records))
        if not headers or headers[-1].producer_id < 0:
            return None, -1
        last = headers[-1]
        return BatchProducer(last.producer_id, last.producer_epoch), last.last_sequence

    def pause(self) -> None:
        """Wait half a second."""
        self._loop.run(asyncio.sleep(_PAUSE_SECONDS))

    def time_ms(self) -> int:
        """The time of this machine."""
        return self._around.clock.time_ms()

    def new_producer(self) -> BatchProducer:
        """Request a producer id from any broker."""

        async def ask() -> BatchProducer:
            request = InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=2**31 - 1)
            answer = await self._cluster.ask(request)
            check(answer.error_code, "requesting a producer id")
            return BatchProducer(answer.producer_id, answer.producer_epoch)

        what = "requesting a producer id"
        return self._loop.run(persist(self._cluster, self._deadline(), what, ask))

    def append(self, partition: int, batch: bytearray) -> int:
        """Append through the leader, on all in-sync replicas."""
        what = f"writing to {self._topic}-{partition}"
        where = TopicPartition(self._topic, partition)

        async def ask() -> int:
            (leader,) = await by_leader(self._cluster, [where])
            link = await self._cluster.ready_link(leader)
            version = link.protocol.version_of(ApiKey.PRODUCE, at_most=_BY_NAME)
            data = PartitionProduceData(index=partition, records=batch)
            request = ProduceRequest(
                acks=_ALL_REPLICAS,
                timeout_ms=self._timeout_ms,
                topic_data=[TopicProduceData(name=self._topic, partition_data=[data])],
            )
            response = await link.ask(request, version=version)
            (row,) = response.responses[0].partition_responses
            if row.error_code in _OUT_OF_STEP:
                raise TargetOutOfSync(row.error_code, what)
            check(row.error_code, row.error_message or what)
            found: int = row.base_offset
            return found

        return self._loop.run(persist(self._cluster, self._deadline(), what, ask))

    def values(self, partition: int, start: int, end: int) -> Iterator[BytesColumn]:
        """Read the values through the batch reader."""
        wanted = ColumnSelection.KEY | ColumnSelection.VALUE
        for part in self._reader.read(self._topic, partition, start, end, wanted):
            assert part.key is not None
            assert part.value is not None
            if part.key.nulls < part.count or part.value.nulls:
                raise MigrationStopped(
                    f"{self._topic}-{partition} has a record between the offsets {start} and "
                    f"{end} that is not a copy: it has a key, or no value"
                )
            yield part.value

    def _deadline(self) -> Deadline:
        return self._cluster.limits.deadline_by("delivery.timeout.ms", self._patience_s)

    def close(self) -> None:
        """Close the connections."""
        self._cluster.close()
        self._loop.close()
        self._reader.close()


def _known(kind: type[ClientConfig], config: Mapping[str, object]) -> dict[str, object]:
    """The properties that clients of that kind have."""
    return {name: value for name, value in config.items() if kind.find(name)}
