"""Kafka Streams by the classic protocol, of every age: exactly once while instances and brokers are killed."""

import itertools
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pytest
from confluent_kafka import Producer

from tests.interop.brokers import InteropBroker
from tests.interop.groups.test_streams_groups import PARTITIONS, TASKS, counted, runs_all
from tests.interop.peers import generations
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.brokers.real_kafka import RealKafka
from tests.interop.peers.maven import KAFKA_STREAMS, MavenPeer
from tests.interop.peers.missing import PeerMissing, give_up
from tests.interop.peers.streams_app import StreamsApp

pytestmark = [pytest.mark.interop, pytest.mark.java]

QUICK = {
    "group.initial.rebalance.delay.ms": "0",
    "offsets.topic.num.partitions": "4",
    "transaction.state.log.num.partitions": "4",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "1000",
}
WORDS = [f"word-{number}" for number in range(37)]
SOME = 500
SECONDS = 60.0


class Age(NamedTuple):
    """A release of Kafka Streams, and one of the ways in which it does everything once."""

    release: MavenPeer
    guarantee: str


V2 = Age(KAFKA_STREAMS, "exactly_once_v2")
OLDER = (
    Age(generations.KAFKA_STREAMS_1, "exactly_once"),
    Age(generations.KAFKA_STREAMS_2, "exactly_once"),
    Age(generations.KAFKA_STREAMS_2, "exactly_once_beta"),
    Age(generations.KAFKA_STREAMS_3, "exactly_once_v2"),
)


def named(age: Age) -> str:
    return f"{age.release.version}-{age.guarantee}"


@pytest.fixture(scope="module")
def ours() -> Iterator[OurBroker]:
    with OurBroker(properties=QUICK) as broker:
        yield broker


@pytest.fixture(scope="module")
def kafka() -> Iterator[RealKafka]:
    try:
        with RealKafka(properties=QUICK) as broker:
            yield broker
    except PeerMissing as missing:
        give_up(missing)


class Writer(threading.Thread):
    """Writes words, one after another, until it is stopped."""

    def __init__(self, address: str, topic: str) -> None:
        super().__init__()
        self._topic = topic
        self._producer = Producer({"bootstrap.servers": address, "enable.idempotence": True})
        self._enough = threading.Event()
        self.written: Counter[str] = Counter()
        self.left = 0

    def run(self) -> None:
        for number, word in enumerate(itertools.cycle(WORDS)):
            self._producer.produce(self._topic, word, partition=number % PARTITIONS)
            self.written[word] += 1
            self._producer.poll(0)  # Else what was delivered fills its queue, in the end.
            if number % 10 == 0 and self._enough.wait(0.01):
                break
        self.left = self._producer.flush(SECONDS)

    def end(self) -> None:
        """No more words; those that were written are there."""
        self._enough.set()
        self.join()
        assert self.left == 0


@contextmanager
def writing(address: str, topic: str) -> Iterator[Writer]:
    """A writer that has ended when this is left."""
    writer = Writer(address, topic)
    writer.start()
    try:
        yield writer
    finally:
        writer.end()


def instances(
    broker: InteropBroker, age: Age, count: int
) -> tuple[tuple[str, str], list[StreamsApp]]:
    """What they read and write, and themselves, not started yet."""
    topics = broker.new_topic(partitions=PARTITIONS), broker.new_topic(partitions=PARTITIONS)
    properties = {
        "group.protocol": "classic",
        "processing.guarantee": age.guarantee,
        "consumer.session.timeout.ms": "6000",
        # So that there is something to be done twice: with 100, at_least_once passes too.
        "commit.interval.ms": "1000",
    }
    place = broker.bootstrap_servers, f"of-{topics[0]}", topics
    try:
        return topics, [StreamsApp(*place, properties, age.release) for _ in range(count)]
    except PeerMissing as missing:
        give_up(missing)


def counts_while_one_is_killed(broker: InteropBroker, age: Age) -> None:
    """It is killed amid its transactions, and the other one continues after the last of them that ended."""
    topics, (one, two) = instances(broker, age, 2)
    address = broker.bootstrap_servers
    with one as first, two as second:
        shared = second.wait(lambda doing: len(doing.active) == PARTITIONS)
        first.wait(lambda doing: doing.active == TASKS - shared.active)
        with writing(address, topics[0]) as writer:
            counted(address, topics[1], SOME, are_all=False)
            first.child.kill()
            second.wait(runs_all)
        assert counted(address, topics[1], writer.written.total()) == writer.written


def test_each_word_counts_once_though_an_instance_is_killed(ours: OurBroker) -> None:
    counts_while_one_is_killed(InteropBroker(ours), V2)


@pytest.mark.long
@pytest.mark.parametrize("age", [V2, OLDER[0]], ids=named)
def test_each_word_counts_once_though_the_broker_is_killed(ours: OurBroker, age: Age) -> None:
    topics, (one,) = instances(InteropBroker(ours), age, 1)
    address = ours.bootstrap_servers
    with one as only:
        only.wait(runs_all)
        with writing(address, topics[0]) as writer:
            for turn in range(3):
                counted(address, topics[1], (1 + turn) * SOME, are_all=False)
                ours.child.kill()
                ours.start()
        assert counted(address, topics[1], writer.written.total()) == writer.written


@pytest.mark.long
@pytest.mark.parametrize("age", OLDER, ids=named)
def test_so_it_does_in_older_releases(ours: OurBroker, age: Age) -> None:
    counts_while_one_is_killed(InteropBroker(ours), age)


@pytest.mark.long
@pytest.mark.parametrize("age", [V2, *OLDER[1:]], ids=named)
def test_so_it_does_on_kafka(kafka: RealKafka, age: Age) -> None:
    counts_while_one_is_killed(InteropBroker(kafka), age)
