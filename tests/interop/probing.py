"""Run with an old kafka-python on PYTHONPATH: which release does it take the broker for?

Prints that, and what came back of a record; it has no types and asks every broker as it is.
"""

import sys

from kafka import KafkaConsumer, KafkaProducer

address, topic = sys.argv[1:]
producer = KafkaProducer(bootstrap_servers=address)
found = producer.config["api_version"]
producer.send(topic, b"hello").get(20)
producer.close(5)
consumer = KafkaConsumer(
    topic,
    bootstrap_servers=address,
    auto_offset_reset="earliest",
    consumer_timeout_ms=20_000,
    group_id=None,
)
(record,) = (each for _, each in zip(range(1), consumer, strict=False))
consumer.close()
sys.stdout.write(f"{'.'.join(map(str, found))} {record.value.decode()}\n")
