"""Numbered records that librdkafka writes to a partition and reads from it."""

from confluent_kafka import Consumer, Producer
from confluent_kafka import TopicPartition as Place

SECONDS = 60.0


def produce(servers: str, topic: str, first: int, count: int, codec: str = "none") -> None:
    """Write the numbers from `first` on to partition 0 with acks=all; each is acknowledged."""
    failed: list[object] = []
    producer = Producer(
        {
            "bootstrap.servers": servers,
            "acks": "all",
            "compression.type": codec,
            "message.timeout.ms": 40_000,
        }
    )
    for number in range(first, first + count):
        producer.produce(
            topic, str(number), partition=0,
            on_delivery=lambda error, _: failed.append(error) if error else None,
        )  # fmt: skip
    assert producer.flush(SECONDS) == 0
    assert not failed


def consume(servers: str, topic: str, count: int) -> list[int]:
    """The first `count` numbers in partition 0."""
    consumer = Consumer({"bootstrap.servers": servers, "group.id": "none"})
    try:
        consumer.assign([Place(topic, 0, 0)])
        found: list[int] = []
        while len(found) < count:
            message = consumer.poll(SECONDS)
            assert message is not None
            assert message.error() is None, message.error()
            found.append(int(message.value()))
        return found
    finally:
        consumer.close()
