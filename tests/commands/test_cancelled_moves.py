"""`barnabas reassign cancel` while clients write and read: moves end where they began, with all records."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep
from typing import Self

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka import TopicPartition as Place
from confluent_kafka.admin import AdminClient, NewTopic

from barnabas import Admin, Resource
from barnabas.testing import EmbeddedCluster
from tests.commands.served import SECONDS, run

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

BEFORE, AFTER = [1, 2], [3, 4]
PARTITIONS = 40
NODES = (1, 2, 3, 4)
FILLING = 200
"""Records in each partition before the moves: bytes that take longer than a command at the throttle below."""
VALUE = b"x" * 5_000
SLOW = ("--throttle", "1000000")


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[EmbeddedCluster]:
    with EmbeddedCluster(len(NODES), data_dir=tmp_path / "data") as made:
        admin = AdminClient({"bootstrap.servers": made.bootstrap_servers})
        topic = NewTopic("dogs", PARTITIONS, replica_assignment=[BEFORE] * PARTITIONS)
        admin.create_topics([topic])["dogs"].result(60)
        yield made


def wait(happened: Callable[[], bool]) -> None:
    deadline = monotonic() + 4 * SECONDS
    while not happened():
        assert monotonic() < deadline
        sleep(0.1)


class Load:
    """Writes to all partitions with acks=all until it is stopped; each record has its number as its key."""

    def __init__(self, servers: str) -> None:
        self._producer = Producer({"bootstrap.servers": servers, "enable.idempotence": True})
        self._is_over = Event()
        self._thread = Thread(target=self._run)
        self.acknowledged: set[int] = set()
        self.failed: list[object] = []
        self._sent = 0

    def send(self, count: int) -> None:
        for _ in range(count):
            number, self._sent = self._sent, self._sent + 1

            def done(error: object, _: object, number: int = number) -> None:
                if error:
                    self.failed.append(error)
                else:
                    self.acknowledged.add(number)

            self._producer.produce(
                "dogs", VALUE, str(number), number % PARTITIONS, on_delivery=done
            )
            self._producer.poll(0)

    def flush(self) -> None:
        assert self._producer.flush(4 * SECONDS) == 0
        assert not self.failed, self.failed[:3]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join(4 * SECONDS)
        assert not self._thread.is_alive()

    def _run(self) -> None:
        while not self._is_over.is_set():
            self.send(PARTITIONS)
            self._producer.poll(0.1)


def read_all(cluster: EmbeddedCluster, count: int) -> Counter[int]:
    """The numbers of all records, each as often as it is there."""
    consumer = Consumer({"bootstrap.servers": cluster.bootstrap_servers, "group.id": "none"})
    try:
        consumer.assign([Place("dogs", index, 0) for index in range(PARTITIONS)])
        found: Counter[int] = Counter()
        while found.total() < count:
            messages = consumer.consume(1000, 4 * SECONDS)
            assert messages, f"{found.total()} of {count}"
            for one in messages:
                assert one.error() is None
                found[int(one.key() or b"")] += 1
        ends = [consumer.get_watermark_offsets(Place("dogs", one), 60) for one in range(PARTITIONS)]
        assert sum(end for _, end in ends) == count
        return found
    finally:
        consumer.close()


def logs(cluster: EmbeddedCluster) -> dict[int, int]:
    """How many logs of the topic each broker has, if any."""
    with Admin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        found = {
            node: sum(place.topic == "dogs" for one in directories for place in one.sizes)
            for node, directories in admin.describe_log_dirs().items()
        }
    return {node: count for node, count in found.items() if count}


def throttles(cluster: EmbeddedCluster) -> list[str]:
    with Admin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        rows = [admin.describe_configs(Resource.BROKER, str(node)) for node in NODES]
        rows.append(admin.describe_configs(Resource.TOPIC, "dogs"))
    return [
        name
        for one in rows
        for name, entry in one.items()
        if "replication.throttled" in name and entry.value
    ]


def is_at(cluster: EmbeddedCluster, replicas: list[int]) -> bool:
    in_sync = (cluster.in_sync("dogs", index) for index in range(PARTITIONS))
    return all(one == replicas for one in in_sync) and logs(cluster) == dict.fromkeys(
        replicas, PARTITIONS
    )


def plan(path: Path, replicas: list[int]) -> str:
    rows = [
        {"topic": "dogs", "partition": index, "replicas": replicas} for index in range(PARTITIONS)
    ]
    path.write_text(json.dumps({"version": 1, "partitions": rows}))
    return str(path)


def test_moves_that_are_cancelled_under_load_lose_nothing(
    cluster: EmbeddedCluster, tmp_path: Path
) -> None:
    servers = cluster.bootstrap_servers
    there, back = plan(tmp_path / "there.json", AFTER), plan(tmp_path / "back.json", BEFORE)
    load = Load(servers)
    load.send(FILLING * PARTITIONS)
    load.flush()
    with load:
        for _ in range(2):
            begun = run("reassign", "run", there, "--yes", "--no-wait", *SLOW, servers=servers)
            assert begun.code == 0, begun.err
            assert run("reassign", "status", servers=servers).lines
            cancelled = run("reassign", "cancel", "--all", "--yes", servers=servers)
            assert cancelled.code == 0, cancelled.err
            assert run("reassign", "status", servers=servers).lines == []
            assert throttles(cluster) == []
            # What has moved before the cancel goes back; the others are where they were.
            moved = run("reassign", "run", back, "--yes", servers=servers)
            assert moved.code == 0, moved.err
            wait(lambda: is_at(cluster, BEFORE))
        moved = run("reassign", "run", there, "--yes", servers=servers)
        assert moved.code == 0, moved.err
        wait(lambda: is_at(cluster, AFTER))
    load.flush()
    found = read_all(cluster, len(load.acknowledged))
    assert found == Counter(load.acknowledged)
