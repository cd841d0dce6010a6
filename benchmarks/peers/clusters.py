"""The clusters of a comparison: brokers of ours or of Kafka 3.9, each cluster with a ZooKeeper of its own."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from confluent_kafka.admin import AdminClient

from benchmarks.peers.brokers import KAFKA_JVM, cpu_seconds
from tests.interop.brokers import wait_until_led
from tests.interop.mixed_cluster import MixedCluster, OurMember, RealMember
from tests.interop.peers.brokers.zookeeper import ZooKeeper
from tests.interop.peers.child import Child
from tests.interop.peers.generations import KAFKA_3_9
from tests.interop.peers.maven import class_path, java

RELEASE = "3.9"
NODES = (1, 2, 3)
SESSION_MS = 18_000
"""Kafka's default: on a busy machine nobody loses a session."""


class BenchMember(RealMember):
    """A broker of Kafka, run as its start script does, with its own default of the session's time."""

    def start(self) -> None:
        """Start it, and wait for nothing."""
        config = self.folder / "server.properties"
        config.write_text(f"{config.read_text()}zookeeper.session.timeout.ms={SESSION_MS}\n")
        command = [
            java(), "-Xms1g", "-Xmx1g", *KAFKA_JVM,
            "-cp", class_path(KAFKA_3_9), "kafka.Kafka", str(self.folder / "server.properties"),
        ]  # fmt: skip
        self.child = Child(command, self.folder / "broker.log", stop_seconds=30)


class BenchOurMember(OurMember):
    """A broker of ours."""

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self._broker.properties["zookeeper.session.timeout.ms"] = str(SESSION_MS)
        super().start()

    @property
    def child(self) -> Child:
        """Its process."""
        return self._broker.child


BenchBroker = BenchMember | BenchOurMember


class BenchCluster(MixedCluster):
    """Brokers of one kind, the second of which was there first, and so is the controller."""

    def __init__(self, keeper: str, *members: BenchBroker) -> None:
        super().__init__(keeper, *members)
        self.brokers = {one.node_id: one for one in members}
        for node_id in sorted(self.brokers, key=lambda one: one != 2):
            self.brokers[node_id].start()
            self.wait_for_node(f"/brokers/ids/{node_id}")

    def create(self, topic: str, replicas: list[list[int]], **config: str) -> None:
        """As all members; broker 1 knows the leader then, where there is one partition."""
        super().create(topic, replicas, **config)
        if len(replicas) > 1:
            return
        admin = AdminClient({"bootstrap.servers": f"127.0.0.1:{self.brokers[1].port}"})
        wait_until_led(admin, topic, len(replicas))

    def cpu(self, *nodes: int) -> float:
        """Seconds that the processes of these brokers, or of all, have taken since they began."""
        return sum(cpu_seconds(self.brokers[one].child.pid) for one in nodes or self.brokers)


@contextmanager
def bench_cluster(*, ours: bool, nodes: Sequence[int] = NODES) -> Iterator[BenchCluster]:
    """One side, running: a broker for each of these numbers.

    Raises:
        PeerMissing: there is no Java or no Kafka 3.9 here.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="bench-cluster-")))
        class_path(KAFKA_3_9)
        keeper = stack.enter_context(ZooKeeper()).address
        members: list[BenchBroker] = [
            BenchOurMember(RELEASE, RELEASE, keeper, one)
            if ours
            else BenchMember(KAFKA_3_9, RELEASE, keeper, one, folder)
            for one in nodes
        ]
        cluster = BenchCluster(keeper, *members)
        stack.callback(cluster.close)
        yield cluster
