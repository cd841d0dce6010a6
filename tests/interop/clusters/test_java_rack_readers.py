"""A Java consumer of Kafka 3.9 reads in its rack (KIP-392) while its replica and the leader are killed."""

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any, Self

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka import TopicPartition as Place
from confluent_kafka.admin import AdminClient, NewTopic

from barnabas.broker.apis import fetch
from barnabas.broker.broker import Broker
from barnabas.broker.replicas.fetch_rows import Fetched
from barnabas.broker.replicas.reading import ReadOne
from barnabas.config.broker_replication import RACK_AWARE
from barnabas.protocol.fetch import FetchRequest
from barnabas.testing import EmbeddedCluster
from tests.interop.peers.child import Child
from tests.interop.peers.generations import KAFKA_3_9
from tests.interop.peers.kafka_tools import command_of
from tests.interop.peers.missing import PeerMissing, give_up

pytestmark = [pytest.mark.interop, pytest.mark.java, pytest.mark.long]

CONSOLE = "org.apache.kafka.tools.consumer.ConsoleConsumer"
BROKERS = [1, 2, 3]
LEADER, OTHER, NEAR = BROKERS
SECONDS = 120.0
PRINTED = re.compile(r"Offset:(\d+)\t(\d+)")


def wait(happened: Callable[[], bool], what: Callable[[], object]) -> None:
    deadline = time.monotonic() + SECONDS
    while not happened():
        assert time.monotonic() < deadline, what()
        time.sleep(0.1)


class Served:
    """Which broker gave records to a consumer that named its rack last."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.by = 0
        reading: Callable[..., ReadOne] = fetch._reading

        def recorded(broker: Broker, request: FetchRequest, rules: Any) -> ReadOne:
            read = reading(broker, request, rules)

            def read_one(*given: Any, **more: Any) -> Fetched:
                found = read(*given, **more)
                if request.rack_id and found.data.records:
                    self.by = broker.config.node_id
                return found

            return read_one

        monkeypatch.setattr(fetch, "_reading", recorded)


class Numbers:
    """Writes 0, 1, 2 and so on, each acknowledged by all replicas in sync, until it is stopped."""

    def __init__(self, servers: str) -> None:
        self._servers = servers
        self._is_over = Event()
        self._thread = Thread(target=self._run)
        self.acknowledged: list[int] = []
        self.failed: list[object] = []

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join(SECONDS)
        assert not self._thread.is_alive()

    def _run(self) -> None:
        producer = Producer({"bootstrap.servers": self._servers, "enable.idempotence": True})

        def done(number: int) -> Callable[[object, object], None]:
            def report(error: object, _message: object) -> None:
                if error:
                    self.failed.append(error)
                else:
                    self.acknowledged.append(number)

            return report

        number = 0
        while not self._is_over.is_set():
            producer.produce("dogs", str(number), partition=0, on_delivery=done(number))
            producer.poll(0.005)
            number += 1
        assert producer.flush(SECONDS) == 0


@pytest.fixture
def cluster() -> Iterator[EmbeddedCluster]:
    selector = {"replica.selector.class": RACK_AWARE}
    with EmbeddedCluster(3, selector, racks=("a", "b", "c")) as made:
        admin = AdminClient({"bootstrap.servers": made.bootstrap_servers})
        topic = NewTopic("dogs", 1, replica_assignment=[BROKERS])
        admin.create_topics([topic])["dogs"].result(30)
        yield made


def reader(cluster: EmbeddedCluster, folder: Path) -> Child:
    try:
        command = command_of(
            KAFKA_3_9, CONSOLE, "--bootstrap-server", cluster.bootstrap_servers,
            "--topic", "dogs", "--partition", "0", "--offset", "earliest",
            "--consumer-property", "client.rack=c",
            "--consumer-property", "metadata.max.age.ms=1000",
            "--property", "print.offset=true",
        )  # fmt: skip
    except PeerMissing as missing:
        give_up(missing)
    return Child(command, folder / "output")


def printed(child: Child) -> list[tuple[int, int]]:
    """Offset and value of each record, in the order in which the consumer got them."""
    assert child.alive(), child.tail()
    text = child.log.read_text().rpartition("\n")[0]
    return [(int(offset), int(value)) for offset, value in PRINTED.findall(text)]


def log_of(cluster: EmbeddedCluster, count: int) -> list[tuple[int, int]]:
    """What the partition has, read from its leader."""
    consumer = Consumer({"bootstrap.servers": cluster.bootstrap_servers, "group.id": "none"})
    try:
        consumer.assign([Place("dogs", 0, 0)])
        found: list[tuple[int, int]] = []
        while len(found) < count:
            messages = consumer.consume(count - len(found), SECONDS)
            assert messages, f"{len(found)} of {count}"
            for one in messages:
                value = one.value()
                assert one.error() is None
                assert value is not None
                found.append((one.offset() or 0, int(value)))
        assert consumer.get_watermark_offsets(Place("dogs", 0), SECONDS) == (0, count)
        return found
    finally:
        consumer.close()


def test_a_reader_in_its_rack_gets_each_record_once_whoever_is_killed(
    cluster: EmbeddedCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = Served(monkeypatch)

    def reads_from(*brokers: int) -> None:
        """Wait until it has got later records, from one of these."""
        before = len(printed(child))
        wait(
            lambda: served.by in brokers and len(printed(child)) > before + 50,
            lambda: (served.by, brokers, before, len(printed(child)), child.tail()),
        )

    def back(broker: int) -> None:
        cluster.start(broker)
        wait(lambda: cluster.in_sync("dogs") == BROKERS, lambda: cluster.in_sync("dogs"))

    child = reader(cluster, tmp_path)
    try:
        with Numbers(cluster.bootstrap_servers) as numbers:
            reads_from(NEAR)
            cluster.kill(NEAR)  # The replica that it reads from.
            reads_from(LEADER, OTHER)
            back(NEAR)
            reads_from(NEAR)
            leader = cluster.leader("dogs")
            cluster.kill(leader)  # The leader, which refers it there.
            reads_from(NEAR)
            back(leader)
            cluster.kill(NEAR)  # Both at once, one after the other.
            cluster.kill(cluster.leader("dogs"))
            reads_from(*BROKERS)
            for broker in set(BROKERS) - {*cluster.running}:
                cluster.start(broker)
            wait(lambda: cluster.in_sync("dogs") == BROKERS, lambda: cluster.in_sync("dogs"))
            reads_from(NEAR)
        assert not numbers.failed, numbers.failed[:3]
        count = len(numbers.acknowledged)
        assert sorted(numbers.acknowledged) == [*range(count)]
        wait(lambda: len(printed(child)) >= count, lambda: (count, len(printed(child))))
        found = printed(child)
        assert [offset for offset, _ in found] == [*range(count)], "lost, doubled or skipped"
        assert found == log_of(cluster, count)
    finally:
        child.kill()
