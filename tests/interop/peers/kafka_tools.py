"""Kafka's own command-line programs, run one at a time against any broker."""

import subprocess

from tests.interop.peers.maven import KAFKA_4, class_path, java


class ToolFailed(Exception):
    """The program ended with a code other than 0; the text is what it printed."""


def run_tool(name: str, *arguments: str, seconds: float = 90.0) -> str:
    """What the program printed on standard output.

    `name` is the class as its full name goes on behind org.apache.kafka.tools, or the whole name of
    one that is in kafka.admin.

    Raises:
        ToolFailed: it ended with an error.
    """
    program = name if name.startswith("kafka.admin.") else f"org.apache.kafka.tools.{name}"
    command = [
        java(), "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dlog4j2.level=WARN",
        "-cp", class_path(KAFKA_4), program, *arguments,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    if done.returncode != 0:
        raise ToolFailed(f"{name} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return done.stdout
