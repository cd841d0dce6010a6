"""Encode Arrow data into batches, and track their common outcome."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.client.core.producer.arrow_columns import ColumnNames
from barnabas.client.core.producer.delivery import RecordMetadata
from barnabas.client.core.producer.producer_batch import ProducerBatch
from barnabas.client.core.producer.producer_options import ProducerOptions
from barnabas.errors import BrokerError, ErrorCode
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.records.columns.encoding import Encoded, EncodeOptions, Partitioner, encode_arrow
from barnabas.types import TopicPartition


@dataclass(frozen=True, slots=True)
class SentBatches:
    """Records queued together; `count` of them."""

    count: int
    batches: tuple[ProducerBatch, ...]

    def done(self) -> bool:
        """Whether all are stored or have failed."""
        return all(batch.settled for batch in self.batches)

    def result(self, timeout_s: float | None = None) -> list[RecordMetadata]:
        """Wait until all are stored, up to `timeout_s` seconds each; return where each batch starts.

        Raises:
            RequestTimeout: the outcome is not known yet.
            KafkaError: some were not delivered.
        """
        for batch in self.batches:
            batch.result(batch.count - 1, -1, timeout_s)
        return [batch.result(0, batch.first_timestamp, timeout_s) for batch in self.batches]


class BulkEncoder:
    """Encodes for one producer; remembers each topic's next partition for records without a key."""

    def __init__(self, options: ProducerOptions) -> None:
        self._options = EncodeOptions(
            options.codec,
            options.level,
            options.batch_size,
            sealed=not options.idempotent,
            transactional=options.transactional_id is not None,
        )
        self._largest = options.max_request_size
        self._partitioners: dict[str, Partitioner] = {}

    def encoded(
        self, topic: TopicView, data: Any, names: ColumnNames, now_ms: int
    ) -> Iterator[tuple[TopicPartition, Encoded]]:
        """Yield the batches of Arrow data, partition by partition.

        Raises:
            BrokerError: a row is too large, or for a missing partition. The batches before were
                yielded.
        """
        partitioner = self._partitioners.get(topic.name)
        if partitioner is None or partitioner.count != len(topic.partitions):
            partitioner = self._partitioners[topic.name] = Partitioner(len(topic.partitions))
        try:
            for columns in names.chunks(data):
                for each in encode_arrow(
                    columns, partitioner=partitioner, options=self._options, now_ms=now_ms
                ):
                    self._check(topic.name, each)
                    yield TopicPartition(topic.name, each.partition), each
        except RefusedRecords as error:
            raise BrokerError(error.code, f"{topic.name}: {error.detail}") from error

    def _check(self, topic: str, encoded: Encoded) -> None:
        size = len(encoded.batch)
        if size > self._largest and encoded.count == 1:
            what = f"a record for {topic} takes {size} bytes, max.request.size is {self._largest}"
            raise BrokerError(ErrorCode.MESSAGE_TOO_LARGE, what)
