"""Producer for asyncio. `client.sync.producer` has the same calls for threads."""

import asyncio
import atexit
import logging
import sys
import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Never, Self
from weakref import WeakSet

from barnabas.client.aio.cluster.environment import ClientEnvironment
from barnabas.client.aio.cluster.topics import MISSING_S, known_topic, topic_within
from barnabas.client.aio.cluster.wake import Wake
from barnabas.client.aio.producer.producer_core import ProducerCore
from barnabas.client.aio.producer.transactional import Transactional
from barnabas.client.core.arguments.deadline import MAX_BLOCK, Deadline
from barnabas.client.core.arguments.properties import properties
from barnabas.client.core.arguments.record_input import (
    GivenRecord,
    Headers,
    checked_partition,
    given_record,
)
from barnabas.client.core.arguments.unsupported_calls import (
    PRODUCER,
    refuse_arguments,
    unsupported_attribute,
)
from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.client.core.metrics import Metrics
from barnabas.client.core.producer.arrow_columns import ColumnNames
from barnabas.client.core.producer.bulk_encoder import SentBatches
from barnabas.client.core.producer.delivery import DeliverySource, SentAsync
from barnabas.client.core.producer.producer_batch import ProducerBatch
from barnabas.config.clients import ProducerConfig
from barnabas.errors import KafkaError, LocalProtocolError
from barnabas.records.columns.encoding import Encoded
from barnabas.types import TopicPartition

log = logging.getLogger(__name__)

_USUAL = ColumnNames()
_ROOM = "space in buffer.memory"
_LEFT = "its event loop ended without close() of the producer"


class _LoopWaits:
    """Outcomes are awaited, never waited for on the loop's own thread."""

    def block(self, batch: DeliverySource, index: int, timeout_s: float | None) -> None:  # noqa: ARG002
        """Refuse if it would have to wait."""
        if not batch.done(index):
            what = "this delivery belongs to an asyncio producer: await it"
            raise LocalProtocolError(what)

    async def wait(self, batch: DeliverySource, index: int) -> None:
        """Return when the record has an outcome."""
        loop = asyncio.get_running_loop()
        while not batch.done(index):
            future: asyncio.Future[None] = loop.create_future()
            batch.when_record_settled(index, Wake(future))
            await future


