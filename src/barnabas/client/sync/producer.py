"""Producer for plain threads: appends on the caller's thread, sends on the portal's.

The short way of `send` finds an open batch and appends with one call of the kernel. Everything else
(a new batch, no room yet, no metadata yet) takes the long way under a lock.
"""

import asyncio
import logging
import sys
import threading
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Never, Self, TypeVar

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.cluster.environment import Surroundings
from barnabas.client.aio.cluster.retries import known_topic
from barnabas.client.aio.producer.producer_core import Shipping
from barnabas.client.core.arguments.deadline import MAX_BLOCK, Deadline
from barnabas.client.core.arguments.not_there import PRODUCER, missing, refuse_arguments
from barnabas.client.core.arguments.properties import properties
from barnabas.client.core.arguments.record_input import (
    GivenRecord,
    Headers,
    checked_partition,
    given_record,
)
from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.client.core.metrics import Metrics
from barnabas.client.core.producer.arrow_columns import ColumnNames
from barnabas.client.core.producer.bulk import SentBatches
from barnabas.client.core.producer.delivery import Sent, Settling
from barnabas.client.core.producer.partitioners import partition_of_key
from barnabas.client.core.producer.producer_batch import ProducerBatch
from barnabas.client.sync.last_flush import Line
from barnabas.client.sync.room import Room
from barnabas.client.sync.transactional import Transactional
from barnabas.config.clients import ProducerConfig
from barnabas.errors import KafkaError, LocalProtocolError, RequestTimeout
from barnabas.kernels.objects import OpenBatches
from barnabas.ports import Clock
from barnabas.records.columns.encoding import Encoded
from barnabas.runtime.loops.deferred_signals import DeferredSignals
from barnabas.runtime.loops.portal import Portal
from barnabas.types import TopicPartition

log = logging.getLogger(__name__)

_Found = TypeVar("_Found")
_USUAL = ColumnNames()


class _ThreadWaits:
    """Outcomes are waited for on the caller's thread."""

    def __init__(self, portal: Portal, clock: Clock) -> None:
        self._portal = portal
        self._clock = clock
        self._of_thread = threading.local()

    def block(self, batch: Settling, index: int, timeout_s: float | None) -> None:
        """Hold this thread until the record has an outcome."""
        if batch.done(index):
            return
        deadline = None if timeout_s is None else self._clock.monotonic() + timeout_s
        changed = self._changed()
        while not batch.done(index):
            self._portal.check()
            changed.clear()
            batch.when_record_settled(index, changed.set)
            left = None if deadline is None else deadline - self._clock.monotonic()
            if not batch.done(index) and not changed.wait(left):
                raise RequestTimeout(
                    f"no outcome of the record within {timeout_s} s (timeout_s); it may come later"
                )

    def _changed(self) -> threading.Event:
        """This thread's, used again and again: what a former wait left behind may set it early."""
        found: threading.Event | None = getattr(self._of_thread, "changed", None)
        if found is None:
            found = self._of_thread.changed = threading.Event()
        return found

    async def wait(self, batch: Settling, index: int) -> None:
        """Refuse where there is something to wait for."""
        if not batch.done(index):
            raise LocalProtocolError("this delivery belongs to a sync producer: call result()")


