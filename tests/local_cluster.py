"""Brokers of ours on one loop, over a ZooKeeper in memory; the controller is ours, in the test's hands."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any, cast

from barnabas.broker.cluster.member import ClusterMember
from barnabas.broker.replicas.partition import Partition
from barnabas.broker.server.assembly import Environment
from barnabas.broker.server.broker_server import BrokerServer
from barnabas.broker.znodes.config_znodes import encode_config
from barnabas.broker.zookeeper.registrations import Registries
from barnabas.cluster.image import PartitionState
from barnabas.config.broker import BrokerConfig
from barnabas.config.broker_replication import RACK_AWARE
from barnabas.ports import SharedRegistry
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.entropy import SystemEntropy
from barnabas.runtime.event_loop import EventLoop
from barnabas.runtime.files.disk import RealDisk
from barnabas.runtime.worker import ThreadWorker
from barnabas.types import NodeId, TopicPartition
from sim.world.zookeeper import SimulatedSession, SimulatedZooKeeper
from tests.our_controller import OurController

SECONDS = 30.0


class LocalCluster:
    """Brokers 1 to `count`, in racks rack-1 and so on.

    Leaders write their ISRs to the registry, as below protocol 2.7.
    """

    def __init__(self, folder: Path, count: int = 2) -> None:
        self._folder = folder
        self._loop = EventLoop()
        self._thread = threading.Thread(target=self._loop.run, name="cluster")
        self._keeper = SimulatedZooKeeper()
        self._disk = RealDisk(call=self._loop.call)
        self._worker = ThreadWorker()
        self._sessions: dict[int, SimulatedSession] = {}
        self.servers: dict[int, BrokerServer] = {}
        self.ports: dict[int, int] = {}
        self._thread.start()
        session = self._on_loop(self._keeper.session)
        self.controller = OurController(cast("SharedRegistry", _OnLoop(session, self._on_loop)))
        for node_id in range(1, count + 1):
            self.start(node_id)

    @property
    def bootstrap_servers(self) -> str:
        return ",".join(f"127.0.0.1:{port}" for port in self.ports.values())

    def start(self, node_id: int) -> None:
        """Start a broker, on the data and the port that it had; the controller acts on that."""
        session = self._sessions[node_id] = self._keeper.session(self._loop.call)
        config = BrokerConfig.load(
            {
                "broker.id": node_id,
                "log.dirs": str(self._folder / str(node_id)),
                "listeners": f"PLAINTEXT://127.0.0.1:{self.ports.get(node_id, 0)}",
                "zookeeper.connect": "simulated:1",
                "cluster.member": "true",
                "inter.broker.protocol.version": "2.6",
                "replica.lag.time.max.ms": "1000",
                "replica.fetch.backoff.ms": "50",
                "replica.fetch.wait.max.ms": "100",
                "controlled.shutdown.enable": "false",
                "broker.rack": f"rack-{node_id}",
                "replica.selector.class": RACK_AWARE,
            }
        )
        world = Environment(
            SystemClock(),
            self._disk,
            self._loop.network,
            self._loop.timers,
            SystemEntropy(),
            self._worker,
        )
        server = BrokerServer(config, world, lambda _paths: Registries(session, session))
        addresses = self._on_loop(server.start)
        self.servers[node_id] = server
        self.ports[node_id] = addresses["PLAINTEXT"].port
        self.controller.wait_for_brokers(*self.servers)

    def stop(self, node_id: int) -> None:
        """Stop a broker; the controller acts on that."""
        server, stopped = self.servers.pop(node_id), threading.Event()
        self._on_loop(partial(server.stop, stopped.set))
        assert stopped.wait(SECONDS)
        if self.servers:
            self.controller.wait_for_brokers(*self.servers)

    def close(self) -> None:
        try:
            for node_id in [*self.servers]:
                server, stopped = self.servers.pop(node_id), threading.Event()
                self._on_loop(partial(server.stop, stopped.set))
                assert stopped.wait(SECONDS)
        finally:
            self._loop.call(self._loop.stop)
            self._thread.join(SECONDS)
            self._worker.close()
            self._disk.close()

    def member(self, node_id: int) -> ClusterMember:
        broker = self.servers[node_id]._broker
        assert broker is not None
        assert broker.member is not None
        return broker.member

    def partition(self, node_id: int, topic: str) -> Partition:
        """Partition 0 as a broker has it."""
        broker = self.servers[node_id]._broker
        assert broker is not None
        found = broker.replicas.find(topic, 0)
        assert found is not None
        return found

    def expire(self, node_id: int) -> None:
        """The broker's session ends, and it has another one; the controller acts on that."""
        self._on_loop(self._sessions[node_id].expire)
        self.controller.wait_for_brokers(*self.servers)

    def cut(self, node_id: int) -> None:
        """A broker copies nothing, and lives."""
        fetchers = self.member(node_id)._fetchers
        self._on_loop(partial(fetchers.know_brokers, {}))

    def heal(self, node_id: int) -> None:
        """It copies again."""
        member = self.member(node_id)
        self._on_loop(lambda: member._roles.know_brokers(member.image.brokers))

    def wait_for_isr(self, topic: str, *isr: int) -> PartitionState:
        return self.controller.wait_for_isr(TopicPartition(topic, 0), *isr)

    def create(self, topic: str, *replicas: int, **config: str) -> None:
        """A topic of one partition; the names of properties have underscores."""
        own = {name.replace("_", "."): value for name, value in config.items()}
        self.controller.registry.set(f"/config/topics/{topic}", encode_config(own))
        self.controller.create(topic, {0: tuple(map(NodeId, replicas))})

    def file(self, node_id: int, name: str) -> Path:
        return self._folder / str(node_id) / name

    def log_bytes(self, node_id: int, topic: str) -> bytes:
        files = sorted((self._folder / str(node_id) / f"{topic}-0").glob("*.log"))
        return b"".join(one.read_bytes() for one in files)

    def wait_for_copy(self, leader: int, follower: int, topic: str) -> None:
        """Wait until the follower's log has the same bytes."""
        deadline = time.monotonic() + SECONDS
        while self.log_bytes(follower, topic) != self.log_bytes(leader, topic):
            assert time.monotonic() < deadline, f"{follower} has not what {leader} has of {topic}"
            time.sleep(0.02)

    def _on_loop(self, call: Callable[[], Any]) -> Any:
        """What `call` returns or raises, on the loop's thread."""
        done: Future[Any] = Future()

        def run() -> None:
            try:
                done.set_result(call())
            except Exception as error:  # noqa: BLE001 - the test gets it
                done.set_exception(error)

        self._loop.call(run)
        return done.result(SECONDS)


class _OnLoop:
    """A session that is called from another thread than the loop's."""

    def __init__(
        self, session: SimulatedSession, on_loop: Callable[[Callable[[], Any]], Any]
    ) -> None:
        self._session = session
        self._on_loop = on_loop

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._session, name)
        return lambda *given, **more: self._on_loop(partial(method, *given, **more))
