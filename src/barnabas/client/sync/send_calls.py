"""The calls of Producer that queue records, for threads.

The fast path of `send` finds an open batch and appends with one kernel call. Everything else (a new
batch, no space or metadata yet) takes the slow path under a lock.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from barnabas.client.aio.cluster.topics import MISSING_S, topic_within
from barnabas.client.aio.producer.producer_core import ProducerCore
from barnabas.client.core.arguments.deadline import MAX_BLOCK, Deadline
from barnabas.client.core.arguments.record_input import (
    GivenRecord,
    Headers,
    checked_partition,
    given_record,
)
from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.client.core.producer.arrow_columns import ColumnNames
from barnabas.client.core.producer.bulk_encoder import SentBatches
from barnabas.client.core.producer.delivery import Sent
from barnabas.client.core.producer.partitioners import partition_of_key
from barnabas.client.core.producer.producer_batch import ProducerBatch
from barnabas.client.core.producer.producer_options import ProducerOptions
from barnabas.client.sync.buffer_space import BufferSpace
from barnabas.kernels.batches.objects import OpenBatches, RecordAppender
from barnabas.ports import Clock
from barnabas.records.columns.encoding import Encoded
from barnabas.runtime.loops.deferred_signals import DeferredSignals
from barnabas.runtime.loops.portal import Portal
from barnabas.types import TopicPartition

_Found = TypeVar("_Found")
_USUAL = ColumnNames()


class CallerSendCalls:
    """Queue records on the caller's thread; the portal's thread sends them.

    `_sticky` and `_by_partition` are the open batches: see `Accumulator`.
    """

    _core: ProducerCore
    _portal: Portal
    _clock: Clock
    _room: BufferSpace
    _options: ProducerOptions
    _topics: dict[str, TopicView]
    _time_ms: Callable[[], int]
    _sticky: OpenBatches
    _by_partition: dict[str, list[RecordAppender | None]]

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

    def _open_batch(self, topic: str, partition: int | None, key: bytes | None) -> Any:
        opened = self._by_partition.get(topic)
        if not opened:
            return None
        if partition is not None:
            return opened[partition] if 0 <= partition < len(opened) else None
        if key is None or self._options.ignore_keys:
            return self._sticky.by_topic.get(topic)
        return opened[partition_of_key(key, len(opened))]

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
