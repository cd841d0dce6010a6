"""Kafka's VerifiableConsumer as one of our group members: a process that tells what it reads."""

import json
import subprocess
import threading
from typing import Any

from tests.interop.group_members import HEARTBEAT_MS, SHORT_SESSION_MS, Place
from tests.interop.peers.maven import KAFKA_4, class_path, java

_SECONDS = 30.0


class JavaMember:
    """A Java consumer of Kafka 4.3; it commits what it reads.

    `strategy` is an assignor's class; None: the broker assigns.
    """

    def __init__(self, address: str, group: str, topic: str, strategy: str | None) -> None:
        protocol = ["consumer"]
        if strategy is not None:
            protocol = [
                "classic", "--session-timeout", str(2 * SHORT_SESSION_MS),
                "--assignment-strategy", f"org.apache.kafka.clients.consumer.{strategy}",
            ]  # fmt: skip
        command = [
            java(), "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
            "-Dlog4j2.level=ERROR", "-cp", class_path(KAFKA_4),
            "org.apache.kafka.tools.VerifiableConsumer", "--bootstrap-server", address,
            "--topic", topic, "--group-id", group, "--reset-policy", "earliest", "--verbose",
            "--group-protocol", *protocol,
        ]  # fmt: skip
        self._assigned: set[int] = set()
        self._read: list[Place] = []
        self._lock = threading.Lock()
        self._heard = threading.Event()
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self._listener = threading.Thread(target=self._listen)
        self._listener.start()

    def poll(self) -> list[Place]:
        self._heard.wait(HEARTBEAT_MS / 1000)
        self._heard.clear()
        with self._lock:
            read, self._read = self._read, []
        return read

    def assigned(self) -> set[int]:
        with self._lock:
            return set(self._assigned)

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
            if line.startswith("{"):
                with self._lock:
                    self._take(json.loads(line))
                self._heard.set()

    def _take(self, event: dict[str, Any]) -> None:
        match event["name"]:
            case "partitions_assigned":
                self._assigned |= {each["partition"] for each in event["partitions"]}
            case "partitions_revoked" | "partitions_lost":
                self._assigned -= {each["partition"] for each in event["partitions"]}
            case "record_data":
                self._read.append((event["partition"], event["offset"]))
            case _:
                pass
