"""SIGKILL under load, again and again: what was acknowledged is there, in order, once."""

import random
import time

import pytest
from confluent_kafka import Consumer, TopicPartition

from tests.crash.verdict import complaints
from tests.crash.writers import Writer
from tests.interop.brokers import InteropBroker
from tests.interop.clients.confluent import consumer_settings, take
from tests.interop.peers.brokers.our_broker import OurBroker

PARTITIONS = 3
FINISH_SECONDS = 60.0
# A full index rolls a segment: many times a second under this load, so that kills meet it.
TOPIC = {"index.interval.bytes": "500", "segment.index.bytes": "400"}
KINDS = (("plain", False, "none"), ("once", True, "none"), ("once-lz4", True, "lz4"))


def crash_and_check(seed: int, kills: int) -> None:
    """One run; a failure names the seed and keeps the data."""
    chance = random.Random(seed)
    with OurBroker() as broker:
        topic = InteropBroker(broker).new_topic(TOPIC, partitions=PARTITIONS)
        writers = [
            Writer(name, broker.bootstrap_servers, topic, PARTITIONS, idempotent=once, codec=codec)
            for name, once, codec in KINDS
        ]
        for writer in writers:
            writer.start()
        try:
            for _ in range(kills):
                time.sleep(chance.uniform(0.1, 1.0))
                broker.child.kill()
                while chance.random() < 0.3:
                    # Again while it recovers.
                    broker.spawn()
                    time.sleep(chance.uniform(0.0, 0.25))
                    broker.child.kill()
                broker.start()
        finally:
            for writer in writers:
                writer.finish(FINISH_SECONDS)
        log = {part: read_all(broker, topic, part) for part in range(PARTITIONS)}
        assert complaints(log, writers) == [], f"seed {seed}"
        assert all(writer.promises.sent > 100 for writer in writers)


def read_all(broker: OurBroker, topic: str, partition: int) -> list[tuple[int, bytes]]:
    """Every record of the partition, in order."""
    consumer = Consumer(consumer_settings(broker.bootstrap_servers))
    place = TopicPartition(topic, partition, 0)
    _first, end = consumer.get_watermark_offsets(place, timeout=30)
    consumer.assign([place])
    read = [(message.offset(), message.value()) for message in take(consumer, end, 60)]
    consumer.close()
    return read


def test_a_few_kills() -> None:
    crash_and_check(seed=1, kills=4)


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(100, 108))
def test_many_kills(seed: int) -> None:
    crash_and_check(seed, kills=25)
