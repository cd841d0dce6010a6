"""Clients of Kafka 0.7 by others: npm's for Node, PyPI's for Python 2, and Jafka's for Java.

Each is a program in `kafka07/` with the verbs `produce`, or another word for it, PORT TOPIC PARTITION
TEXT..., and `consume` PORT TOPIC PARTITION OFFSET COUNT, which prints [[text, next offset], ...] and in
a last pair what the client can say besides.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.interop.peers.fetched import fetched, run
from tests.interop.peers.maven import MavenPeer, class_path, java
from tests.interop.peers.missing import PeerMissing
from tests.interop.peers.python2 import python2

JAFKA = MavenPeer("jafka-3.0.6", ("io.jafka:jafka:3.0.6",))
PYTHON_PACKAGES = ("samsa==0.3.11", "brod==0.4.3", "pykafka==0.1.3")

_SOURCES = Path(__file__).with_name("kafka07")
_SECONDS = 120

Pair = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Client07:
    """One of them; `environment` is added to that of this process."""

    command: Sequence[str]
    environment: dict[str, str] = field(default_factory=dict)

    def produce(self, verb: str, port: int, topic: str, partition: int, *texts: str) -> None:
        """Send texts, in the way that `verb` is of the client."""
        self._run(verb, port, topic, partition, *texts)

    def consume(self, port: int, topic: str, partition: int, offset: int, count: int) -> list[Pair]:
        """The texts from an offset on, each with what the client takes for the offset behind it."""
        reported = self._run("consume", port, topic, partition, offset, count)
        return [(text, number) for text, number in json.loads(reported)]

    def _run(self, *words: str | int) -> str:
        done = subprocess.run(
            [*self.command, *map(str, words)],
            capture_output=True, text=True, timeout=_SECONDS, check=False,
            env={**os.environ, **self.environment},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout


def node_client(name: str) -> Client07:
    """The npm package of that name.

    Raises:
        PeerMissing: there is no npm, or it could not fetch.
    """
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        raise PeerMissing("needs npm: apt-get install npm")
    folder = fetched("kafka07-node", (_SOURCES / "package.json").read_text(), _npm_install)
    for source in _SOURCES.glob("*.cjs"):
        shutil.copy(source, folder)
    return Client07([node, "--no-deprecation", str(folder / f"{name}.cjs")])


def python_client(name: str) -> Client07:
    """The package of that name from PyPI, on Python 2.7.

    Raises:
        PeerMissing: there is no Python 2.7, or pip could not fetch.
    """
    command, environment = python2(_SOURCES / f"{name}07.py2", PYTHON_PACKAGES)
    return Client07(command, environment)


def jafka_client() -> Client07:
    """Jafka's.

    Raises:
        PeerMissing: there is no JDK or no Maven, or it could not fetch.
    """
    jars = class_path(JAFKA)
    return Client07([java(), "-XX:TieredStopAtLevel=1", "-cp", jars, str(_SOURCES / "Jafka.java")])


def _npm_install(folder: Path) -> None:
    shutil.copy(_SOURCES / "package.json", folder)
    shutil.copytree(_SOURCES / "bignum", folder / "bignum")
    run(["npm", "install", "--no-audit", "--no-fund"], folder)
