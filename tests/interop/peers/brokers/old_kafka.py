"""Apache Kafka of a release that needs ZooKeeper, 0.8.0 to 2.8: one broker on loopback."""

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.interop.peers.brokers.zookeeper import ZooKeeper
from tests.interop.peers.child import Child
from tests.interop.peers.maven import MavenPeer, class_path, java
from tests.interop.peers.ready import free_ports


class OldKafka:
    """`with OldKafka(release) as kafka:` gives a broker of id 1; its data goes with the context."""

    def __init__(self, release: MavenPeer, properties: Mapping[str, str] | None = None) -> None:
        self.name = release.name
        self._release = release
        self._properties = dict(properties or {})
        self.keeper = ZooKeeper()
        self._folder = Path()
        self._child: Child | None = None
        self._command: list[str] = []
        self.port = 0

    @property
    def bootstrap_servers(self) -> str:
        """host:port, as every client wants it."""
        return f"127.0.0.1:{self.port}"

    @property
    def data_dir(self) -> Path:
        """The log directory."""
        return self._folder / "data"

    def __enter__(self) -> Self:
        jars = class_path(self._release)
        self.keeper.__enter__()
        self._folder = Path(tempfile.mkdtemp(prefix="old-kafka-"))
        (self.port,) = free_ports(1)
        config = self._folder / "server.properties"
        config.write_text(self._config())
        self._command = [
            java(), "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
            # The snappy of 0.8.0 and 0.8.1 loads its library so.
            "--add-opens", "java.base/java.lang=ALL-UNNAMED",
            "-cp", jars, "kafka.Kafka", str(config),
        ]  # fmt: skip
        self._spawn()
        return self

    @contextmanager
    def down(self) -> Iterator[Path]:
        """Stop it in order for a while, on the same data and port; gives its log directory."""
        assert self._child is not None
        self._child.stop()
        yield self.data_dir
        self.keeper.wait_for("dump", "/brokers/ids/1", there=False)
        self._spawn()

    def _spawn(self) -> None:
        self._child = Child(self._command, self._folder / "broker.log", stop_seconds=10)
        try:
            # It opens its port before it is registered, and makes no topic until then.
            self.keeper.wait_for("dump", "/brokers/ids/1")
        except BaseException as error:
            error.add_note(self._child.tail())
            self.__exit__(None, error, None)
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._child is not None
        self._child.stop()
        self.keeper.__exit__(kind, error, trace)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _config(self) -> str:
        before_listeners = self._release.version.startswith("0.8.")
        place = (
            {"port": str(self.port), "host.name": "127.0.0.1", "advertised.host.name": "127.0.0.1"}
            if before_listeners
            else {"listeners": f"PLAINTEXT://{self.bootstrap_servers}"}
        )
        rows = {
            "broker.id": "1",
            "log.dirs": str(self.data_dir),
            "zookeeper.connect": self.keeper.address,
            "offsets.topic.num.partitions": "1",
            "offsets.topic.replication.factor": "1",
            **place,
            **self._properties,
        }
        return "".join(f"{name}={value}\n" for name, value in rows.items())
