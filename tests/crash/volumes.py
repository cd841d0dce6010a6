"""Small volumes that fill up, become read-only, or are gone for a while; brokers with directories on them."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaError,
    KafkaException,
    Producer,
    TopicPartition,
)

from tests.commands.served import BARNABAS, SECONDS, environment

needs_root = pytest.mark.skipif(
    not sys.platform.startswith("linux") or os.geteuid() != 0, reason="only root mounts volumes"
)


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, timeout=SECONDS)


class Volume:
    """A directory on a volume of its own; what is in it survives `take_away`."""

    def __init__(self, folder: Path, name: str, size: str) -> None:
        self.path = folder / name
        self._store = folder / f"{name}.store"
        self._mounted = False
        for path in (self.path, self._store):
            path.mkdir()
        _run("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(self._store))
        self.bring_back()

    def take_away(self) -> None:
        """Unmount it: an empty directory is left."""
        _run("umount", str(self.path))
        self._mounted = False

    def bring_back(self) -> None:
        _run("mount", "--bind", str(self._store), str(self.path))
        self._mounted = True

    def be_writable(self, *, allowed: bool) -> None:
        _run("mount", "-o", f"remount,bind,{'rw' if allowed else 'ro'}", str(self.path))

    def fill(self) -> Path:
        """Take all the room there is; gives the file that has it."""
        ballast = self.path / "ballast"
        with contextlib.suppress(OSError), ballast.open("ab", buffering=0) as file:
            while True:
                file.write(bytes(1 << 16))
        with contextlib.suppress(OSError), ballast.open("ab", buffering=0) as file:
            while True:
                file.write(bytes(512))
        return ballast

    def remove(self) -> None:
        if self._mounted:
            self.take_away()
        _run("umount", str(self._store))


@contextlib.contextmanager
def volumes(folder: Path, *names: str, size: str = "16m") -> Iterator[list[Volume]]:
    """Volumes until the context ends."""
    with contextlib.ExitStack() as made:
        found = []
        for name in names:
            found.append(Volume(folder, name, size))
            made.callback(found[-1].remove)
        yield found


class Running:
    """`barnabas serve` on some log directories, and what it logs."""

    def __init__(self, directories: Sequence[Path], log: Path, *pairs: str) -> None:
        self.log = log
        dirs = ",".join(map(str, directories))
        settings = [part for pair in (f"log.dirs={dirs}", *pairs) for part in ("--set", pair)]
        with log.open("ab") as errors:
            self.process = subprocess.Popen(
                [*BARNABAS, "serve", "--port", "0", "--host", "127.0.0.1", "--json", *settings],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env=environment(""),
            )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        self.servers = json.loads(line)["bootstrap_servers"] if line else ""

    def stop(self) -> int:
        """In order; gives the exit code."""
        self.process.terminate()
        return self._ended()

    def kill(self) -> None:
        self.process.kill()
        self._ended()

    def _ended(self) -> int:
        assert self.process.stdout is not None
        try:
            return self.process.wait(SECONDS)
        finally:
            self.process.stdout.close()


@contextlib.contextmanager
def running(directories: Sequence[Path], log: Path, *pairs: str) -> Iterator[Running]:
    """A broker that is stopped in order at the end, unless it was ended before; it must start."""
    broker = Running(directories, log, *pairs)
    try:
        assert broker.servers, log.read_text(errors="replace")
        yield broker
        if broker.process.poll() is None:
            assert broker.stop() == 0, log.read_text(errors="replace")
    finally:
        if broker.process.poll() is None:
            broker.kill()


def write(servers: str, topic: str, partition: int, values: Sequence[bytes]) -> list[str]:
    """Send values to a partition, each in a batch; gives the name of each one's outcome."""
    outcomes: list[str] = []

    def reported(error: KafkaError | None, _message: object) -> None:
        outcomes.append(error.name() if error else "stored")

    producer = Producer(
        {"bootstrap.servers": servers, "retries": 0, "linger.ms": 0, "message.timeout.ms": 5000}
    )
    for value in values:
        producer.produce(topic, value, partition=partition, on_delivery=reported)
        producer.flush(SECONDS)
    return outcomes


def read(
    servers: str, topic: str, partition: int, count: int, seconds: float = SECONDS
) -> list[bytes]:
    """The first `count` values of a partition, from its start; each is waited for so many seconds."""
    consumer = Consumer(
        {"bootstrap.servers": servers, "group.id": "reader", "enable.auto.commit": False}
    )
    values: list[bytes] = []
    try:
        consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING)])
        while len(values) < count:
            message = consumer.poll(seconds)
            assert message is not None, f"{len(values)} of {count} came"
            if message.error():
                raise KafkaException(message.error())
            values.append(message.value() or b"")
    finally:
        consumer.close()
    return values
