"""Apache Kafka itself: one KRaft node on free loopback ports, started from Maven's jars."""

import base64
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.interop.peers.child import Child, ChildFailed
from tests.interop.peers.maven import KAFKA_4, MavenPeer, class_path, java
from tests.interop.peers.ready import free_ports, wait_until_ready

FORMAT_SECONDS = 100


class RealKafka:
    """`with RealKafka() as kafka:` gives a running broker at `kafka.bootstrap_servers`.

    The data goes with the context; after a failure the log stays and the exception names it.
    """

    name = "kafka"

    def __init__(
        self,
        *,
        heap: str = "512m",
        properties: Mapping[str, str] | None = None,
        peer: MavenPeer = KAFKA_4,
        jvm_flags: tuple[str, ...] = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
        prefix: tuple[str, ...] = (),
        features: Mapping[str, int] | None = None,
    ) -> None:
        """`prefix` goes before `java`, for pinning (taskset -c 0).

        `features` are levels that it runs at, where those are not the release's own.
        """
        self.heap = heap
        self.properties = dict(properties or {})
        self.peer = peer
        self.jvm_flags = jvm_flags
        self.prefix = prefix
        self.features = dict(features or {})
        self.port = self.controller_port = 0
        self.cluster_id = ""
        self.folder = Path()
        self.start_seconds = 0.0
        self._child: Child | None = None
        self._command: list[str] = []

    @property
    def bootstrap_servers(self) -> str:
        """host:port, as every client wants it."""
        return f"127.0.0.1:{self.port}"

    @property
    def data_dir(self) -> Path:
        """The log directory."""
        return self.folder / "data"

    @property
    def child(self) -> Child:
        """The running process."""
        if self._child is None:
            raise ChildFailed("not started")
        return self._child

    @property
    def pid(self) -> int:
        """Its process."""
        return self.child.pid

    def __enter__(self) -> Self:
        runtime, jars = java(), class_path(self.peer)
        self.folder = Path(tempfile.mkdtemp(prefix="real-kafka-"))
        self.port, self.controller_port = free_ports(2)
        config = self.folder / "server.properties"
        config.write_text(self._config())
        self._format(runtime, jars, config)
        self._command = [
            *self.prefix, runtime, f"-Xms{self.heap}", f"-Xmx{self.heap}", *self.jvm_flags,
            "-Dlog4j2.level=INFO", "-cp", jars, "kafka.Kafka", str(config),
        ]  # fmt: skip
        self._spawn()
        return self

    @contextmanager
    def down(self) -> Iterator[Path]:
        """Stop it in order for a while, on the same data and port; gives its log directory."""
        self.child.stop()
        yield self.data_dir
        self._spawn()

    def start(self) -> None:
        """Start it again on the same data and port, after `child.stop`."""
        self._spawn()

    def restart(self) -> None:
        """Kill it as a power cut would, and start it again on the same data and port."""
        self.child.kill()
        self._spawn()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.child.stop()
        shutil.rmtree(self.data_dir, ignore_errors=True)
        if error is None:
            shutil.rmtree(self.folder, ignore_errors=True)
        else:
            error.add_note(f"the broker's log is {self.child.log}")

    def _spawn(self) -> None:
        self._child = Child(self._command, self.folder / "broker.log")
        try:
            self.start_seconds = wait_until_ready(self._child, self.port, step=0.01)
        except BaseException:
            self._child.stop()
            raise

    def _format(self, runtime: str, jars: str, config: Path) -> None:
        self.cluster_id = self._cluster()
        levels = [f"--feature={name}={level}" for name, level in self.features.items()]
        done = subprocess.run(
            [
                runtime, "-XX:TieredStopAtLevel=1", "-cp", jars, "kafka.tools.StorageTool",
                "format", self._quorum, "-t", self.cluster_id, "-c", str(config), *levels,
            ],
            capture_output=True, text=True, timeout=FORMAT_SECONDS, check=False,
        )  # fmt: skip
        if done.returncode != 0:
            raise ChildFailed(f"formatting failed:\n{done.stdout}{done.stderr}")

    _quorum = "--standalone"

    def _cluster(self) -> str:
        cluster = base64.urlsafe_b64encode(uuid.UUID(int=uuid.uuid4().int >> 8).bytes)
        return cluster.decode().rstrip("=")

    def _roles(self) -> dict[str, str]:
        """What the node is, and where it is found."""
        place = f"127.0.0.1:{self.controller_port}"
        listeners = f"PLAINTEXT://127.0.0.1:{self.port},CONTROLLER://{place}"
        return {
            "process.roles": "broker,controller",
            "node.id": "1",
            "controller.quorum.bootstrap.servers": place,
            "listeners": listeners,
            "advertised.listeners": listeners,
        }

    def _config(self) -> str:
        single = dict.fromkeys(
            (
                "offsets.topic.num.partitions",
                "offsets.topic.replication.factor",
                "transaction.state.log.num.partitions",
                "transaction.state.log.replication.factor",
                "transaction.state.log.min.isr",
                "share.coordinator.state.topic.num.partitions",
                "share.coordinator.state.topic.replication.factor",
                "share.coordinator.state.topic.min.isr",
            ),
            "1",
        )
        rows = {
            **self._roles(),
            "controller.listener.names": "CONTROLLER",
            "inter.broker.listener.name": "PLAINTEXT",
            "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
            "log.dirs": str(self.data_dir),
            "group.initial.rebalance.delay.ms": "0",
            "group.min.session.timeout.ms": "1000",
            **single,
            **self.properties,
        }
        return "".join(f"{name}={value}\n" for name, value in rows.items())