class Producer(Transactional):
    """Sends records, from any number of threads. `with` it, or `close` it.

    Properties are Kafka's ("bootstrap.servers", "acks", "linger.ms", ...), in a mapping or as
    keywords with underscores. Idempotent unless told otherwise: no record is stored twice, and the
    records of a partition keep their order over retries.

    A producer does not survive a fork (its thread stays in the parent) and cannot be pickled: make
    one in each process.
    """

    _open = False

    def __init__(self, config: Mapping[str, object] | None = None, /, **more: object) -> None:
        loaded = ProducerConfig.load(properties(config, more))
        self._portal = Portal("this Producer")
        try:
            self._connect(loaded)
        except BaseException:
            self._portal.close()
            raise
        self._open = True

    def _connect(self, loaded: ProducerConfig) -> None:
        # Nothing that the loop calls may lead to this object: it is to end when nobody uses it.
        around = Surroundings.real(self._portal.loop)
        self._clock = around.clock
        self._room = Room(around.clock)
        waits = _ThreadWaits(self._portal, around.clock)
        shipping = Shipping(loaded, around, threading.Lock(), waits, self._room.changed)
        self._shipping = shipping
        self._line = Line(self._portal, shipping)
        self._options = shipping.options
        self._topics = shipping.cluster.view.topics
        self._time_ms = around.clock.time_ms
        self._sticky = OpenBatches(shipping.records.sticky, around.clock.time_ns)
        self._by_partition = shipping.records.by_partition

    def __del__(self) -> None:
        if self._open and self._portal.here and not sys.is_finalizing():
            warnings.warn("a Producer was dropped without close()", ResourceWarning, stacklevel=2)
            self._portal.leave(
                partial(self._shipping.drop, "the producer was dropped without close()")
            )

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
        """Put the rows of a pyarrow Table or RecordBatch in line, without an object each.

        Which columns are key, value, headers (list of structs of key and value, or map), timestamp
        and partition is told by `names` or by keywords (`key="id"`, `partition="p"` or
        `partition=3`); columns that are not there are left out. Rows without partition go by key,
        as with `send`. Blocks while buffer.memory is full. The order within a partition is that of
        the rows.

        Raises:
            BrokerError: a row is too large or for a partition that is not there. Rows of partitions
                encoded before are in line all the same.
            RequestTimeout, ConnectionFailed: no room for the next rows, or no metadata, for
                max.block.ms.
        """
        self._portal.check()
        chosen = replace(names, **columns) if columns else names
        deadline = self._deadline()
        view = self._known(topic, deadline)
        batches = []
        count = 0
        for where, encoded in self._shipping.bulk.encoded(view, data, chosen, self._time_ms()):
            batch = self._add(where, encoded)
            batches.append(batch or self._wait(partial(self._add, where, encoded), deadline))
            deadline = self._deadline()
            count += encoded.count
        return SentBatches(count, tuple(batches))

    def partitions_for(self, topic: str) -> list[TopicPartition]:
        """The partitions of a topic; errors as `send`."""
        self._portal.check()
        view = self._known(topic, self._deadline())
        return [TopicPartition(topic, each.partition) for each in view.partitions]

    def metrics(self) -> Metrics:
        """What was done so far: requests, bytes, records that were stored, the average latency."""
        return self._shipping.metrics()

    def flush(self, timeout_s: float | None = None, **foreign: Never) -> None:
        """Send all that is in line and wait until all of it is stored or has failed.

        Raises:
            RequestTimeout: it takes longer than `timeout_s` seconds; sending goes on.
            BrokerError: records failed whose result nobody asked; the message counts them.
        """
        if foreign:
            refuse_arguments("flush", foreign)
        self._portal.call(self._shipping.flush(timeout_s))

    def close(self, timeout_s: float | None = None, **foreign: Never) -> None:
        """Take no more records, flush, then end connections and thread; errors as `flush`.

        Every record has its outcome then: what is not stored in time has failed. A second call does
        nothing.
        """
        if foreign:
            refuse_arguments("close", foreign)
        if not self._open:
            return
        self._open = False
        self._shipping.closed = True
        self._room.changed()
        try:
            self._portal.call(self._shipping.close(timeout_s))
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
        return opened[partition_of_key(key, len(opened))]

    def _send(
        self,
        topic: str,
        value: bytes | str | None,
        key: bytes | str | None,
        partition: int | None,
        timestamp_ms: int | None,
        headers: Headers,
    ) -> Sent:
        checked_partition(partition)
        record = given_record(topic, key, value, timestamp_ms, headers, self._time_ms)
        appender = self._open_batch(topic, partition, record[1])
        if appender is not None:
            appended: Sent | None = appender.append(*record)
            if appended is not None:
                return appended
        self._portal.check()
        deadline = self._deadline()
        view = self._known(topic, deadline)
        delivery = self._append(view, partition, record)
        return delivery or self._wait(partial(self._append, view, partition, record), deadline)

    def _append(self, view: TopicView, partition: int | None, record: GivenRecord) -> Sent | None:
        with DeferredSignals():  # Half of a batch put in line would never be sent, nor given up.
            delivery: Sent | None = self._shipping.append(view, partition, record)
        return delivery

    def _add(self, where: TopicPartition, encoded: Encoded) -> ProducerBatch | None:
        with DeferredSignals():
            return self._shipping.add(where, encoded)

    def _deadline(self) -> Deadline:
        return Deadline.after(self._clock.monotonic(), self._options.max_block_s, MAX_BLOCK)

    def _known(self, topic: str, deadline: Deadline) -> TopicView:
        view = self._topics.get(topic)
        if view is not None and view.partitions:
            return view
        return self._portal.call(_learned(self._shipping.cluster, topic, deadline))

    def _wait(self, attempt: Callable[[], _Found | None], deadline: Deadline) -> _Found:
        return self._room.wait(attempt, deadline, self._options.buffer_memory)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Never:
            missing("Producer", PRODUCER, name)

    def __reduce__(self) -> Any:
        raise TypeError("a Producer holds connections: make one where it is used, do not pickle it")


async def _learned(cluster: Cluster, topic: str, deadline: Deadline) -> TopicView:
    learning = asyncio.ensure_future(known_topic(cluster, topic))
    return await cluster.limits.within(deadline, f"asking for topic {topic}", learning)
