"""The floor: a broker in C with our file policy that does nothing else (`benchmarks/load/floor`)."""

import shutil
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from benchmarks.peers.c_program import SOURCES, compiled
from tests.interop.peers.child import Child
from tests.interop.peers.ready import free_ports, wait_until_ready

UNBOUNDED_BYTES = 1 << 62


def program() -> Path:
    """The compiled floor.

    Raises:
        CompileFailed: there is no C compiler, or it refused.
    """
    sources = [*sorted((SOURCES / "floor").glob("*.c")), SOURCES / "measure.c"]
    return compiled("floor", sources)


class Floor:
    """`with Floor() as floor:` gives a running one; the data goes with the context.

    A topic is a folder for each of its partitions; it is opened when it is first asked for.
    """

    name = "floor"

    def __init__(self, prefix: tuple[str, ...] = ()) -> None:
        """`prefix` goes before the command.

        Raises:
            CompileFailed: there is no C compiler, or it refused.
        """
        self.folder = Path(tempfile.mkdtemp(prefix="floor-"))
        (self.port,) = free_ports(1)
        command = [*prefix, str(program()), str(self.port), str(self.folder)]
        self.child = Child(command, self.folder / "floor.log", folder=self.folder)

    @property
    def pid(self) -> int:
        """Its process."""
        return self.child.pid

    @property
    def bootstrap_servers(self) -> str:
        """Its address."""
        return f"127.0.0.1:{self.port}"

    def create_topic(self, name: str, partitions: int, config: dict[str, str]) -> None:
        """Make the folders, with what a topic's config says of segments and retention."""
        segment = int(config.get("segment.bytes", 1 << 30))
        retention = int(config.get("retention.bytes", UNBOUNDED_BYTES))
        for partition in range(partitions):
            folder = self.folder / f"{name}-{partition}"
            folder.mkdir()
            (folder / "policy").write_text(f"{segment} {retention}\n")

    def delete_topic(self, name: str) -> None:
        """Remove the folders; the floor closes their logs within a third of a second."""
        for folder in self.folder.glob(f"{name}-*"):
            shutil.rmtree(folder)

    def __enter__(self) -> Self:
        try:
            wait_until_ready(self.child, self.port, step=0.01)
        except BaseException:
            self.child.stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.child.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
