"""Real brokers of Kafka 2.8 obey our controller: a topic, a killed leader, its return, a move, a deletion."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from barnabas.cluster.events import DeletionAsked, PreferredElection, Reassigned
from barnabas.runtime.registries.zookeeper import ZooKeeperRegistry
from barnabas.types import NodeId, TopicPartition
from tests import librdkafka_records
from tests.interop.peers.brokers.zookeeper import ZooKeeper
from tests.interop.peers.child import Child
from tests.interop.peers.generations import KAFKA_2_8
from tests.interop.peers.maven import class_path, java
from tests.interop.peers.missing import PeerMissing, give_up
from tests.interop.peers.ready import free_ports
from tests.our_controller import OurController

pytestmark = [pytest.mark.interop, pytest.mark.java, pytest.mark.long]

ONE, TWO = NodeId(1), NodeId(2)
DOGS = TopicPartition("dogs", 0)
SECONDS = 60.0


class RealBroker:
    """Kafka 2.8 whose ISR is written to ZooKeeper, as by 2.6."""

    def __init__(self, folder: Path, keeper: str, node_id: int) -> None:
        (self.port,) = free_ports(1)
        self.folder = folder / str(node_id)
        self.folder.mkdir()
        (self.folder / "server.properties").write_text(
            f"broker.id={node_id}\nlog.dirs={self.folder}/data\nzookeeper.connect={keeper}\n"
            f"listeners=PLAINTEXT://127.0.0.1:{self.port}\n"
            "inter.broker.protocol.version=2.6\nzookeeper.session.timeout.ms=2000\n"
            "replica.lag.time.max.ms=10000\ncontrolled.shutdown.enable=false\n"
            "auto.create.topics.enable=false\nmin.insync.replicas=1\n"
        )
        self.start()

    def start(self) -> None:
        command = [
            java(), "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
            "-cp", class_path(KAFKA_2_8), "kafka.Kafka", str(self.folder / "server.properties"),
        ]  # fmt: skip
        self.child = Child(command, self.folder / "broker.log", stop_seconds=10)

    def has(self, partition: TopicPartition) -> bool:
        """Whether the log is there."""
        return (self.folder / "data" / f"{partition.topic}-{partition.partition}").is_dir()


class Cluster:
    """ZooKeeper, our controller and two brokers."""

    def __init__(self, folder: Path, keeper: str) -> None:
        registry = ZooKeeperRegistry(
            keeper, session_ms=10_000, connection_ms=60_000, hand_over=lambda call: call()
        )
        self.controller = OurController(registry)
        self.brokers = {one: RealBroker(folder, keeper, one) for one in (ONE, TWO)}
        self.controller.wait_for_brokers(1, 2)

    @property
    def servers(self) -> str:
        return ",".join(f"127.0.0.1:{one.port}" for one in self.brokers.values())

    def stop(self) -> None:
        for broker in self.brokers.values():
            broker.child.kill()
        self.controller.close()

    def produce(self, first: int, count: int) -> None:
        librdkafka_records.produce(self.servers, "dogs", first, count)

    def consume(self, count: int) -> list[int]:
        return librdkafka_records.consume(self.servers, "dogs", count)


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    folder = Path(tempfile.mkdtemp(prefix="obeying-"))
    try:
        class_path(KAFKA_2_8)
        with ZooKeeper() as keeper:
            found = Cluster(folder, keeper.address)
            try:
                yield found
            finally:
                found.stop()
    except PeerMissing as missing:
        give_up(missing)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def test_real_brokers_lead_follow_and_delete_as_our_controller_decides(cluster: Cluster) -> None:
    controller = cluster.controller
    controller.create("dogs", {0: (ONE, TWO)})
    controller.wait_for_isr(DOGS, 1, 2)
    cluster.produce(0, 100)

    # The leader is killed: what was acknowledged is on the other one.
    cluster.brokers[ONE].child.kill()
    controller.wait_for_brokers(2)
    state = controller.wait_for_isr(DOGS, 2)
    assert (state.leader, state.leader_epoch) == (TWO, 1)
    assert cluster.consume(100) == list(range(100))
    cluster.produce(100, 100)

    # It comes back, catches up, and is preferred.
    cluster.brokers[ONE].start()
    controller.wait_for_brokers(1, 2)
    controller.wait_for_isr(DOGS, 1, 2)
    assert not controller.take(PreferredElection((DOGS,))).errors
    state = controller.wait_for_isr(DOGS, 1, 2)
    assert state.leader == ONE
    cluster.produce(200, 100)

    # It moves away from its leader, and back to a broker that has nothing of it any more.
    assert not controller.take(Reassigned({DOGS: (TWO,)})).errors
    state = controller.wait_for_isr(DOGS, 2)
    assert (state.leader, state.replicas) == (TWO, (TWO,))
    assert not cluster.brokers[ONE].has(DOGS)
    assert not controller.take(Reassigned({DOGS: (ONE,)})).errors
    state = controller.wait_for_isr(DOGS, 1, 2)
    assert (state.leader, state.replicas) == (TWO, (ONE, TWO))
    controller.notice(DOGS)
    state = controller.wait_for_isr(DOGS, 1)
    assert (state.leader, state.replicas) == (ONE, (ONE,))
    assert not cluster.brokers[TWO].has(DOGS)
    assert cluster.consume(300) == list(range(300))

    # The topic goes, and its nodes with it.
    controller.take(DeletionAsked("dogs"))
    assert not controller.view.image.topics
    assert not controller.registry.get("/brokers/topics/dogs")
    assert not any(broker.has(DOGS) for broker in cluster.brokers.values())
    refused = [one for one in controller.errors if not isinstance(one, ConnectionError)]
    assert not refused
