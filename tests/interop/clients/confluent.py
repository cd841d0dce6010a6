"""confluent-kafka: librdkafka from Python."""

import time
from collections.abc import Sequence

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

from tests.interop.clients.client import READ_SECONDS, ReadTooFew
from tests.interop.samples import Sample


class Confluent:
    """The most widely deployed client family."""

    name = "confluent-kafka"

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
        offsets: list[int] = []
        failures: list[KafkaError] = []

        def acknowledged(error: KafkaError | None, message: Message) -> None:
            if error is None:
                offsets.append(message.offset())
            else:
                failures.append(error)

        producer = Producer(
            {
                "bootstrap.servers": address,
                "compression.type": codec,
                "enable.idempotence": idempotent,
                "acks": "all",
                "linger.ms": 100,  # small batches do not shrink and would go uncompressed
                "message.max.bytes": 8_000_000,
                "queue.buffering.max.messages": 1_000_000,
            }
        )
        for sample in samples:
            producer.produce(
                topic,
                sample.value,
                sample.key,
                partition=0,
                timestamp=sample.timestamp,
                headers=list(sample.headers),
                on_delivery=acknowledged,
            )
            producer.poll(0)
        producer.flush(READ_SECONDS)
        if failures:
            raise KafkaException(failures[0])
        return offsets

    def read(self, address: str, topic: str, count: int, *, start: int = 0) -> list[Sample]:
        """See Client.read."""
        consumer = Consumer(consumer_settings(address))
        consumer.assign([TopicPartition(topic, 0, start)])
        try:
            return [sample_of(message) for message in take(consumer, count)]
        finally:
            consumer.close()


def consumer_settings(address: str) -> dict[str, str | int | bool]:
    """A consumer that joins no group, commits nothing and checks every CRC."""
    return {
        "bootstrap.servers": address,
        "group.id": "not-joined",
        "enable.auto.commit": False,
        "check.crcs": True,
        "fetch.queue.backoff.ms": 5,
        "fetch.message.max.bytes": 4_000_000,
    }


def take(consumer: Consumer, count: int, seconds: float = READ_SECONDS) -> list[Message]:
    """`count` messages from what the consumer is assigned.

    Raises:
        ReadTooFew: they did not come in time.
        KafkaException: the consumer reported an error.
    """
    deadline = time.monotonic() + seconds
    taken: list[Message] = []
    while len(taken) < count:
        for message in consumer.consume(count - len(taken), timeout=0.5):
            if message.error() is not None:
                raise KafkaException(message.error())
            taken.append(message)
        if time.monotonic() > deadline:
            raise ReadTooFew(f"{len(taken)} of {count} records")
    return taken


def sample_of(message: Message) -> Sample:
    """A message as what was sent."""
    return Sample(
        message.key(),
        message.value(),
        message.timestamp()[1],
        tuple((name, value) for name, value in message.headers() or ()),
    )
