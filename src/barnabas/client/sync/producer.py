"""Producer for plain threads: appends on the caller's thread, sends on the portal's.

The short way of `send` finds an open batch and appends with one call of the kernel. Everything else
(a new batch, no room yet, no metadata yet) takes the long way under a lock.
"""

import asyncio
import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Self, TypeVar

from barnabas.client.aio.asking import known_topic
from barnabas.client.aio.cluster import Cluster
from barnabas.client.aio.courier import Courier
from barnabas.client.aio.flushing import close, flush
from barnabas.client.aio.surroundings import Surroundings
from barnabas.client.core.accumulator import Accumulator
from barnabas.client.core.arrow_columns import ColumnNames
from barnabas.client.core.bulk import Bulk, SentBatches
from barnabas.client.core.cluster_view import TopicView
from barnabas.client.core.delivery import Sent, Settling
from barnabas.client.core.given_record import GivenRecord, Headers, given_record
from barnabas.client.core.producer_batch import ProducerBatch
from barnabas.client.core.producer_options import ProducerOptions
from barnabas.client.core.properties import properties
from barnabas.client.core.retry import Backoff
from barnabas.client.core.sending import Sender
from barnabas.config.clients import ProducerConfig
from barnabas.errors import KafkaError, LocalProtocolError, RequestTimeout
from barnabas.kernels.objects import OpenBatches
from barnabas.ports import Clock
from barnabas.records.checksums import murmur2
from barnabas.records.encoding import Encoded
from barnabas.runtime.portal import Portal
from barnabas.types import TopicPartition

log = logging.getLogger(__name__)

_Found = TypeVar("_Found")
_USUAL = ColumnNames()


class _ThreadWaits:
    """Outcomes are waited for on the caller's thread."""

    def __init__(self, portal: Portal, clock: Clock) -> None:
        self._portal = portal
        self._clock = clock

    def block(self, batch: Settling, index: int, timeout_s: float | None) -> None:
        """Hold this thread until the record has an outcome."""
        deadline = None if timeout_s is None else self._clock.monotonic() + timeout_s
        changed = threading.Event()
        while not batch.done(index):
            self._portal.check()
            changed.clear()
            batch.when_record_settled(index, changed.set)
            left = None if deadline is None else deadline - self._clock.monotonic()
            if not batch.done(index) and not changed.wait(left):
                raise RequestTimeout(f"no outcome within {timeout_s} s; it may come later")

    async def wait(self, batch: Settling, index: int) -> None:
        """Refuse where there is something to wait for."""
        if not batch.done(index):
            raise LocalProtocolError("this delivery belongs to a sync producer: call result()")


