"""Kafka's own command-line programs, run against any broker: one at a time, or many in one Java."""

import subprocess
from types import TracebackType
from typing import Self

from tests.interop.peers.java_client import java_client
from tests.interop.peers.maven import KAFKA_4, MavenPeer, class_path, java

SECONDS = 240.0
"""What a program may take: to start one on a busy machine takes long."""


class ToolFailed(Exception):
    """The program ended with a code other than 0, or not in time; the text is what it printed."""


def run_tool(name: str, *arguments: str, seconds: float = SECONDS) -> str:
    """What the program printed on standard output.

    `name` is the class as its full name goes on behind org.apache.kafka.tools, or the whole name of
    one that is in kafka.admin.

    Raises:
        ToolFailed: it ended with an error, or not in time.
    """
    return run_class(KAFKA_4, _program(name), *arguments, seconds=seconds)


def tool_command(name: str, *arguments: str) -> list[str]:
    """The command line of a program of today's release."""
    return command_of(KAFKA_4, _program(name), *arguments)


class Toolbox:
    """`with Toolbox() as tools:` runs one program after another in one Java."""

    def __init__(self) -> None:
        self._java = java_client(KAFKA_4, {"tool": "RunTool"})

    def run(self, name: str, *arguments: str) -> list[str]:
        """The lines of both outputs, with "ended with" and the code as the last if it is not 0."""
        return self._java.tool(_program(name), *arguments)

    def __enter__(self) -> Self:
        self._java.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._java.__exit__(kind, error, trace)


def _program(name: str) -> str:
    return name if name.startswith("kafka.admin.") else f"org.apache.kafka.tools.{name}"


def run_class(
    release: MavenPeer, name: str, *arguments: str, given: str = "", seconds: float = SECONDS
) -> str:
    """As `run_tool`, of any release, by the class's full name; `given` is its standard input."""
    command = command_of(release, name, *arguments)
    try:
        done = subprocess.run(
            command, input=given, capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired as late:
        # What it printed is bytes here, whatever was asked for.
        output = b"\n".join(text for text in (late.stdout, late.stderr) if text)
        raise ToolFailed(f"{name} did not end in {seconds} s:\n{output.decode()}") from late
    if done.returncode != 0:
        raise ToolFailed(f"{name} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return done.stdout


def command_of(release: MavenPeer, name: str, *arguments: str) -> list[str]:
    """The command line of a program of any release, by the class's full name."""
    return [
        java(), "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dlog4j2.level=WARN",
        # The snappy of 0.8.0 and 0.8.1 loads its library so.
        "--add-opens", "java.base/java.lang=ALL-UNNAMED",
        "-cp", class_path(release), name, *arguments,
    ]  # fmt: skip
