"""CountWords of `java/`, an application of Kafka Streams: one instance, watched through what it prints."""

import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from tests.interop.peers.child import Child, ChildFailed
from tests.interop.peers.java_client import compiled
from tests.interop.peers.maven import KAFKA_STREAMS, MavenPeer, class_path, java

SECONDS = 60.0
_STATES = ("CREATED", "REBALANCING", "RUNNING", "PENDING_", "NOT_RUNNING", "ERROR")


class Doing(NamedTuple):
    """State, and tasks by their ids: subtopology_partition."""

    state: str
    active: frozenset[str]
    standby: frozenset[str]


class StreamsApp:
    """`with StreamsApp(...) as app:` an instance that counts words of one topic into another."""

    def __init__(
        self,
        address: str,
        group: str,
        topics: tuple[str, str],
        properties: Mapping[str, str] = {},
        release: MavenPeer = KAFKA_STREAMS,
    ) -> None:
        """By the protocol for streams groups, unless `properties` say otherwise."""
        self.folder = Path(tempfile.mkdtemp(prefix="streams-app-"))
        given = {
            "application.id": group,
            "bootstrap.servers": address,
            "group.protocol": "streams",
            "commit.interval.ms": "100",
            "statestore.cache.max.bytes": "0",
            "cache.max.bytes.buffering": "0",  # the same before 3.4
            "state.dir": str(self.folder / "state"),
            **properties,
        }
        classes = compiled(release, ["CountWords"])
        self._command = [
            java(), "-Xmx200m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
            "-Dlog4j2.level=WARN", "-cp", f"{classes}:{class_path(release)}", "CountWords",
            *topics, *(f"{name}={value}" for name, value in given.items()),
        ]  # fmt: skip
        self._child: Child | None = None

    @property
    def child(self) -> Child:
        """The running process."""
        assert self._child is not None, "not started"
        return self._child

    def doing(self) -> Doing:
        """What it printed last."""
        lines = self.child.log.read_text(errors="replace").splitlines()
        for line in reversed(lines):
            parts = line.split(" ")
            if parts[0].startswith(_STATES) and len(parts) == len(Doing._fields):
                active, standby = (frozenset(filter(None, one.split(","))) for one in parts[1:])
                return Doing(parts[0], active, standby)
        return Doing("", frozenset(), frozenset())

    def wait(self, until: Callable[[Doing], bool]) -> Doing:
        """Wait until it does that.

        Raises:
            ChildFailed: it ended, or did something else for too long.
        """
        deadline = time.monotonic() + SECONDS
        while not until(doing := self.doing()):
            if time.monotonic() > deadline or not self.child.alive():
                raise ChildFailed(f"it does {doing}:\n{self.child.tail()}")
            time.sleep(0.1)
        return doing

    def __enter__(self) -> Self:
        self._child = Child(self._command, self.folder / "app.log", stop_seconds=10)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.child.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
