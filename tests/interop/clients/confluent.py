"""confluent-kafka: librdkafka from Python."""

import time
from collections.abc import Sequence

from confluent_kafka import (
    TIMESTAMP_NOT_AVAILABLE,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
)

from tests.interop.clients.client import READ_SECONDS, ReadTooFew
from tests.interop.samples import Sample


class Confluent:
    """The most widely deployed client family."""

    name = "confluent-kafka"

    def __init__(self, broker_version: str | None = None) -> None:
        """`broker_version` is what it takes the broker for, rather than to ask."""
        self._settings: dict[str, str | int | bool] = (
            {"api.version.request": False, "broker.version.fallback": broker_version}
            if broker_version
            else {}
        )

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
                "linger.ms": 5000,  # small batches do not shrink and would go uncompressed
                "message.max.bytes": 8_000_000,
                "queue.buffering.max.messages": 1_000_000,
                **self._settings,
            }
        )
        # Or what waits for metadata may be sent in pieces when they come: the first would be a small one.
        _make_topic(producer, topic)
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
        consumer = self._consumer(address)
        consumer.assign([TopicPartition(topic, 0, start)])
        try:
            return [sample_of(message) for message in take(consumer, count)]
        finally:
            consumer.close()

    def ends(self, address: str, topic: str) -> tuple[int, int]:
        """See Finder.ends."""
        consumer = self._consumer(address)
        try:
            first, following = consumer.get_watermark_offsets(
                TopicPartition(topic, 0), READ_SECONDS
            )
            return first, following
        finally:
            consumer.close()

    def at_time(self, address: str, topic: str, time_ms: int) -> int:
        """See Finder.at_time."""
        consumer = self._consumer(address)
        try:
            asked = [TopicPartition(topic, 0, time_ms)]
            (found,) = consumer.offsets_for_times(asked, READ_SECONDS)
            return int(found.offset)
        finally:
            consumer.close()

    def _consumer(self, address: str) -> Consumer:
        return Consumer({**consumer_settings(address), **self._settings})


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
    """A message as what was sent; -1 for a timestamp that it has not."""
    kind, timestamp = message.timestamp()
    return Sample(
        message.key(),
        message.value(),
        -1 if kind == TIMESTAMP_NOT_AVAILABLE else timestamp,
        tuple((name, value) for name, value in message.headers() or ()),
    )


def _make_topic(producer: Producer, topic: str) -> None:
    """Ask for a topic until it is there: librdkafka 2.16 cannot read Metadata 0 about it before."""
    deadline = time.monotonic() + READ_SECONDS
    while True:
        try:
            producer.list_topics(topic, READ_SECONDS)
        except KafkaException as error:
            if error.args[0].code() != KafkaError._BAD_MSG or time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return
