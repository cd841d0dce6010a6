"""Broker processes under one ZooKeeper, each reached, and reaching ZooKeeper, through links that can be cut."""

import json
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Protocol, Self

from confluent_kafka.admin import AdminClient, NewTopic
from kazoo.client import KazooClient
from kazoo.exceptions import NoNodeError

from barnabas.cli.local_cluster.child_process import ChildProcess
from barnabas.cli.local_cluster.zookeeper_process import start_zookeeper
from tests.chaos.history import Place
from tests.chaos.links import Link, Links
from tests.interop.mixed_cluster import RealMember
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.child import Child, ChildFailed
from tests.interop.peers.generations import KAFKA_3_9
from tests.interop.peers.ready import wait_until_ready

REPLICAS = 3
_SECONDS = 120.0
_PROPERTIES = {
    "zookeeper.session.timeout.ms": "3000",
    "replica.lag.time.max.ms": "3000",
    "replica.fetch.backoff.ms": "100",
    "default.replication.factor": str(REPLICAS),
    "min.insync.replicas": "2",
    "offsets.topic.num.partitions": "4",
    "offsets.topic.replication.factor": str(REPLICAS),
    "transaction.state.log.num.partitions": "4",
    "transaction.state.log.replication.factor": str(REPLICAS),
    "transaction.state.log.min.isr": "2",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "1000",
    "group.initial.rebalance.delay.ms": "0",
    "controlled.shutdown.max.retries": "1",
    "auto.create.topics.enable": "false",
}
"""Short times: a run of minutes is to see many failovers."""


class Process(Protocol):
    """A broker's process."""

    @property
    def child(self) -> Child:
        """The running process."""
        ...

    @property
    def data_dir(self) -> Path:
        """Its logs."""
        ...

    @property
    def folder(self) -> Path:
        """All that it wrote."""
        ...

    def start(self) -> None:
        """Start it."""
        ...


class KafkaProcess(RealMember):
    """A broker of Kafka that has started when it answers: until then SIGTERM makes it end with 1."""

    def start(self) -> None:
        """Start it.

        Raises:
            ChildFailed: it ended.
        """
        super().start()
        wait_until_ready(self.child, self.port)


class Broker:
    """One broker with its links: `inbound` from clients and brokers, `zookeeper` to ZooKeeper."""

    def __init__(self, node_id: int, process: Process, inbound: Link, zookeeper: Link) -> None:
        self.node_id = node_id
        self.process = process
        self.inbound = inbound
        self.zookeeper = zookeeper

    def start(self) -> None:
        """Start it on its data.

        Raises:
            ChildFailed: it did not start, at the third attempt either: a session may be in its way.
        """
        for attempts_left in (2, 1, 0):
            try:
                self.process.start()
            except ChildFailed:
                if not attempts_left:
                    raise
            else:
                return

    def kill(self) -> None:
        self.process.child.kill()

    def stop(self) -> None:
        """In order, with its leaders moved away if the controller can be reached."""
        code = self.process.child.stop()
        assert code in {0, 143}, (
            f"broker {self.node_id} ended with {code}: {self.process.child.tail()}"
        )

    def pause(self) -> None:
        self.process.child.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self.process.child.process.send_signal(signal.SIGCONT)

    def log_bytes(self, place: Place) -> bytes:
        """The records of a partition as they are in its files."""
        files = sorted((self.process.data_dir / f"{place[0]}-{place[1]}").glob("*.log"))
        return b"".join(one.read_bytes() for one in files)


