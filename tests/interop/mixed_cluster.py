"""A cluster of real Kafka brokers and of ours in one ZooKeeper, whose controller is Kafka's."""

import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from confluent_kafka import Consumer, KafkaError, Producer
from confluent_kafka import TopicPartition as Place
from confluent_kafka.admin import AdminClient, NewTopic
from kazoo.client import KazooClient
from kazoo.exceptions import NoNodeError

from barnabas.config.broker_replication import RACK_AWARE
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.brokers.zookeeper import ZooKeeper
from tests.interop.peers.child import Child
from tests.interop.peers.maven import MavenPeer, class_path, java
from tests.interop.peers.missing import PeerMissing, give_up
from tests.interop.peers.ready import free_ports

SECONDS = 60.0
SESSION_MS = 3000


class RealMember:
    """A broker of Kafka; `start` and `stop` or `kill` may be called in turn."""

    def __init__(
        self,
        peer: MavenPeer,
        protocol: str,
        keeper: str,
        node_id: int,
        folder: Path,
        names: Sequence[str] = ("data",),
    ) -> None:
        (self.port,) = free_ports(1)
        self.node_id = node_id
        self.folder = folder / f"kafka-{node_id}"
        self.folder.mkdir()
        self.directories = [self.folder / one for one in names]
        self.data_dir = self.directories[0]
        log_dirs = ",".join(map(str, self.directories))
        self._peer = peer
        (self.folder / "server.properties").write_text(
            f"broker.id={node_id}\nlog.dirs={log_dirs}\nzookeeper.connect={keeper}\n"
            f"listeners=PLAINTEXT://127.0.0.1:{self.port}\n"
            f"inter.broker.protocol.version={protocol}\nzookeeper.session.timeout.ms={SESSION_MS}\n"
            "replica.lag.time.max.ms=10000\nauto.create.topics.enable=false\n"
            "offsets.topic.num.partitions=3\noffsets.topic.replication.factor=1\n"
            "group.initial.rebalance.delay.ms=0\nnum.partitions=1\n"
            "auto.leader.rebalance.enable=false\ncontrolled.shutdown.max.retries=1\n"
            "delete.topic.enable=true\n"
            f"broker.rack=rack-{node_id}\nreplica.selector.class={RACK_AWARE}\n"
        )

    def start(self) -> None:
        command = [
            java(), "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
            "-cp", class_path(self._peer), "kafka.Kafka", str(self.folder / "server.properties"),
        ]  # fmt: skip
        self.child = Child(command, self.folder / "broker.log", stop_seconds=30)

    def stop(self) -> None:
        """In order: its controller moves its leaders away first."""
        self.child.stop()

    def kill(self) -> None:
        self.child.kill()

    def end(self) -> None:
        """End it, if it was started."""
        if hasattr(self, "child"):
            self.child.kill()

    @property
    def log(self) -> Path:
        """What it says."""
        return self.child.log


class OurMember:
    """A broker of ours in the same cluster."""

    def __init__(
        self,
        protocol: str,
        release: str,
        keeper: str,
        node_id: int,
        names: Sequence[str] = ("data",),
        instead_of: RealMember | None = None,
    ) -> None:
        """`instead_of`: a broker of Kafka with this number, which is stopped: it has its port and logs."""
        self.node_id = node_id
        self._broker = OurBroker(
            properties={
                "broker.id": str(node_id),
                "zookeeper.connect": keeper,
                "zookeeper.session.timeout.ms": str(SESSION_MS),
                "cluster.member": "true",
                "inter.broker.protocol.version": protocol,
                "replica.lag.time.max.ms": "10000",
                "auto.leader.rebalance.enable": "false",
                "delete.topic.enable": "true",
                "broker.rack": f"rack-{node_id}",
                "replica.selector.class": RACK_AWARE,
            },
            profile=release,
        )
        self._is_started = False
        self.directories = [self._broker.folder / one for one in names]
        if instead_of is not None:
            self._broker.port = instead_of.port
            self.directories = instead_of.directories
        self._broker.properties["log.dirs"] = ",".join(map(str, self.directories))
        self.port = self._broker.port
        self.protocol = protocol
        """`inter.broker.protocol.version` from the next start on."""

    def start(self) -> None:
        self._broker.properties["inter.broker.protocol.version"] = self.protocol
        self._broker.start()
        self._is_started = True

    def stop(self) -> None:
        assert self._broker.child.stop() == 0, self._broker.child.tail()

    def kill(self) -> None:
        self._broker.child.kill()

    def end(self) -> None:
        """End it, and leave nothing."""
        if self._is_started:
            self.kill()
        shutil.rmtree(self._broker.folder, ignore_errors=True)

    @property
    def log(self) -> Path:
        """What it says."""
        return self._broker.child.log


