"""Producer for threads: appends on the caller's thread, sends on the portal's.

The fast path of `send` finds an open batch and appends with one kernel call. Everything else (a new
batch, no space or metadata yet) takes the slow path under a lock.
"""

import logging
import sys
import threading
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Never, Self, TypeVar

from barnabas.client.aio.cluster.environment import ClientEnvironment
from barnabas.client.aio.cluster.topics import MISSING_S, topic_within
from barnabas.client.aio.producer.producer_core import ProducerCore
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
from barnabas.client.core.producer.delivery import DeliverySource, Sent
from barnabas.client.core.producer.partitioners import partition_of_key
from barnabas.client.core.producer.producer_batch import ProducerBatch
from barnabas.client.sync.buffer_space import BufferSpace
from barnabas.client.sync.exit_flush import UnsentRecords
from barnabas.client.sync.transactional import Transactional
from barnabas.config.clients import ProducerConfig
from barnabas.errors import KafkaError, LocalProtocolError, RequestTimeout
from barnabas.kernels.batches.objects import OpenBatches
from barnabas.ports import Clock
from barnabas.records.columns.encoding import Encoded
from barnabas.runtime.loops.deferred_signals import DeferredSignals
from barnabas.runtime.loops.portal import Portal
from barnabas.types import TopicPartition

log = logging.getLogger(__name__)

_Found = TypeVar("_Found")
_USUAL = ColumnNames()


class _ThreadWaits:
    """Wait for outcomes on the caller's thread."""

    def __init__(self, portal: Portal, clock: Clock) -> None:
        self._portal = portal
        self._clock = clock
        self._of_thread = threading.local()

    def block(self, batch: DeliverySource, index: int, timeout_s: float | None) -> None:
        """Block this thread until the record has an outcome."""
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
        """This thread's event, reused: an earlier wait may set it too early."""
        found: threading.Event | None = getattr(self._of_thread, "changed", None)
        if found is None:
            found = self._of_thread.changed = threading.Event()
        return found

    async def wait(self, batch: DeliverySource, index: int) -> None:
        """Refuse if it would have to wait."""
        if not batch.done(index):
            raise LocalProtocolError("this delivery belongs to a sync producer: call result()")