class ChaosCluster:
    """`with ChaosCluster(...) as cluster:` has all brokers running. Its folder stays when that fails."""

    def __init__(self, brokers: int, kafkas: Sequence[int] = ()) -> None:
        """`kafkas`: which of the brokers are of Kafka 3.9; all others are ours."""
        self.brokers: dict[int, Broker] = {}
        self.folder = Path(tempfile.mkdtemp(prefix="chaos-"))
        self._count = brokers
        self._kafkas = kafkas
        self._stack = ExitStack()
        self._zookeeper: ChildProcess | None = None

    def __enter__(self) -> Self:
        with self._stack as stack:
            links = stack.enter_context(Links())
            self._zookeeper, address = start_zookeeper(self.folder, lambda _child: None)
            stack.callback(self._end_zookeeper, self._zookeeper)
            port = int(address.rpartition(":")[2])
            self.client = KazooClient(address)
            self.client.start(_SECONDS)
            stack.callback(self.client.close)
            stack.callback(self.client.stop)
            for node_id in range(1, self._count + 1):
                zookeeper = links.link(port)
                make = self._kafka if node_id in self._kafkas else self._ours
                broker = make(node_id, zookeeper, links)
                self.brokers[node_id] = broker
                broker.start()
                stack.callback(self._end, broker)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def remove(self) -> None:
        """Remove all data, when it has ended."""
        for folder in (self.folder, *(one.process.folder for one in self.brokers.values())):
            shutil.rmtree(folder, ignore_errors=True)

    @staticmethod
    def _end_zookeeper(child: ChildProcess) -> None:
        child.end()
        if not child.wait(_SECONDS):
            child.kill()

    @staticmethod
    def _end(broker: Broker) -> None:
        broker.resume()
        broker.kill()

    def _ours(self, node_id: int, zookeeper: Link, links: Links) -> Broker:
        made = OurBroker(profile="3.9" if self._kafkas else None, log_level="info")
        inbound = links.link(made.port)
        made.properties |= {
            **_PROPERTIES,
            "broker.id": str(node_id),
            "cluster.member": "true",
            "zookeeper.connect": f"127.0.0.1:{zookeeper.port}",
            "listeners": f"PLAINTEXT://127.0.0.1:{made.port}",
            "advertised.listeners": f"PLAINTEXT://127.0.0.1:{inbound.port}",
        }
        # With a broker of Kafka there are no transactions of version 2.
        made.properties["inter.broker.protocol.version"] = "3.9" if self._kafkas else "4.3"
        return Broker(node_id, made, inbound, zookeeper)

    def _kafka(self, node_id: int, zookeeper: Link, links: Links) -> Broker:
        keeper = f"127.0.0.1:{zookeeper.port}"
        made = KafkaProcess(KAFKA_3_9, "3.9", keeper, node_id, self.folder)
        inbound = links.link(made.port)
        more = _PROPERTIES | {"advertised.listeners": f"PLAINTEXT://127.0.0.1:{inbound.port}"}
        with (made.folder / "server.properties").open("a") as file:
            file.writelines(f"{name}={value}\n" for name, value in more.items())
        return Broker(node_id, made, inbound, zookeeper)

    @property
    def servers(self) -> str:
        """Through the links."""
        return ",".join(f"127.0.0.1:{one.inbound.port}" for one in self.brokers.values())

    def create(self, topics: Mapping[str, int]) -> None:
        """Make topics with so many partitions, when all brokers are there."""
        self.wait(lambda: len(self.client.get_children("/brokers/ids")) == self._count, "brokers")
        admin = AdminClient({"bootstrap.servers": self.servers})
        wanted = [NewTopic(name, count, REPLICAS) for name, count in topics.items()]
        for future in admin.create_topics(wanted).values():
            future.result(_SECONDS)
        self.settle([(name, each) for name, count in topics.items() for each in range(count)])

    def settle(self, places: Sequence[Place]) -> None:
        """Wait until all replicas of these partitions are in sync."""
        for place in places:
            self.wait(lambda: len(self.isr(place)) == REPLICAS, f"{place}: {self.isr(place)}")  # noqa: B023

    def isr(self, place: Place) -> list[int]:
        """The replicas in sync, as ZooKeeper has them."""
        with suppress(NoNodeError):
            data, _ = self.client.get(f"/brokers/topics/{place[0]}/partitions/{place[1]}/state")
            found: list[int] = json.loads(data)["isr"]
            return found
        return []

    def differing(self, places: Sequence[Place]) -> list[str]:
        """Partitions whose replicas do not have the same bytes."""
        return [
            f"replicas of {place} differ: {[len(one.log_bytes(place)) for one in self.brokers.values()]}"
            for place in places
            if len({one.log_bytes(place) for one in self.brokers.values()}) > 1
        ]

    def wait(self, happened: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + _SECONDS
        while not happened():
            assert time.monotonic() < deadline, f"{what}; {self.folder} and {self.tails()}"
            time.sleep(0.1)

    def tails(self) -> str:
        """The ends of all logs."""
        return "\n".join(
            f"--- broker {one.node_id} ({one.process.child.log})\n{one.process.child.tail(15)}"
            for one in self.brokers.values()
        )
