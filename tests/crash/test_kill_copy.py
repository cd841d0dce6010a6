"""A copy job in transactions while the broker is killed: each record arrives once, in order."""

import logging
import random
import threading
import time

import pytest
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

from tests.interop.brokers import InteropBroker
from tests.interop.clients.confluent import consumer_settings, take
from tests.interop.peers.brokers.our_broker import OurBroker

log = logging.getLogger(__name__)

SECONDS = 30
GROUP = "copier"
# With the other strategy librdkafka 2.11 may wait for ever for a broker that it has just let go.
KNOWN_STAY = {"metadata.recovery.strategy": "none", "reconnect.backoff.max.ms": 500}


class Copier(threading.Thread):
    """Reads partition 0 of one topic, writes it to another, positions in the same transactions."""

    def __init__(self, address: str, source: str, target: str, count: int | None) -> None:
        """`count`: of all records there will be; None while that is not known."""
        super().__init__(daemon=True)
        self._address = address
        self._source = TopicPartition(source, 0)
        self._target = target
        self.count = count
        self.transactions = 0
        self.failure: BaseException | None = None
        self.stopped = threading.Event()

    def run(self) -> None:
        try:
            while not self.stopped.is_set() and not self._copy():
                pass
        except BaseException as error:  # noqa: BLE001 - the test tells it
            self.failure = error

    def _copy(self) -> bool:
        """Copy on from what is committed until all is copied (True) or an error needs a new start."""
        settings = consumer_settings(self._address) | {"group.id": GROUP} | KNOWN_STAY
        consumer = Consumer(settings | {"enable.auto.commit": False})
        producer = Producer(
            {"bootstrap.servers": self._address, "transactional.id": "copier", "linger.ms": 1}
            | KNOWN_STAY
        )
        try:
            producer.init_transactions(SECONDS)
            (place,) = consumer.committed([self._source], timeout=SECONDS)
            position = max(place.offset, 0)
            consumer.assign([TopicPartition(self._source.topic, 0, position)])
            while not self._is_all(position) and not self.stopped.is_set():
                position = self._copy_some(consumer, producer, position)
        except KafkaException:
            return False
        finally:
            consumer.close()
        return self._is_all(position)

    def _is_all(self, position: int) -> bool:
        return self.count is not None and position >= self.count

    def _copy_some(self, consumer: Consumer, producer: Producer, position: int) -> int:
        found = [one for one in consumer.consume(20, 0.5) if not one.error()]
        if not found:
            return position
        producer.begin_transaction()
        for message in found:
            producer.produce(self._target, message.value(), partition=0)
        position = found[-1].offset() + 1
        place = TopicPartition(self._source.topic, 0, position)
        producer.send_offsets_to_transaction([place], consumer.consumer_group_metadata(), SECONDS)
        producer.commit_transaction(SECONDS)
        self.transactions += 1
        return position


class Feeder(threading.Thread):
    """Writes numbers, so many a second, until it is stopped; `values` are those written."""

    def __init__(self, address: str, topic: str, each_second: int) -> None:
        super().__init__(daemon=True)
        self._topic = topic
        self._pause = 1 / each_second
        self._producer = Producer(
            {"bootstrap.servers": address, "enable.idempotence": True} | KNOWN_STAY
        )
        self.values: list[bytes] = []
        self.stopped = threading.Event()

    def run(self) -> None:
        while not self.stopped.wait(self._pause):
            value = b"%d" % len(self.values)
            self._producer.produce(self._topic, value, partition=0)
            self.values.append(value)

    def finish(self) -> list[bytes]:
        """Everything is written."""
        self.stopped.set()
        self.join(SECONDS)
        assert not self._producer.flush(SECONDS), "all is acknowledged"
        return self.values


def copy_and_kill(seed: int, count: int, kills: int) -> None:
    chance = random.Random(seed)
    with OurBroker() as broker:
        interop = InteropBroker(broker)
        source, target = interop.new_topic(), interop.new_topic({"segment.bytes": "1048576"})
        values = [b"%d" % number for number in range(count)]
        producer = Producer({"bootstrap.servers": broker.bootstrap_servers})
        for value in values:
            producer.produce(source, value, partition=0)
        producer.flush(SECONDS)
        copier = Copier(broker.bootstrap_servers, source, target, count)
        copier.start()
        try:
            for _ in range(kills):
                time.sleep(chance.uniform(0.3, 1.2))
                broker.child.kill()
                broker.start()
            copier.join(90)
        finally:
            copier.stopped.set()
        assert copier.failure is None
        assert not copier.is_alive(), f"seed {seed}"
        assert committed(broker, target, count) == values, f"seed {seed}"


def committed(broker: OurBroker, topic: str, count: int) -> list[bytes]:
    """What counts of partition 0 of a topic: so many records, and no more."""
    consumer = Consumer(
        consumer_settings(broker.bootstrap_servers) | {"isolation.level": "read_committed"}
    )
    consumer.assign([TopicPartition(topic, 0, 0)])
    values = [one.value() for one in take(consumer, count, SECONDS)]
    assert consumer.poll(0.5) is None
    consumer.close()
    return values


def test_a_few_kills() -> None:
    copy_and_kill(seed=1, count=2000, kills=3)


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", range(200, 206))
def test_many_kills(seed: int) -> None:
    copy_and_kill(seed, count=60_000, kills=60)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_ten_minutes_with_a_kill_every_second() -> None:
    """The source keeps growing, so that there is always something to copy."""
    with OurBroker() as broker:
        interop = InteropBroker(broker)
        source, target = interop.new_topic(), interop.new_topic({"segment.bytes": "1048576"})
        feeder = Feeder(broker.bootstrap_servers, source, each_second=100)
        copier = Copier(broker.bootstrap_servers, source, target, None)
        feeder.start()
        copier.start()
        kills, end = 0, time.monotonic() + 600
        try:
            while time.monotonic() < end:
                time.sleep(1.0)
                broker.child.kill()
                broker.start()
                kills += 1
        finally:
            values = feeder.finish()
            copier.count = len(values)
            copier.join(120)
            copier.stopped.set()
        assert copier.failure is None
        assert not copier.is_alive(), "it has copied everything"
        assert committed(broker, source, len(values)) == values
        assert committed(broker, target, len(values)) == values
        did = kills, copier.transactions, len(values)
        log.info("%d kills, %d transactions, %d records", *did)
        assert copier.transactions > kills // 4, "it got somewhere between kills"