class Producer(Transactional):
    """Sends records, from any number of threads. Use it in a `with`, or `close` it.

    Properties have Kafka's names ("bootstrap.servers", "acks", "linger.ms", ...), in a mapping or
    as keywords with underscores. By default it is idempotent: no record is stored twice, and
    records of a partition keep their order over retries.

    A producer does not survive a fork (its thread stays in the parent) and cannot be pickled:
    create one in each process.
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
        # Nothing that the loop calls may refer to this object, so that it is collected when unused.
        environment = ClientEnvironment.real(self._portal.loop)
        self._clock = environment.clock
        self._room = BufferSpace(environment.clock)
        waits = _ThreadWaits(self._portal, environment.clock)
        core = ProducerCore(loaded, environment, threading.Lock(), waits, self._room.changed)
        self._core = core
        self._line = UnsentRecords(self._portal, core)
        self._options = core.options
        self._topics = core.cluster.view.topics
        self._time_ms = environment.clock.time_ms
        self._sticky = OpenBatches(core.records.sticky, environment.clock.time_ns)
        self._by_partition = core.records.by_partition

    def __del__(self) -> None:
        if self._open and self._portal.here and not sys.is_finalizing():
            warnings.warn("a Producer was dropped without close()", ResourceWarning, stacklevel=2)
            self._portal.leave(partial(self._core.drop, "the producer was dropped without close()"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *rest: object) -> None:
        try:
            self.close(None if kind is None else 0)
        except KafkaError as error:
            if kind is None:
                raise
            # The exception of the block must not be replaced by this one.
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
        """Queue a record; `result()` of the returned object gives partition and offset.

        Text is sent as UTF-8; a value of None is a tombstone. Waits for metadata and, while
        buffer.memory is full, for space.

        Raises:
            BrokerError: the record is too large, the topic is unavailable, or the producer has failed.
            TypeError, ValueError: an argument is invalid; nothing was queued.
            RequestTimeout, ConnectionFailed: no space or metadata within max.block.ms.
        """
        if key is None and partition is None:
            delivery = self._sticky.append(topic, value, timestamp_ms, headers)
            if delivery is not None:
                return delivery
        return self._send(topic, value, key, partition, timestamp_ms, headers)

    def send_arrow(
        self, topic: str, data: Any, names: ColumnNames = _USUAL, **columns: Any
    ) -> SentBatches:
        """Queue the rows of a pyarrow Table or RecordBatch, without an object per row.

        `names` or keywords (`key="id"`, `partition="p"` or `partition=3`) choose the columns for
        key, value, headers (a list of structs of key and value, or a map), timestamp and partition;
        missing columns are skipped. Rows without partition go by key, as in `send`. Blocks while
        buffer.memory is full. Rows of a partition keep their order.

        Raises:
            BrokerError: a row is too large, or for a missing partition. Rows of partitions encoded
                before are queued nevertheless.
            RequestTimeout, ConnectionFailed: no space for the next rows, or no metadata, within
                max.block.ms.
        """
        self._portal.check()
        chosen = replace(names, **columns) if columns else names
        deadline = self._deadline()
        view = self._known(topic, deadline, partition=chosen.highest_partition(data))
        batches = []
        count = 0
        for where, encoded in self._core.bulk.encoded(view, data, chosen, self._time_ms()):
            batch = self._add(where, encoded)
            batches.append(batch or self._wait(partial(self._add, where, encoded), deadline))
            deadline = self._deadline()
            count += encoded.count
        return SentBatches(count, tuple(batches))

    def partitions_for(self, topic: str) -> list[TopicPartition]:
        """Return the partitions of a topic; errors as in `send`, but a missing topic fails soon."""
        self._portal.check()
        view = self._known(topic, self._deadline(), patience_s=MISSING_S)
        return [TopicPartition(topic, each.partition) for each in view.partitions]

    def metrics(self) -> Metrics:
        """Return counters so far: requests, bytes, stored records, average latency. Any thread."""
        return self._core.metrics()

    def flush(self, timeout_s: float | None = None, **foreign: Never) -> None:
        """Send everything queued and wait until all of it is stored or has failed.

        Raises:
            RequestTimeout: it takes longer than `timeout_s` seconds; sending continues.
            BrokerError: records failed whose result was never requested; the message counts them.
        """
        if foreign:
            refuse_arguments("flush", foreign)
        self._portal.call(self._core.flush(timeout_s))

    def close(self, timeout_s: float | None = None, **foreign: Never) -> None:
        """Refuse further records, flush, then close connections and thread; errors as in `flush`.

        Every record then has its outcome: those not stored in time have failed. A second call does
        nothing.
        """
        if foreign:
            refuse_arguments("close", foreign)
        if not self._open:
            return
        self._open = False
        self._core.closed = True
        self._room.changed()
        try:
            self._portal.call(self._core.close(timeout_s))
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
        view = self._known(topic, deadline, partition=partition)
        delivery = self._append(view, partition, record)
        return delivery or self._wait(partial(self._append, view, partition, record), deadline)

    def _append(self, view: TopicView, partition: int | None, record: GivenRecord) -> Sent | None:
        with DeferredSignals():  # A partly queued batch would never be sent, nor expire.
            delivery: Sent | None = self._core.append(view, partition, record)
        return delivery

    def _add(self, where: TopicPartition, encoded: Encoded) -> ProducerBatch | None:
        with DeferredSignals():
            return self._core.add(where, encoded)

    def _deadline(self) -> Deadline:
        return Deadline.after(self._clock.monotonic(), self._options.max_block_s, MAX_BLOCK)

    def _known(
        self,
        topic: str,
        deadline: Deadline,
        patience_s: float | None = None,
        partition: int | None = None,
    ) -> TopicView:
        view = self._topics.get(topic)
        if view is not None and len(view.partitions) > (partition or 0):
            return view
        what = f"requesting topic {topic}"
        cluster = self._core.cluster
        return self._portal.call(
            topic_within(cluster, topic, deadline, what, patience_s=patience_s, partition=partition)
        )

    def _wait(self, attempt: Callable[[], _Found | None], deadline: Deadline) -> _Found:
        return self._room.wait(attempt, deadline, self._options.buffer_memory)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Never:
            unsupported_attribute("Producer", PRODUCER, name)

    def __reduce__(self) -> Any:
        raise TypeError(
            "a Producer holds connections: create one where you use it, do not pickle it"
        )
