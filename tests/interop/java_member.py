"""Kafka's VerifiableConsumer as one of our group members: a process that tells what it reads."""

import json
import subprocess
import threading
from typing import Any

from tests.interop.group_members import HEARTBEAT_MS, Place
from tests.interop.peers.kafka_tools import command_of
from tests.interop.peers.maven import KAFKA_4, MavenPeer

SESSION_MS = 20_000
"""Nobody is lost on a busy machine who was not killed, and for who was, one waits not too long."""

_SECONDS = 30.0


class JavaMember:
    """A Java consumer of Kafka 0.9 or later; it commits what it reads.

    `strategy` is an assignor's class; "": by range, as the program does by itself (0.9 knows no
    option for it); None: the broker assigns, which members of 3.7 and later know.
    """

    def __init__(
        self,
        address: str,
        group: str,
        topic: str,
        strategy: str | None,
        release: MavenPeer = KAFKA_4,
    ) -> None:
        protocol = ["--group-protocol", "consumer"]
        if strategy is not None:
            protocol = ["--session-timeout", str(SESSION_MS)]
        if strategy:
            name = f"org.apache.kafka.clients.consumer.{strategy}"
            protocol += ["--assignment-strategy", name]
        command = command_of(
            release, "org.apache.kafka.tools.VerifiableConsumer", place_option(release), address,
            "--topic", topic, "--group-id", group, "--reset-policy", "earliest", "--verbose",
            *protocol,
        )  # fmt: skip
        self._assigned: set[int] = set()
        self._read: list[Place] = []
        self._committed: dict[int, int] = {}
        self._lock = threading.Lock()
        self._answered = threading.Event()
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self._listener = threading.Thread(target=self._listen)
        self._listener.start()

    def poll(self) -> list[Place]:
        assert self.process.poll() is None, "it has ended"
        self._answered.wait(HEARTBEAT_MS / 1000)
        self._answered.clear()
        with self._lock:
            read, self._read = self._read, []
        return read

    def assigned(self) -> set[int]:
        with self._lock:
            return set(self._assigned)

    def committed(self) -> dict[int, int]:
        """What it says that it committed, by partition."""
        with self._lock:
            return dict(self._committed)

    def commit(self) -> None:
        """It does so by itself."""

    def close(self) -> None:
        self.process.terminate()
        self._end()

    def kill(self) -> None:
        """End it at once, without a word to the broker."""
        self.process.kill()
        self._end()

    def _end(self) -> None:
        with self.process:
            self.process.wait(_SECONDS)
            self._listener.join()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            # A killed process may be amid a line.
            if line.startswith("{") and line.endswith("\n"):
                with self._lock:
                    self._take(json.loads(line))
                self._answered.set()

    def _take(self, event: dict[str, Any]) -> None:
        match event["name"]:
            case "partitions_assigned":
                self._assigned |= {each["partition"] for each in event["partitions"]}
            case "partitions_revoked" | "partitions_lost":
                self._assigned -= {each["partition"] for each in event["partitions"]}
            case "record_data":
                self._read.append((event["partition"], event["offset"]))
            case "offsets_committed" if event["success"]:
                for each in event["offsets"]:
                    self._committed[each["partition"]] = each["offset"]
            case _:
                pass


def place_option(release: MavenPeer) -> str:
    """The option for brokers of the programs that test Kafka: renamed in 2.5, gone in 4.0."""
    return "--bootstrap-server" if release.version.startswith("4.") else "--broker-list"