class Producer:
    """Sends records, from any number of threads. `with` it, or `close` it.

    Properties are Kafka's ("bootstrap.servers", "acks", "linger.ms", ...), in a mapping or as
    keywords with underscores. Idempotent unless told otherwise: no record is stored twice, and the
    records of a partition keep their order over retries.

    A producer does not survive a fork (its thread stays in the parent) and cannot be pickled: make
    one in each process.
    """

    def __init__(self, config: Mapping[str, object] | None = None, /, **more: object) -> None:
        loaded = ProducerConfig.load(properties(config, more))
        self._options = ProducerOptions.of(loaded)
        self._portal = Portal("this Producer")
        try:
            self._connect(loaded)
        except BaseException:
            self._portal.close()
            raise

    def _connect(self, loaded: ProducerConfig) -> None:
        around = Surroundings.real(self._portal.loop)
        self._cluster = Cluster(loaded, around)
        self._cluster.creates_topics = True
        waits = _ThreadWaits(self._portal, around.clock)
        self._records = Accumulator(self._options, around.entropy, threading.Lock(), waits)
        backoff = Backoff(loaded.retry_backoff_ms, loaded.retry_backoff_max_ms, around.entropy)
        self._sender = Sender(self._options, self._cluster.view, self._records, backoff)
        self._changed = threading.Condition()
        self._blocked = 0
        self._courier = Courier(self._cluster, self._sender, self._options, self._progress)
        self._bulk = Bulk(self._options)
        self._time_ms = around.clock.time_ms
        self._sticky = OpenBatches(self._records.sticky, around.clock.time_ns)
        self._by_partition = self._records.by_partition
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *rest: object) -> None:
        try:
            self.close(None if kind is None else 0)
        except KafkaError as error:
            if kind is None:
                raise
            # Who reads the exception of the block must not find this one in its place.
            log.warning("producer closed early why=%s", error)

    def send(
        self,
        topic: str,
        value: bytes | str | None = None,
        key: bytes | str | None = None,
        partition: int | None = None,
        timestamp_ms: int | None = None,
        headers: Headers = (),
    ) -> Sent:
        """Put a record in line; `result()` of what it gives tells partition and offset.

        Text is sent as UTF-8; a value of None is a tombstone. Waits for metadata and, while
        buffer.memory is full, for room.

        Raises:
            BrokerError: the record is too large, the topic cannot be had, or the producer has
                failed for good.
            TypeError, ValueError: an argument is not what it must be; nothing was put in line.
            RequestTimeout, ConnectionFailed: no room or no metadata for max.block.ms.
        """
        if key is None and partition is None:
            delivery = self._sticky.append(topic, value, timestamp_ms, headers)
            if delivery is not None:
                return delivery
        return self._send(topic, value, key, partition, timestamp_ms, headers)

    def send_arrow(
        self, topic: str, data: Any, names: ColumnNames = _USUAL, **columns: Any
    ) -> SentBatches:
        """Put all rows of a pyarrow Table or RecordBatch in line as records, without an object each.

        Which columns are key, value, headers (list of structs of key and value, or map), timestamp
        and partition is told by `names` or by keywords (`key="id"`, `partition="p"` or `partition=3`);
        columns that are not there are left out. Rows without partition go by key, as with `send`.
        Blocks while buffer.memory is full. The order within a partition is that of the rows.

        Raises:
            BrokerError: a row is too large or for a partition that is not there. Rows of partitions
                encoded before are in line all the same.
            RequestTimeout: no room for max.block.ms.
        """
        self._portal.check()
        chosen = replace(names, **columns) if columns else names
        view = self._known(topic)
        batches = []
        count = 0
        for where, encoded in self._bulk.encoded(view, data, chosen, self._time_ms()):
            batch = self._add(where, encoded) or self._when_there_is_room(
                partial(self._add, where, encoded)
            )
            batches.append(batch)
            count += encoded.count
        return SentBatches(count, tuple(batches))

    def flush(self, timeout_s: float | None = None) -> None:
        """Send all that is in line and wait until all of it is stored or has failed.

        Raises:
            RequestTimeout: it takes longer than `timeout_s` seconds; sending goes on.
            BrokerError: records failed whose result nobody asked; the message counts them.
        """
        self._portal.call(flush(self._records, self._sender, self._courier, timeout_s))

    def close(self, timeout_s: float | None = None) -> None:
        """Take no more records, flush, then end connections and thread; errors as `flush`.

        Every record has its outcome then: what is not stored in time has failed. A second call does
        nothing.
        """
        if self._closed:
            return
        self._closed = True
        with self._changed:
            self._changed.notify_all()
        try:
            self._portal.call(close(self._records, self._sender, self._courier, timeout_s))
        finally:
            self._portal.close()

    def _open_batch(self, topic: str, partition: int | None, key: bytes | None) -> Any:
        opened = self._by_partition.get(topic)
        if not opened:
            return None
        if partition is not None:
            return opened[partition] if 0 <= partition < len(opened) else None
        if key is None or self._options.ignore_keys:
            return self._sticky.by_topic.get(topic)
        return opened[(murmur2(key) & 0x7FFFFFFF) % len(opened)]

    def _send(
        self,
        topic: str,
        value: bytes | str | None,
        key: bytes | str | None,
        partition: int | None,
        timestamp_ms: int | None,
        headers: Headers,
    ) -> Sent:
        record = given_record(topic, key, value, timestamp_ms, headers, self._time_ms)
        appender = self._open_batch(topic, partition, record[1])
        if appender is not None:
            appended: Sent | None = appender.append(*record)
            if appended is not None:
                return appended
        self._portal.check()
        view = self._known(topic)
        delivery = self._append(view, partition, record)
        if delivery is not None:
            return delivery
        return self._when_there_is_room(partial(self._append, view, partition, record))

    def _known(self, topic: str) -> TopicView:
        view = self._cluster.view.topics.get(topic)
        return (
            view if view is not None and view.partitions else self._portal.call(self._learn(topic))
        )

    def _append(self, view: TopicView, partition: int | None, record: GivenRecord) -> Sent | None:
        self._check_usable()
        delivery = self._records.append(view, partition, record, self._portal.loop.time())
        self._tell_news()
        return delivery

    def _add(self, where: TopicPartition, encoded: Encoded) -> ProducerBatch | None:
        self._check_usable()
        now = self._portal.loop.time()
        batch = self._records.add_built(where, encoded.batch, encoded.count, now)
        self._tell_news()
        return batch

    def _when_there_is_room(self, attempt: Callable[[], _Found | None]) -> _Found:
        """Try until there is room; holds this thread for up to max.block.ms."""
        clock = self._cluster.around.clock
        deadline = clock.monotonic() + self._options.max_block_s
        # Room may come between the try and the wait; so the try is under the lock of the wait too.
        with self._changed:
            self._blocked += 1
            try:
                while (found := attempt()) is None:
                    if not self._changed.wait(deadline - clock.monotonic()):
                        raise RequestTimeout(
                            f"no room in buffer.memory ({self._options.buffer_memory} bytes) for "
                            f"max.block.ms ({self._options.max_block_s:g} s): the brokers take "
                            "records more slowly than they are sent, or not at all"
                        )
            finally:
                self._blocked -= 1
        return found

    def _check_usable(self) -> None:
        if self._closed:
            raise LocalProtocolError("the producer is closed")
        if self._courier.fatal is not None:
            raise self._courier.fatal

    def _tell_news(self) -> None:
        if self._records.news:
            self._records.news = False
            self._courier.poke()

    async def _learn(self, topic: str) -> TopicView:
        seconds = self._options.max_block_s
        learning = asyncio.ensure_future(known_topic(self._cluster, topic))
        return await self._cluster.within(seconds, f"asking for topic {topic}", learning)

    def _progress(self) -> None:
        """On the loop's thread: an answer came."""
        if self._blocked:
            with self._changed:
                self._changed.notify_all()

    def __reduce__(self) -> Any:
        raise TypeError("a Producer holds connections: make one where it is used, do not pickle it")
