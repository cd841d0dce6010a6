"""ZooKeeper, which Kafka to 2.8 needs: one small server on loopback for every release."""

import contextlib
import shutil
import socket
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.interop.peers.child import Child, ChildFailed
from tests.interop.peers.maven import MavenPeer, class_path, java
from tests.interop.peers.ready import free_ports

ZOOKEEPER = MavenPeer(
    "zookeeper-3.9.5",
    (
        "org.apache.zookeeper:zookeeper:3.9.5",
        # Without these two it opens its port and never serves.
        "io.dropwizard.metrics:metrics-core:4.1.12.1",
        "org.xerial.snappy:snappy-java:1.1.10.5",
        "org.slf4j:slf4j-simple:2.0.13",
    ),
    without=("io.netty:*", "commons-io:commons-io", "org.apache.yetus:*"),
)
START_SECONDS = 60.0


class ZooKeeper:
    """`with ZooKeeper() as keeper:` listens at `keeper.address`; its data goes with the context.

    `kill` and `start` may be called in turn: port and data stay the same.
    """

    def __init__(self, peer: MavenPeer = ZOOKEEPER) -> None:
        """`peer`: what has the server among its libraries, as each Kafka before 4.0 has."""
        self._peer = peer
        self._folder = Path()
        self._child: Child | None = None
        self.port = 0

    @property
    def address(self) -> str:
        """host:port."""
        return f"127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        class_path(self._peer)
        self._folder = Path(tempfile.mkdtemp(prefix="zookeeper-"))
        (self.port,) = free_ports(1)
        (self._folder / "zoo.cfg").write_text(
            f"dataDir={self._folder}/data\nclientPort={self.port}\nclientPortAddress=127.0.0.1\n"
            "admin.enableServer=false\nmaxClientCnxns=0\n4lw.commands.whitelist=*\n"
            # Sessions as short as a test wants them.
            "tickTime=200\nminSessionTimeout=400\nmaxSessionTimeout=60000\n"
        )
        self.start()
        return self

    @property
    def child(self) -> Child:
        """The running process."""
        assert self._child is not None, "not started"
        return self._child

    def start(self) -> None:
        """Start the process and wait until it serves.

        Raises:
            ChildFailed: it did not.
        """
        command = [
            java(), "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", class_path(self._peer),
            "org.apache.zookeeper.server.ZooKeeperServerMain", str(self._folder / "zoo.cfg"),
        ]  # fmt: skip
        self._child = Child(command, self._folder / "zookeeper.log")
        try:
            self.wait_for("srvr", "Mode:")
        except BaseException:
            self._child.stop()
            raise

    def kill(self) -> None:
        """End the process, as a power cut would."""
        self.child.kill()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.child.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def wait_for(self, question: str, text: str, *, there: bool = True) -> None:
        """Ask (a word of four letters) until the answer has the text, or has it no more.

        Raises:
            ChildFailed: it did not in time.
        """
        deadline = time.monotonic() + START_SECONDS
        while (text in self._ask(question)) is not there:
            if time.monotonic() > deadline:
                verb = "does not tell" if there else "still tells"
                raise ChildFailed(f"ZooKeeper {verb} {text} of {question}")
            time.sleep(0.05)

    def _ask(self, question: str) -> str:
        answer = b""
        with (
            contextlib.suppress(OSError),
            socket.create_connection(("127.0.0.1", self.port), 5) as connection,
        ):
            connection.sendall(question.encode())
            while received := connection.recv(4096):
                answer += received
        return answer.decode()
