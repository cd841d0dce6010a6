"""Brokers and the driver of Kafka 0.7 under one real ZooKeeper, as in 2011: found there and nowhere else."""

import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress

import pytest
from kazoo.client import KazooClient

from barnabas.driver07 import EARLIEST, Consumer, Producer, SimpleConsumer
from tests.interop.peers.brokers.jafka import Jafka
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.brokers.zookeeper import ZooKeeper

pytestmark = [pytest.mark.interop, pytest.mark.java]

SECONDS = 60.0
SESSION_MS = 6000


class Estate:
    """A path of ZooKeeper with brokers in it."""

    def __init__(self, keeper: ZooKeeper) -> None:
        self.keeper = keeper
        self.path = path = f"/old/{time.monotonic_ns()}"
        root = KazooClient(keeper.address)
        root.start(SECONDS)
        root.ensure_path(path)
        root.stop()
        root.close()
        self.place = f"{keeper.address}{path}"
        self.kazoo = KazooClient(self.place)
        self.kazoo.start(SECONDS)

    def broker(self, number: int, **more: str) -> OurBroker:
        broker = OurBroker(
            profile="0.7",
            properties={
                "zk.connect": self.place,
                "zk.sessiontimeout.ms": str(SESSION_MS),
                "brokerid": str(number),
                "num.partitions": "2",
                **more,
            },
        )
        broker.spawn()
        self.until(lambda: self.kazoo.exists(f"/brokers/ids/{number}") is not None)
        return broker

    def data(self, path: str) -> bytes:
        found: bytes = self.kazoo.get(path)[0]
        return found

    def until(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + SECONDS
        while not condition():
            assert time.monotonic() < deadline, "it does not come about"
            time.sleep(0.05)

    def consumer(self, group: str, **config: object) -> Consumer:
        return Consumer(
            ["dogs"],
            {
                "zk.connect": self.place,
                "zk.sessiontimeout.ms": SESSION_MS,
                "groupid": group,
                "fetcher.backoff.ms": 20,
                "rebalance.backoff.ms": 100,
                **config,
            },
        )


@pytest.fixture
def estate(keeper: ZooKeeper) -> Iterator[Estate]:
    estate = Estate(keeper)
    yield estate
    estate.kazoo.stop()
    estate.kazoo.close()


def listens(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 5):
        return True
    return False


def taken(consumers: list[Consumer]) -> list[bytes]:
    return [
        bytes(message.payload)
        for consumer in consumers
        for chunk in consumer.poll(0.05)
        for message in chunk.messages
    ]


def test_brokers_and_topics_register_as_seed_000_has_it(estate: Estate) -> None:
    with ExitStack() as stack:
        brokers = [estate.broker(2), estate.broker(10)]
        for broker in brokers:
            stack.callback(broker.__exit__, None, None, None)
        for number, broker in zip((2, 10), brokers, strict=True):
            reported = estate.data(f"/brokers/ids/{number}").decode()
            creator, host, port = reported.split(":")
            assert re.fullmatch(rf"{re.escape(host)}-\d{{13}}", creator)
            assert int(port) == broker.port
            assert estate.kazoo.exists(f"/brokers/ids/{number}").ephemeralOwner
        assert estate.kazoo.exists("/brokers/topics") is None
        with Producer({"zk.connect": estate.place}) as producer:
            for index in range(20):
                producer.send("dogs", b"%d" % index)
            estate.until(lambda: estate.kazoo.exists("/brokers/topics/dogs/10") is not None)
            estate.until(lambda: len(estate.kazoo.get_children("/brokers/topics/dogs")) == 2)
        for number in (2, 10):
            assert estate.data(f"/brokers/topics/dogs/{number}") == b"2"
            assert estate.kazoo.exists(f"/brokers/topics/dogs/{number}").ephemeralOwner
    assert estate.kazoo.get_children("/brokers/ids") == []
    assert estate.kazoo.get_children("/brokers/topics/dogs") == []


def test_a_session_that_expires_and_topics_that_were_there(estate: Estate) -> None:
    """What a broker tells comes again, with the count of each topic, also after a restart."""
    broker = estate.broker(4, **{"topic.partition.count.map": "dogs:3,cats:5"})
    nodes = {"/brokers/topics/dogs/4": b"3", "/brokers/topics/cats/4": b"5"}

    def reported() -> bool:
        paths = ["/brokers/ids/4", *nodes]
        if any(estate.kazoo.exists(path) is None for path in paths):
            return False
        return all(estate.data(path) == data for path, data in nodes.items())

    with ExitStack() as stack:
        stack.push(broker.__exit__)
        with Producer({"zk.connect": estate.place}) as producer:
            producer.send("dogs", b"rex")
            producer.send("cats", b"tom")
        estate.until(reported)
        session = estate.kazoo.exists("/brokers/ids/4").ephemeralOwner
        with broker.child.paused():
            estate.until(lambda: estate.kazoo.exists("/brokers/ids/4") is None)
        estate.until(reported)
        assert estate.kazoo.exists("/brokers/ids/4").ephemeralOwner != session
        broker.child.stop()
        assert estate.kazoo.exists("/brokers/topics/dogs/4") is None
        broker.spawn()
        estate.until(reported)
        # The listener is notified before the broker receives the signal to stop.
        with SimpleConsumer("127.0.0.1", broker.port) as asking:
            assert asking.offsets("dogs", 0, EARLIEST) == [0]


def test_a_group_whose_brokers_and_consumers_come_and_go(estate: Estate) -> None:
    sent: set[bytes] = set()
    found: list[bytes] = []
    with ExitStack() as stack:
        brokers = [estate.broker(0), estate.broker(1)]
        for broker in brokers:
            stack.callback(broker.__exit__, None, None, None)
        producer = stack.enter_context(
            Producer({"zk.connect": estate.place, "compression.codec": 2})
        )

        def send(count: int) -> None:
            new = [b"%d" % number for number in range(len(sent), len(sent) + count)]
            for payload in new:
                producer.send("dogs", payload, key=payload)
            sent.update(new)

        def read(consumers: list[Consumer], until: Callable[[], bool]) -> None:
            def look() -> bool:
                found.extend(taken(consumers))
                return until()

            estate.until(look)

        def all_found() -> bool:
            return set(found) >= sent

        send(20)
        first = estate.consumer("g", consumerid="a")
        read([first], all_found)
        second = estate.consumer("g", consumerid="b")
        send(200)
        read([first, second], lambda: len(second.owned) == 2 and all_found())
        assert sorted(f"{place}" for _, place in first.owned) == ["0-0", "0-1"]
        assert sorted(f"{place}" for _, place in second.owned) == ["1-0", "1-1"]
        assert estate.data("/consumers/g/owners/dogs/1-0") == b"g_b-0"
        # A broker is killed and comes back before its node has expired.
        brokers[1].child.kill()
        brokers[1].spawn()
        estate.until(lambda: listens(brokers[1].port))
        first.close()
        read([second], lambda: len(second.owned) == 4)
        send(50)
        read([second], all_found)
        second.close()
        assert set(found) == sent
        with estate.consumer("another") as third:
            found.clear()
            read([third], all_found)
        assert set(found) == sent
        committed = estate.kazoo.get_children("/consumers/g/offsets/dogs")
        assert sorted(committed) == ["0-0", "0-1", "1-0", "1-1"]


@pytest.mark.long
def test_a_second_broker_with_a_number_is_refused(estate: Estate) -> None:
    with ExitStack() as stack:
        broker = estate.broker(3)
        stack.callback(broker.__exit__, None, None, None)
        second = OurBroker(
            profile="0.7",
            properties={
                "zk.connect": estate.place, "zk.sessiontimeout.ms": "500", "brokerid": "3",
            },
        )  # fmt: skip
        second.spawn()
        estate.until(lambda: not second.child.alive())
        assert "another broker is registered at /brokers/ids/3" in second.child.tail()


@pytest.mark.parametrize("codec", [pytest.param(0, marks=pytest.mark.long, id="none"), 1])
def test_two_brokers_that_are_jafkas(codec: int, estate: Estate) -> None:
    sent = [b"%d " % number + b"x" * (number % 40) for number in range(600)]
    found: list[bytes] = []
    with (
        Jafka(estate.keeper, estate.path, 1),
        Jafka(estate.keeper, estate.path, 2),
        Producer({"zk.connect": estate.place, "compression.codec": codec}) as producer,
        estate.consumer("g", consumerid="a") as first,
        estate.consumer("g", consumerid="b") as second,
    ):
        for start in range(0, 600, 20):
            producer.send("dogs", *sent[start : start + 20], key=str(start))

        def read() -> bool:
            found.extend(taken([first, second]))
            return len(found) >= 600

        estate.until(read)
        estate.until(
            lambda: not taken([first, second]) and len(first.owned) == len(second.owned) == 2
        )
        assert [f"{place}" for _, place in sorted(first.owned)] == ["1-0", "1-1"]
        assert [f"{place}" for _, place in sorted(second.owned)] == ["2-0", "2-1"]
    assert set(found) == set(sent)
