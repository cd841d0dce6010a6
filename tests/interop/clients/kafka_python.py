"""kafka-python: the pure Python client with the newest, flexible message versions."""

import time
from collections.abc import Sequence

from kafka import KafkaConsumer, KafkaProducer, TopicPartition

from tests.interop.clients.client import READ_SECONDS, ReadTooFew
from tests.interop.samples import Sample


class KafkaPython:
    """Blocking consumer and producer with a background sender."""

    name = "kafka-python"

    def __init__(
        self, broker_version: tuple[int, ...] | None = None, *, has_idempotence: bool = True
    ) -> None:
        """`broker_version` is what it takes the broker for, rather than to ask."""
        self._settings = {"api_version": broker_version} if broker_version else {}
        self._has_idempotence = has_idempotence

    def write(
        self,
        address: str,
        topic: str,
        samples: Sequence[Sample],
        *,
        codec: str = "none",
        idempotent: bool = False,
    ) -> list[int]:
        """See Client.write."""
        safe = {"enable_idempotence": idempotent} if self._has_idempotence else {}
        producer = KafkaProducer(
            bootstrap_servers=address,
            compression_type=None if codec == "none" else codec,
            acks="all",
            linger_ms=5000,  # as for librdkafka
            max_request_size=8_000_000,
            **safe,
            **self._settings,
        )
        try:
            pending = [
                producer.send(
                    topic,
                    value=sample.value,
                    key=sample.key,
                    partition=0,
                    timestamp_ms=sample.timestamp,
                    headers=list(sample.headers),
                )
                for sample in samples
            ]
            producer.flush(READ_SECONDS)
            return [each.get(READ_SECONDS).offset for each in pending]
        finally:
            producer.close(10)

    def read(self, address: str, topic: str, count: int, *, start: int = 0) -> list[Sample]:
        """See Client.read."""
        consumer = self._consumer(address)
        partition = TopicPartition(topic, 0)
        consumer.assign([partition])
        consumer.seek(partition, start)
        deadline = time.monotonic() + READ_SECONDS
        taken: list[Sample] = []
        try:
            while len(taken) < count:
                for record in consumer.poll(500).get(partition, ()):
                    headers = tuple((name, value) for name, value in record.headers or ())
                    time_ms = -1 if record.timestamp is None else record.timestamp
                    taken.append(Sample(record.key, record.value, time_ms, headers))
                if time.monotonic() > deadline:
                    raise ReadTooFew(f"{len(taken)} of {count} records")
        finally:
            consumer.close()
        return taken[:count]

    def ends(self, address: str, topic: str) -> tuple[int, int]:
        """See Finder.ends."""
        consumer, partition = self._consumer(address), TopicPartition(topic, 0)
        try:
            first, following = (
                found([partition])[partition]
                for found in (consumer.beginning_offsets, consumer.end_offsets)
            )
            return first, following
        finally:
            consumer.close()

    def at_time(self, address: str, topic: str, time_ms: int) -> int:
        """See Finder.at_time."""
        consumer, partition = self._consumer(address), TopicPartition(topic, 0)
        try:
            return int(consumer.offsets_for_times({partition: time_ms})[partition].offset)
        finally:
            consumer.close()

    def _consumer(self, address: str) -> KafkaConsumer:
        return KafkaConsumer(
            bootstrap_servers=address,
            group_id=None,
            enable_auto_commit=False,
            max_partition_fetch_bytes=4_000_000,
            max_poll_records=5000,
            **self._settings,
        )