Member = RealMember | OurMember


class Generation(NamedTuple):
    """A release of Kafka, and what its brokers send each other."""

    peer: MavenPeer
    release: str
    protocol: str


class MixedCluster:
    """What tests ask of all brokers together, and of ZooKeeper."""

    def __init__(self, keeper: str, *members: Member) -> None:
        self.members = {one.node_id: one for one in members}
        self.keeper = keeper
        """Where its ZooKeeper is."""
        self.client = KazooClient(keeper)
        self.client.start(SECONDS)

    def close(self) -> None:
        self.client.stop()
        self.client.close()
        for member in self.members.values():
            member.end()

    @property
    def servers(self) -> str:
        return ",".join(f"127.0.0.1:{one.port}" for one in self.members.values())

    def create(self, topic: str, replicas: list[list[int]], **config: str) -> None:
        """Have the controller make a topic with these replicas."""
        admin = AdminClient({"bootstrap.servers": self.servers})
        wanted = NewTopic(topic, len(replicas), replica_assignment=replicas, config=config)
        for future in admin.create_topics([wanted]).values():
            future.result(SECONDS)

    def delete(self, topic: str) -> None:
        """Have the controller delete a topic."""
        admin = AdminClient({"bootstrap.servers": self.servers})
        for future in admin.delete_topics([topic], operation_timeout=SECONDS).values():
            future.result(SECONDS)

    def state(self, topic: str, index: int = 0) -> dict[str, object]:
        """Leader and ISR as ZooKeeper has them."""
        try:
            data, _ = self.client.get(f"/brokers/topics/{topic}/partitions/{index}/state")
        except NoNodeError:
            return {}
        found: dict[str, object] = json.loads(data)
        return found

    def wait_for_state(self, topic: str, leader: int, *isr: int) -> None:
        """Until this broker leads, and just these are in sync."""

        def is_so() -> bool:
            state = self.state(topic)
            return state.get("leader") == leader and set(state.get("isr", ())) == set(isr)  # type: ignore[call-overload]

        self.wait(is_so, lambda: self.state(topic))

    def wait_for_isr(self, topic: str, *isr: int) -> None:
        """Until just these are in sync."""

        def is_so() -> bool:
            found: list[int] = self.state(topic).get("isr", [])  # type: ignore[assignment]
            return set(found) == set(isr)

        self.wait(is_so, lambda: self.state(topic))

    def wait_for_controller(self, *node_ids: int) -> None:
        """Until one of these is the controller."""

        def controller() -> int:
            try:
                return int(json.loads(self.client.get("/controller")[0])["brokerid"])
            except NoNodeError:
                return -1

        self.wait(lambda: controller() in node_ids, controller)

    def wait_for_node(self, path: str) -> None:
        self.wait(lambda: self.client.exists(path) is not None, lambda: path)

    def wait(self, happened: Callable[[], bool], shown: Callable[[], object]) -> None:
        deadline = time.monotonic() + SECONDS
        while not happened():
            assert time.monotonic() < deadline, (shown(), self._logs())
            time.sleep(0.05)

    def _logs(self) -> str:
        return "\n".join(one.log.read_text()[-3000:] for one in self.members.values())

    def produce(self, topic: str, first: int, count: int, **config: object) -> None:
        """Records with acks=all; each is acknowledged."""
        failed: list[object] = []
        producer = Producer(
            {
                "bootstrap.servers": self.servers,
                "acks": "all",
                "message.timeout.ms": 40_000,
                **config,
            }
        )
        for number in range(first, first + count):
            producer.produce(
                topic, str(number), partition=0,
                on_delivery=lambda error, _: failed.append(error) if error else None,
            )  # fmt: skip
        assert producer.flush(SECONDS) == 0, self._logs()
        assert not failed, (failed[:3], self._logs())

    def takes(self, topic: str, size: int) -> bool:
        """Whether the leader of a topic takes a record of that size; False: MSG_SIZE_TOO_LARGE."""
        errors: list[KafkaError | None] = []
        producer = Producer({"bootstrap.servers": self.servers})
        producer.produce(
            topic, b"x" * size, partition=0, on_delivery=lambda error, _: errors.append(error)
        )
        assert producer.flush(SECONDS) == 0, self._logs()
        (error,) = errors
        assert error is None or error.code() == KafkaError.MSG_SIZE_TOO_LARGE, error
        return error is None

    def consume(self, topic: str, count: int) -> list[int]:
        consumer = Consumer({"bootstrap.servers": self.servers, "group.id": "none"})
        try:
            consumer.assign([Place(topic, 0, 0)])
            found: list[int] = []
            while len(found) < count:
                message = consumer.poll(SECONDS)
                assert message is not None, self._logs()
                assert message.error() is None, message.error()
                found.append(int(message.value()))
            return found
        finally:
            consumer.close()

    def consume_near(self, topic: str, count: int, node_id: int) -> list[int]:
        """As `consume`, in the rack of a broker, and until that one is fetched from."""
        fetched_from: list[int] = []

        def on_statistics(text: str) -> None:
            found = json.loads(text)["topics"].get(topic)
            if found is not None:
                fetched_from.append(found["partitions"]["0"]["broker"])

        consumer = Consumer(
            {
                "bootstrap.servers": self.servers,
                "group.id": "none",
                "client.rack": f"rack-{node_id}",
                "isolation.level": "read_committed",
                "statistics.interval.ms": 20,
                "stats_cb": on_statistics,
            }
        )
        values: list[int] = []

        def is_done() -> bool:
            message = consumer.poll(0.02)
            if message is not None:
                assert message.error() is None, message.error()
                values.append(int(message.value()))
            return len(values) >= count and fetched_from[-1:] == [node_id]

        try:
            consumer.assign([Place(topic, 0, 0)])
            self.wait(is_done, lambda: (len(values), fetched_from[-5:]))
            return values
        finally:
            consumer.close()

    def log_bytes(self, node_id: int, topic: str) -> bytes:
        """The records of partition 0 as they are in a broker's files."""
        places = self.members[node_id].directories
        files = sorted(file for one in places for file in (one / f"{topic}-0").glob("*.log"))
        return b"".join(one.read_bytes() for one in files)


@contextmanager
def mixed_cluster(
    generation: Generation,
    ours: int | None,
    kafkas: Sequence[int],
    names: Sequence[str] = ("data",),
) -> Iterator[MixedCluster]:
    """A broker of ours and those of Kafka by their numbers, none of them started; skipped without Java.

    Without `ours` there are only those of Kafka. `names` are those of the log directories of each.
    """
    peer, release, protocol = generation
    folder = Path(tempfile.mkdtemp(prefix="mixed-"))
    try:
        class_path(peer)
        with ZooKeeper() as keeper:
            address = keeper.address
            theirs = [RealMember(peer, protocol, address, one, folder, names) for one in kafkas]
            one = [] if ours is None else [OurMember(protocol, release, address, ours, names)]
            found = MixedCluster(address, *one, *theirs)
            try:
                yield found
            finally:
                found.close()
    except PeerMissing as missing:
        give_up(missing)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
