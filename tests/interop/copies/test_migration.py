"""A topic of Jafka's, found through ZooKeeper, into real Kafka and into ours, killed on the way."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition
from kazoo.client import KazooClient

from barnabas import driver07
from barnabas.driver07 import BrokerPartition, Producer, SimpleConsumer
from tests.interop.brokers import InteropBroker
from tests.interop.peers.brokers.jafka import Jafka
from tests.interop.peers.brokers.zookeeper import ZooKeeper
from tests.interop.peers.missing import PeerMissing, give_up

pytestmark = [pytest.mark.interop, pytest.mark.java]

SECONDS = 120
PATH = "/old"
COUNT = 12_000
SENT = [b"%d " % number + b"x" * (number % 100) for number in range(COUNT)]


class Old:
    """Two brokers that are Jafka's with two partitions each, and a group that has read some."""

    def __init__(self, keeper: ZooKeeper, brokers: list[Jafka]) -> None:
        self.zookeeper = f"{keeper.address}{PATH}"
        self.brokers = brokers
        self.read: dict[BrokerPartition, list[bytes]] = {}
        with Producer({"zk.connect": self.zookeeper}) as plain:
            self._send(plain, SENT[: COUNT // 2])
        with Producer({"zk.connect": self.zookeeper, "compression.codec": 1}) as packed:
            self._send(packed, SENT[COUNT // 2 :])
        self._read_as_group()

    def _send(self, producer: Producer, values: list[bytes]) -> None:
        for first in range(0, len(values), 200):
            producer.send("dogs", *values[first : first + 200], key=str(first))

    def _read_as_group(self) -> None:
        """About a half of it, by a consumer of 0.7 that commits."""
        config = {"zk.connect": self.zookeeper, "groupid": "kennel", "fetch.size": 50_000}
        with driver07.Consumer(["dogs"], config) as consumer:
            deadline = time.monotonic() + SECONDS
            while sum(map(len, self.read.values())) < COUNT // 2:
                assert time.monotonic() < deadline
                for chunk in consumer.poll(0.1):
                    values = [bytes(message.payload) for message in chunk.messages]
                    self.read.setdefault(chunk.partition, []).extend(values)

    def stored(self) -> list[list[bytes]]:
        """What a simple consumer reads, place by place."""
        found = []
        for broker in self.brokers:
            with SimpleConsumer("127.0.0.1", broker.port) as consumer:
                for partition in (0, 1):
                    values: list[bytes] = []
                    at, end = 0, consumer.offsets("dogs", partition)[0]
                    while at < end:
                        messages, at = consumer.fetch("dogs", partition, at)
                        values += [bytes(message.payload) for message in messages]
                    found.append(values)
        return found


@pytest.fixture(scope="module")
def old() -> Iterator[Old]:
    try:
        with ZooKeeper() as keeper:
            with closing(KazooClient(keeper.address)) as root:
                root.start(SECONDS)
                root.ensure_path(PATH)
                root.stop()
            with Jafka(keeper, PATH, 1) as one, Jafka(keeper, PATH, 2) as two:
                yield Old(keeper, [one, two])
    except PeerMissing as missing:
        give_up(missing)


@pytest.fixture(
    params=[
        pytest.param("real_kafka", id="kafka"),
        pytest.param("our_broker", marks=pytest.mark.long, id="barnabas"),
    ]
)
def broker(request: pytest.FixtureRequest) -> InteropBroker:
    """Where to."""
    return InteropBroker(request.getfixturevalue(request.param))


def start(old: Old, broker: InteropBroker, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "barnabas", "migrate", "dogs", "--zookeeper", old.zookeeper),
            *("--groups", "--map", str(folder / "map"), "-b", broker.bootstrap_servers),
            *("--to", f"dogs-{broker.name}", "-z", "zstd", "--json"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    )


def kill_at(process: subprocess.Popen[str], map_file: Path, lines: int) -> None:
    """SIGKILL as soon as the map has so many lines, unless it is done before."""
    while process.poll() is None:
        if map_file.exists() and map_file.read_bytes().count(b"\n") >= lines:
            process.kill()
        time.sleep(0.002)
    process.communicate()


def places_of(old: Old, broker: InteropBroker) -> list[str]:
    """What brokers that are only named, not found in ZooKeeper, have of the topic."""
    named = [f"--from={number}=127.0.0.1:{one.port}" for number, one in enumerate(old.brokers, 1)]
    command = [sys.executable, "-m", "barnabas", "migrate", "dogs", *named, "--dry-run", "--json"]
    where = ["-b", broker.bootstrap_servers]
    done = subprocess.run(
        [*command, *where], capture_output=True, text=True, timeout=SECONDS, check=True
    )
    return [row["source"] for row in json.loads(done.stdout)["partitions"]]


def values(
    broker: InteropBroker, topic: str, group: str = "", count: int = COUNT
) -> list[list[bytes]]:
    """What librdkafka reads of each partition from where the group is, or from the beginning."""
    settings: dict[str, str | int | bool] = {
        "bootstrap.servers": broker.bootstrap_servers,
        "group.id": group or "nobody",
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
    }
    found: list[list[bytes]] = [[], [], [], []]
    with closing(Consumer(settings)) as consumer:
        places = [TopicPartition(topic, one) for one in range(4)]
        consumer.assign(consumer.committed(places, SECONDS) if group else places)
        deadline = time.monotonic() + SECONDS
        while sum(map(len, found)) < count:
            assert time.monotonic() < deadline, sum(map(len, found))
            # It waits until there are so many, or for so long.
            for message in consumer.consume(1000, 0.2):
                assert not message.error(), message.error()
                assert message.key() is None
                found[message.partition() or 0].append(message.value() or b"")
    return found


def test_killed_on_the_way_and_compared(old: Old, broker: InteropBroker, tmp_path: Path) -> None:
    topic = f"dogs-{broker.name}"
    assert places_of(old, broker) == ["1-0", "1-1", "2-0", "2-1"]
    for lines in (2, 4) if broker.name == "barnabas" else (4,):
        kill_at(start(old, broker, tmp_path), tmp_path / "map", lines)
    process = start(old, broker, tmp_path)
    out, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, err
    report = json.loads(out)
    assert [row["source"] for row in report["partitions"]] == ["1-0", "1-1", "2-0", "2-1"]
    assert sum(row["compared"] for row in report["partitions"]) == COUNT
    stored = old.stored()
    assert values(broker, topic) == stored
    # The group goes on behind what it has read, or at the compressed message that it was in.
    assert {row["state"] for row in report["groups"]} == {"moved"}
    places = [BrokerPartition(number, partition) for number in (1, 2) for partition in (0, 1)]
    read = [len(old.read.get(place, [])) for place in places]
    assert {row["source"] for row in report["groups"]} == {str(place) for place in old.read}
    moved = {row["partition"]: row["new_offset"] for row in report["groups"]}
    left = [moved.get(partition, 0) for partition in range(4)]
    assert all(new <= known for new, known in zip(left, read, strict=True))
    assert sum(left) > 0
    rest = values(broker, topic, "kennel", COUNT - sum(left))
    assert rest == [one[new:] for one, new in zip(stored, left, strict=True)]