class Producer(Transactional):
    """Sends records.

    Use it in an `async with`, or `close` it; records not flushed by then are lost.

    Properties have Kafka's names ("bootstrap.servers", "acks", "linger.ms", ...), in a mapping or
    as keywords with underscores. By default it is idempotent: no record is stored twice, and
    records of a partition keep their order over retries. Make all calls from the loop it was
    created on.
    """

    _open = False

    def __init__(
        self,
        config: Mapping[str, object] | None = None,
        /,
        *,
        environment: ClientEnvironment | None = None,
        **more: object,
    ) -> None:
        loaded = ProducerConfig.load(properties(config, more))
        environment = environment or ClientEnvironment.here("Producer")
        self._core = ProducerCore(loaded, environment, None, _LoopWaits(), self._progress)
        self._options = self._core.options
        self._cluster = self._core.cluster
        self._blocked: list[Wake] = []
        self._time_ms = environment.clock.time_ms
        self._encoding = asyncio.Lock()
        self._open = True
        _living.add(self._core)

    def __del__(self) -> None:
        if self._open and not sys.is_finalizing():
            warnings.warn("a Producer was dropped without close()", ResourceWarning, stacklevel=2)
            self._core.mourn(_LEFT)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: object, *rest: object) -> None:
        try:
            await self.close(None if kind is None else 0)
        except KafkaError as error:
            if kind is None:
                raise
            # The exception of the block must not be replaced by this one.
            log.warning("producer closed early why=%s", error)

    async def send(
        self,
        topic: str,
        value: bytes | str | None = None,
        key: bytes | str | None = None,
        partition: int | None = None,
        timestamp_ms: int | None = None,
        headers: Headers = (),
    ) -> SentAsync:
        """Queue a record; await the returned object to get its partition and offset.

        Text is sent as UTF-8; a value of None is a tombstone. Waits for metadata and, while
        buffer.memory is full, for space.

        Raises:
            BrokerError: the record is too large, the topic is unavailable, or the producer has failed.
            TypeError, ValueError: an argument is invalid; nothing was queued.
            RequestTimeout, ConnectionFailed: no space or metadata within max.block.ms.
        """
        checked_partition(partition)
        record = given_record(topic, key, value, timestamp_ms, headers, self._time_ms)
        view = self._cluster.view.topics.get(topic)
        known = view is not None and len(view.partitions) > (partition or 0)
        if view is not None and known:
            delivery: SentAsync | None = self._core.append(view, partition, record)
            if delivery is not None:
                return delivery
        deadline = self._deadline()
        if not known:
            what = f"sending to {topic}, waiting for metadata"
            await topic_within(self._cluster, topic, deadline, what, partition=partition)
        waiting = asyncio.ensure_future(self._append_when_possible(topic, partition, record))
        what = f"sending to {topic}, waiting for {_ROOM}"
        return await self._cluster.limits.within(deadline, what, waiting)

    async def send_arrow(
        self, topic: str, data: Any, names: ColumnNames = _USUAL, **columns: Any
    ) -> SentBatches:
        """Queue the rows of a pyarrow Table or RecordBatch, without an object per row.

        `names` or keywords choose the columns (key, value, headers, timestamp, partition); missing
        ones are skipped. Waits while buffer.memory is full.

        Raises:
            BrokerError: a row is too large or for a missing partition.
            RequestTimeout, ConnectionFailed: no space for the next rows, or no metadata, within
                max.block.ms.
        """
        chosen = replace(names, **columns) if columns else names
        deadline = self._deadline()
        view = await self._known(topic, deadline, partition=chosen.highest_partition(data))
        batches = []
        count = 0
        encoding = self._core.bulk.encoded(view, data, chosen, self._time_ms())
        loop = self._cluster.environment.loop
        while True:
            # One call at a time: they share the partition for rows without a key.
            async with self._encoding:
                found = await loop.run_in_executor(None, next, encoding, None)
            if found is None:
                break
            where, encoded = found
            adding = asyncio.ensure_future(self._add_when_possible(where, encoded))
            what = f"sending to {topic}, waiting for {_ROOM}"
            batches.append(await self._cluster.limits.within(deadline, what, adding))
            deadline = self._deadline()
            count += encoded.count
        return SentBatches(count, tuple(batches))

    async def partitions_for(self, topic: str) -> list[TopicPartition]:
        """Return the partitions of a topic; errors as in `send`, but a missing topic fails soon."""
        view = await self._known(topic, self._deadline(), patience_s=MISSING_S)
        return [TopicPartition(topic, each.partition) for each in view.partitions]

    def metrics(self) -> Metrics:
        """Return counters so far: requests, bytes, stored records, average latency."""
        return self._core.metrics()

    async def flush(self, timeout_s: float | None = None, **foreign: Never) -> None:
        """Send everything queued and wait until all of it is stored or has failed.

        Raises:
            RequestTimeout: it takes longer than `timeout_s` seconds; sending continues.
            BrokerError: records failed whose Delivery was never awaited; the message counts them.
        """
        if foreign:
            refuse_arguments("flush", foreign)
        await self._core.flush(timeout_s)

    async def close(self, timeout_s: float | None = None, **foreign: Never) -> None:
        """Refuse further records, flush, then close the connections; errors as in `flush`.

        Every record then has its outcome: those not stored in time have failed. A second call does
        nothing.
        """
        if foreign:
            refuse_arguments("close", foreign)
        if self._open:
            self._open = False
            self._core.closed = True
            await self._core.close(timeout_s)

    async def _known(
        self,
        topic: str,
        deadline: Deadline,
        patience_s: float | None = None,
        partition: int | None = None,
    ) -> TopicView:
        what = f"requesting topic {topic}"
        return await topic_within(
            self._cluster, topic, deadline, what, patience_s=patience_s, partition=partition
        )

    def _deadline(self) -> Deadline:
        return self._cluster.limits.deadline_by(MAX_BLOCK, self._options.max_block_s)

    async def _add_when_possible(self, where: TopicPartition, encoded: Encoded) -> ProducerBatch:
        while True:
            batch = self._core.add(where, encoded)
            if batch is not None:
                return batch
            await self._room()

    async def _room(self) -> None:
        future: asyncio.Future[None] = self._cluster.environment.loop.create_future()
        self._blocked.append(Wake(future))
        await future

    async def _append_when_possible(
        self, topic: str, partition: int | None, record: GivenRecord
    ) -> SentAsync:
        while True:
            view = await known_topic(self._cluster, topic)
            delivery: SentAsync | None = self._core.append(view, partition, record)
            if delivery is not None:
                return delivery
            await self._room()

    def _progress(self) -> None:
        if self._blocked:
            blocked, self._blocked = self._blocked, []
            for wake in blocked:
                wake()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Never:
            unsupported_attribute("Producer", PRODUCER, name)

    def __reduce__(self) -> Any:
        raise TypeError(
            "a Producer holds connections: create one where you use it, do not pickle it"
        )


_living: WeakSet[ProducerCore] = WeakSet()


def _mourn_all() -> None:
    """At the end of the program, report what unclosed producers lose."""
    for core in list(_living):
        core.mourn(_LEFT)


atexit.register(_mourn_all)
