"""Jafka, a broker of Kafka 0.7's protocol that can still be run. It refuses messages of magic 0."""

import shutil
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.interop.peers.brokers.zookeeper import ZooKeeper
from tests.interop.peers.child import Child
from tests.interop.peers.kafka07_clients import JAFKA
from tests.interop.peers.maven import class_path, java
from tests.interop.peers.ready import free_ports


class Jafka:
    """`with Jafka(keeper, path, number) as jafka:` is registered; its data goes with the context."""

    def __init__(self, keeper: ZooKeeper, path: str, number: int) -> None:
        self._keeper = keeper
        self._path = path
        self._number = number
        self._folder = Path()
        self._child: Child | None = None
        self.port = 0

    def __enter__(self) -> Self:
        jars = class_path(JAFKA)
        self._folder = Path(tempfile.mkdtemp(prefix="jafka-"))
        (self.port,) = free_ports(1)
        rows = {
            "brokerid": str(self._number),
            "hostname": "127.0.0.1",
            "port": str(self.port),
            "log.dir": f"{self._folder}/data",
            "num.partitions": "2",
            "log.file.size": "5000",
            "log.flush.interval": "1",
            "enable.zookeeper": "true",
            "zk.connect": f"{self._keeper.address}{self._path}",
        }
        config = self._folder / "server.properties"
        config.write_text("".join(f"{name}={value}\n" for name, value in rows.items()))
        command = [java(), "-Xmx128m", "-XX:TieredStopAtLevel=1", "-cp", jars, "io.jafka.Jafka"]
        self._child = Child([*command, str(config)], self._folder / "jafka.log")
        try:
            self._keeper.wait_for("dump", f"{self._path}/brokers/ids/{self._number}")
        except BaseException as error:
            error.add_note(self._child.tail())
            self.__exit__(None, error, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._child is not None
        self._child.stop()
        shutil.rmtree(self._folder, ignore_errors=True)
