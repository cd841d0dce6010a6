"""`barnabas serve` as its own process: started, killed and started again on the same data."""

import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.interop.peers.child import Child, ChildFailed
from tests.interop.peers.ready import (
    ASK_METADATA,
    ASK_VERSIONS,
    free_ports,
    wait_until_ready,
)

SOURCES = Path(__file__).resolve().parents[4] / "src"


class OurBroker:
    """`with OurBroker() as broker:` gives a running broker; the data goes with the context.

    `start` and `kill` may be called in turn: port and data stay the same.
    """

    name = "barnabas"

    def __init__(
        self,
        *,
        properties: Mapping[str, str] | None = None,
        prefix: tuple[str, ...] = (),
        profile: str | None = None,
        log_level: str = "warning",
        sources: Path = SOURCES,
    ) -> None:
        """`prefix` goes before the command, for pinning (taskset -c 0).

        `profile` is the release of Kafka that it behaves as, `sources` the code that is run.
        """
        self.sources = sources
        self.profile = profile
        self.log_level = log_level
        self.properties = dict(properties or {})
        self.prefix = prefix
        self.folder = Path(tempfile.mkdtemp(prefix="our-broker-"))
        (self.port,) = free_ports(1)
        self.start_seconds = 0.0
        self._child: Child | None = None

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

    def start(self, *, step: float = 0.01) -> None:
        """Start the process and wait until it answers.

        Raises:
            ChildFailed: it ended, or did not answer.
        """
        self.spawn()
        try:
            question = ASK_METADATA if self.profile else ASK_VERSIONS
            self.start_seconds = wait_until_ready(
                self.child, self.port, step=step, question=question
            )
        except BaseException:
            self.child.stop()
            raise

    def command(self) -> list[str]:
        """What starts it, without the prefix."""
        settings = [
            part for name, value in self.properties.items() for part in ("--set", f"{name}={value}")
        ]
        # --port would win over listeners that a test asks for, --data-dir over log.dirs.
        port = () if "listeners" in self.properties else ("--port", str(self.port))
        data = () if "log.dirs" in self.properties else ("--data-dir", str(self.data_dir))
        return [
            sys.executable, "-m", "barnabas", "serve", *port, *data,
            "--log-level", self.log_level, *settings,
            *(("--profile", self.profile) if self.profile else ()),
        ]  # fmt: skip

    def spawn(self) -> None:
        """Start the process and wait for nothing."""
        command = [*self.prefix, *self.command()]
        environment = {**os.environ, "PYTHONPATH": str(self.sources)}
        # An installed package has its bytecode; without it half of the start is compiling.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        self._child = Child(command, self.folder / "broker.log", environment=environment)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        code = self.child.stop()
        if error is None:
            shutil.rmtree(self.folder, ignore_errors=True)
            if code != 0:
                raise ChildFailed(f"the broker ended with {code}:\n{self.child.tail()}")
        else:
            error.add_note(f"the broker's log is {self.child.log}")
