"""LocalCluster: several brokers in this process, a thread each; the registry is a file.

They are a cluster like any other: one of them is the controller, and all they say to each other goes
over connections.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path
from typing import Final

from barnabas.broker.server.node import Node, Parts
from barnabas.broker.server.node_thread import NodeThread
from barnabas.broker.server.registry_opening import HandOver
from barnabas.broker.znodes.broker_znodes import CONTROLLER, decode_controller
from barnabas.config.broker import BrokerConfig
from barnabas.config.listeners import Endpoint
from barnabas.config.releases import RELEASES, is_before
from barnabas.errors import LocalProtocolError
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.files.disk import RealDisk
from barnabas.runtime.registries.embedded import EmbeddedRegistry
from barnabas.runtime.registries.local import LocalRegistry, LocalSession

_MOST_REPLICAS = 3
REGISTRY: Final = "barnabas.registry"
"""The file of the data directory with what Kafka keeps in ZooKeeper."""


def member_properties(
    node_id: int, count: int, directory: Path, host: str, port: int, release: str
) -> dict[str, object]:
    """What distinguishes one of `count` brokers, and what all have as members of a cluster.

    Topics have three replicas, or as many as there are brokers. No broker of Kafka takes part, so they
    have what came after Kafka with ZooKeeper, unless they are to look like an older `release`.
    """
    replicas = min(count, _MOST_REPLICAS)
    protocol: dict[str, object] = {}
    if not release or not is_before(release, "4.0"):
        protocol["inter.broker.protocol.version"] = release or RELEASES[-1]
    return {
        **protocol,
        "node.id": node_id,
        "log.dirs": str(directory / f"broker-{node_id}"),
        "listeners": f"PLAINTEXT://{host}:{port}",
        "cluster.member": "true",
        "default.replication.factor": replicas,
        "offsets.topic.replication.factor": replicas,
        "transaction.state.log.replication.factor": replicas,
        "transaction.state.log.min.isr": min(2, replicas),
        "share.coordinator.state.topic.replication.factor": replicas,
        "share.coordinator.state.topic.min.isr": min(2, replicas),
    }


class LocalCluster:
    """Brokers 1 to `count`, with the directories broker-1 and so on. `open` comes first, `close` last.

    All calls come from one thread.
    """

    def __init__(
        self,
        count: int,
        directory: Path,
        configure: Callable[[int, int], BrokerConfig],
        metrics: Callable[[int], tuple[str, int] | None] = lambda _node_id: None,
        parts: Callable[[int], Parts] = lambda _node_id: Parts(),
    ) -> None:
        """`configure` gives the configuration of a broker by its number, and its port; -1: its first.

        `metrics` gives host and port of a broker's metrics by its number; None: it has none.
        `parts` gives what a broker is made of.
        """
        self.addresses: dict[int, Endpoint] = {}
        """Where clients reach those that run, by their first listener."""
        self.metrics_ports: dict[int, int] = {}
        """The ports of the metrics of those that run and have any."""
        self._directory = directory
        self._count = count
        self._configure = configure
        self._metrics = metrics
        self._parts = parts
        self._sessions: dict[int, LocalSession] = {}
        self._ports: dict[int, int] = {}
        self._running: dict[int, NodeThread] = {}
        self._registry: LocalRegistry | None = None
        self._lock: AbstractContextManager[None] | None = None

    def open(self) -> None:
        """Start all brokers.

        Raises:
            KafkaError: one of them could not start, or another process has the directory; none runs then.
        """
        disk = RealDisk()
        disk.make_directory(str(self._directory))
        lock = disk.lock(str(self._directory / ".lock"))
        lock.__enter__()
        self._lock = lock
        try:
            lasting = EmbeddedRegistry(disk, str(self._directory / REGISTRY))
            self._registry = LocalRegistry(lasting, SystemClock().time_ms())
            for node_id in range(1, self._count + 1):
                self.start(node_id)
        except BaseException:
            self.close()
            raise

    @property
    def running(self) -> list[int]:
        """The brokers that run."""
        return sorted(self._running)

    def session(self) -> LocalSession:
        """A session with the registry, to look into it; nobody watches through it."""
        if self._registry is None:
            raise LocalProtocolError("the cluster is not open")
        return self._registry.session(lambda _callback: None)

    def controller(self) -> int:
        """The broker that is the controller; -1: none is now."""
        session = self.session()
        try:
            node = session.get(CONTROLLER)
        finally:
            session.close()
        return decode_controller(node[0]) if node is not None else -1

    def start(self, node_id: int) -> None:
        """Start a broker, on the data and the port that it had.

        Raises:
            KafkaError: it could not start.
        """
        if self._registry is None:
            raise LocalProtocolError("the cluster is not open")
        if not 0 < node_id <= self._count:
            raise LocalProtocolError(f"there are brokers 1 to {self._count}, and no {node_id}")
        if node_id in self._running:
            raise LocalProtocolError(f"broker {node_id} runs already")
        config = self._configure(node_id, self._ports.get(node_id, -1))
        node = Node(
            config,
            parts=self._parts(node_id),
            session=partial(self._open_session, self._registry, node_id),
            metrics=self._metrics(node_id),
        )
        running = NodeThread(node, f"barnabas broker {node_id}")
        address = next(iter(running.start().values()))
        self._running[node_id] = running
        self._ports[node_id] = address.port
        self.addresses[node_id] = address
        if node.metrics_port is not None:
            self.metrics_ports[node_id] = node.metrics_port

    def stop(self, node_id: int) -> None:
        """Stop a broker in order: others lead its partitions first."""
        self._take(node_id).stop(hand_over=len(self._running) > 0)

    def kill(self, node_id: int) -> None:
        """End a broker as a kill would, but that its session with the registry ends at once."""
        self._take(node_id).kill()

    def close(self) -> None:
        """Stop all brokers, and give the directory back; a second call does nothing.

        Raises:
            BaseException: whatever ended a broker early; the others are stopped all the same.
        """
        for running in self._running.values():
            running.begin_stop(hand_over=False)
        with ExitStack() as left:
            left.callback(self._give_back)
            for node_id in self.running:
                left.callback(self._take(node_id).stop, hand_over=False)

    def node(self, node_id: int) -> Node:
        """A broker that runs."""
        return self._running[node_id].node

    def session_of(self, node_id: int) -> LocalSession:
        """The session of a broker that runs or ran."""
        return self._sessions[node_id]

    def _open_session(
        self, registry: LocalRegistry, node_id: int, hand_over: HandOver
    ) -> LocalSession:
        self._sessions[node_id] = registry.session(hand_over)
        return self._sessions[node_id]

    def _give_back(self) -> None:
        if self._registry is not None:
            self._registry.close()
            self._registry = None
        if self._lock is not None:
            self._lock.__exit__(None, None, None)
            self._lock = None

    def _take(self, node_id: int) -> NodeThread:
        running = self._running.pop(node_id, None)
        if running is None:
            raise LocalProtocolError(f"broker {node_id} does not run")
        del self.addresses[node_id]
        self.metrics_ports.pop(node_id, None)
        return running
