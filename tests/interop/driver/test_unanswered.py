"""A broker is killed with batches of our producer stored and unanswered: each record is there once.

After recovery Kafka remembers the last batch of a producer, and refuses those before it as out of
order: the producer must not take them for lost.
"""

import itertools
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from barnabas import Consumer, Producer
from barnabas.client.core.producer.delivery import Sent
from tests.interop.brokers import InteropBroker
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.brokers.real_kafka import RealKafka
from tests.interop.peers.missing import PeerMissing, give_up
from tests.interop.peers.tap import Tap

pytestmark = pytest.mark.interop

FLUSH_S = 120.0
DELIVERY_MS = 900_000  # A Kafka that was killed may take 15 s to return, a dozen times.


class Numbers(threading.Thread):
    """Sends numbers to one partition until it is stopped; `deliveries` are what became of each."""

    def __init__(self, producer: Producer, topic: str) -> None:
        super().__init__(name="numbers")
        self._producer = producer
        self._topic = topic
        self._stopping = threading.Event()
        self.deliveries: list[Sent] = []

    def run(self) -> None:
        for number in itertools.count():
            self.deliveries.append(self._producer.send(self._topic, b"%d" % number, partition=0))
            if self._stopping.wait(0.005):
                return

    def stop(self) -> None:
        """And wait until it has."""
        self._stopping.set()
        self.join()


@contextmanager
def behind(tap: Tap, name: str) -> Iterator[RealKafka | OurBroker]:
    """A broker that clients find at the tap."""
    advertised = f"PLAINTEXT://127.0.0.1:{tap.port}"
    broker: RealKafka | OurBroker
    if name == "kafka":
        broker = RealKafka(properties={"advertised.listeners": advertised})
    else:
        broker = OurBroker()
        listeners = f"PLAINTEXT://127.0.0.1:{broker.port}"
        broker.properties = {"listeners": listeners, "advertised.listeners": advertised}
    try:
        with broker, tap:
            tap.broker_port = broker.port
            yield broker
    except PeerMissing as missing:
        give_up(missing)


def killed_unanswered(name: str, kills: int) -> None:
    chance = random.Random(kills)
    tap = Tap()
    with behind(tap, name) as broker:
        topic = InteropBroker(broker).new_topic()
        with Producer(
            bootstrap_servers=f"127.0.0.1:{tap.port}",
            linger_ms=0,
            batch_size=200,
            reconnect_backoff_max_ms=200,
            delivery_timeout_ms=DELIVERY_MS,
        ) as producer:
            numbers = Numbers(producer, topic)
            numbers.start()
            try:
                for _ in range(kills):
                    time.sleep(0.5)
                    tap.swallow()
                    time.sleep(chance.uniform(0.05, 1.0))
                    broker.child.kill()
                    start(broker)
                time.sleep(0.5)
            finally:
                numbers.stop()
            producer.flush(FLUSH_S)
            offsets = [delivery.result(0).offset for delivery in numbers.deliveries]
        values = everything(broker.bootstrap_servers, topic)
    assert values == [b"%d" % number for number in range(len(offsets))]
    assert all(offset in (-1, number) for number, offset in enumerate(offsets))


def start(broker: RealKafka | OurBroker) -> None:
    if isinstance(broker, RealKafka):
        broker.restart()
    else:
        broker.start()


def everything(address: str, topic: str) -> list[bytes | None]:
    with Consumer(bootstrap_servers=address) as consumer:
        place = (topic, 0)
        consumer.assign([place])
        consumer.seek_to_beginning()
        (end,) = consumer.end_offsets([place]).values()
        values: list[bytes | None] = []
        while consumer.position(place) < end:
            values += [record.value for record in consumer.poll(timeout_s=5)]
        return values


@pytest.mark.parametrize("name", [pytest.param("kafka", marks=pytest.mark.java), "barnabas"])
def test_what_is_unanswered_when_a_broker_is_killed_is_stored_once(name: str) -> None:
    killed_unanswered(name, kills=2)


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", [pytest.param("kafka", marks=pytest.mark.java), "barnabas"])
def test_many_kills(name: str) -> None:
    killed_unanswered(name, kills=12)
