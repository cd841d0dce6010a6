"""One client, one loop, timed: the child process of `benchmarks.clients`.

`python -m benchmarks.driver.client_loops LOOP ADDRESS TOPIC COUNT` prints one line of JSON: records,
seconds, and the process's CPU seconds. Connecting and the first records are outside the time.
"""

import json
import sys
import time
from collections.abc import Callable
from functools import partial

VALUE = b"v" * 100
WARM = 50_000
CHUNK = 100_000


class Stopwatch:
    """Wall and CPU time of the loop itself."""

    def __init__(self) -> None:
        self.wall = time.perf_counter()
        self.cpu = time.process_time()

    def report(self, records: int) -> None:
        """Print the line."""
        wall = time.perf_counter() - self.wall
        cpu = time.process_time() - self.cpu
        print(json.dumps({"records": records, "seconds": wall, "cpu": cpu}))


def consume_confluent(address: str, topic: str, count: int) -> None:
    from confluent_kafka import Consumer, TopicPartition

    consumer = Consumer(
        {
            "bootstrap.servers": address,
            "group.id": "bench",
            "enable.auto.commit": False,
            "fetch.queue.backoff.ms": 1,
            "queued.min.messages": 1_000_000,
            "queued.max.messages.kbytes": 262_144,
            "fetch.message.max.bytes": 1_048_576,
        }
    )
    consumer.assign([TopicPartition(topic, 0, 0)])
    taken = len(consumer.consume(1, timeout=30))
    watch, first = Stopwatch(), taken
    while taken < count:
        taken += len(consumer.consume(10_000, timeout=5))
    watch.report(taken - first)
    consumer.close()


def consume_arrow(address: str, topic: str, count: int) -> None:
    from barnabas import Consumer

    with Consumer({"bootstrap.servers": address}) as consumer:
        consumer.assign([(topic, 0)])
        consumer.seek_to_beginning()
        taken = 0
        while not taken:
            taken += consumer.fetch_arrow(5.0).num_rows
        watch, first = Stopwatch(), taken
        while taken < count:
            taken += consumer.fetch_arrow(5.0).num_rows
        watch.report(taken - first)


def consume_records(address: str, topic: str, count: int) -> None:
    from barnabas import Consumer

    with Consumer({"bootstrap.servers": address, "max.poll.records": 10_000}) as consumer:
        consumer.assign([(topic, 0)])
        consumer.seek_to_beginning()
        taken = 0
        while not taken:
            taken += len(consumer.poll(5.0))
        watch, first = Stopwatch(), taken
        while taken < count:
            taken += len(consumer.poll(5.0))
        watch.report(taken - first)


def produce_confluent(address: str, topic: str, count: int, **settings: object) -> None:
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": address, **settings})

    def send(many: int) -> None:
        for _ in range(many):
            while True:
                try:
                    producer.produce(topic, VALUE)
                    break
                except BufferError:
                    producer.poll(0.1)
        producer.flush()

    send(WARM)
    watch = Stopwatch()
    send(count)
    watch.report(count)


def produce_send(address: str, topic: str, count: int, **settings: object) -> None:
    from barnabas import Producer

    with Producer({"bootstrap.servers": address, **settings}) as producer:

        def send(many: int) -> None:
            for _ in range(many):
                producer.send(topic, VALUE)
            producer.flush()

        send(WARM)
        watch = Stopwatch()
        send(count)
        watch.report(count)


def produce_arrow(address: str, topic: str, count: int) -> None:
    import pyarrow as pa

    from barnabas import Producer

    batch = pa.record_batch({"value": pa.array([VALUE] * CHUNK, pa.binary())})
    with Producer({"bootstrap.servers": address, "acks": "all"}) as producer:
        producer.send_arrow(topic, batch)
        producer.flush()
        watch = Stopwatch()
        for _ in range(count // CHUNK):
            producer.send_arrow(topic, batch)
        producer.flush()
        watch.report(count // CHUNK * CHUNK)


# Batches and waiting of one size for both; the rest lets librdkafka make use of it.
EQUAL = {"linger.ms": 5, "batch.size": 1_000_000}
ROOM = {
    "batch.num.messages": 100_000,
    "queue.buffering.max.messages": 2_000_000,
    "queue.buffering.max.kbytes": 1_000_000,
}

LOOPS: dict[str, Callable[[str, str, int], None]] = {
    "consume-confluent": consume_confluent,
    "consume-arrow": consume_arrow,
    "consume-records": consume_records,
    "produce-confluent": produce_confluent,
    "produce-confluent-equal": partial(produce_confluent, **EQUAL, **ROOM),
    "produce-send": produce_send,
    "produce-send-equal": partial(produce_send, **EQUAL),
    "produce-arrow": produce_arrow,
}

if __name__ == "__main__":
    LOOPS[sys.argv[1]](sys.argv[2], sys.argv[3], int(sys.argv[4]))
