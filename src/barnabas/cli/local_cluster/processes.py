"""A cluster whose brokers are processes of their own, under a ZooKeeper that is one, too."""

import json
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Self

from barnabas.broker.server.local_cluster import REGISTRY
from barnabas.cli.local_cluster.child_process import ChildProcess
from barnabas.cli.local_cluster.options import (
    Announcement,
    ClusterOptions,
    Combine,
    announce,
    check_shared,
)
from barnabas.cli.local_cluster.zookeeper_process import start_zookeeper
from barnabas.cli.signals import stop_on_signals
from barnabas.config.property_files import PropertyText, format_properties
from barnabas.errors import ConfigError, KafkaError
from barnabas.runtime.files.disk import RealDisk

if TYPE_CHECKING:
    from barnabas.cli.console_process import ConsoleProcess

_END_SECONDS = 60.0
"""Longer than a broker takes that flushes much, or waits for a ZooKeeper that is gone."""


class ClusterEnded(KafkaError):
    """Brokers or ZooKeeper ended without being stopped."""


def serve_in_processes(
    wanted: ClusterOptions,
    given: Mapping[str, PropertyText],
    combine: Combine,
    console: "ConsoleProcess | None",
    *,
    log_level: str,
    as_json: bool,
) -> None:
    """Run ZooKeeper, the brokers and a console until a signal. A broker that ends before is reported on stderr.

    Raises:
        ConfigError: a property is given that each broker needs a value of its own for, or packages are
            missing.
        KafkaError: one of them cannot start; none runs then.
        ClusterEnded: ZooKeeper ended, or the last broker.
    """
    check_shared(given)
    for node_id in range(1, wanted.brokers + 1):
        # Here a mistake is reported once, and with the name of the user's own file.
        combine(wanted.properties(given, node_id), wanted.release)
    folder = wanted.folder
    if (folder / REGISTRY).exists():
        raise ConfigError(
            f"--data-dir {folder} has the data of a cluster without ZooKeeper: leave out --zookeeper, "
            "or choose another directory"
        )
    ended: SimpleQueue[ChildProcess | None] = SimpleQueue()
    stop_on_signals(lambda: ended.put(None))
    disk = RealDisk()
    disk.make_directory(str(folder))
    with disk.lock(str(folder / ".lock")), _Processes(wanted, given, log_level, ended) as cluster:
        cluster.start()
        more = {"zookeeper": cluster.zookeeper, "processes": cluster.pids()}
        ready = Announcement(cluster.places, cluster.metrics, folder, console)
        announce(ready, more, as_json=as_json)
        if not as_json:
            listed = ", ".join(f"{name} {pid}" for name, pid in cluster.pids().items())
            print(f"ZooKeeper at {cluster.zookeeper}; processes: {listed}", flush=True)
        if console is not None:
            console.start(",".join(cluster.places.values()))
        cluster.watch()
    if sys.stdout.isatty():
        print("\nstopped")  # Ctrl-C left ^C on the line.


class _Processes:
    """The processes of one cluster. `start` comes first; leaving the context ends those that run."""

    def __init__(
        self,
        wanted: ClusterOptions,
        given: Mapping[str, PropertyText],
        log_level: str,
        ended: SimpleQueue[ChildProcess | None],
    ) -> None:
        self.places: dict[int, str] = {}
        """host:port of each broker."""
        self.metrics: dict[int, str] = {}
        """The URL of each broker's metrics, if requested."""
        self.zookeeper = ""
        """host:port of ZooKeeper."""
        self._wanted = wanted
        self._given = given
        self._log_level = log_level
        self._ended = ended
        self._server: ChildProcess | None = None
        self._brokers: dict[int, ChildProcess] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for broker in self._brokers.values():
            broker.end()
        # ZooKeeper last: brokers that end unregister there.
        for child in (*self._brokers.values(), *((self._server,) if self._server else ())):
            child.end()
            if not child.wait(_END_SECONDS):
                child.kill()
                _report(f"{child.name} did not end within {_END_SECONDS:g} s and was killed")
            elif child is not self._server and child.code != 0:
                _report(f"{child.name} {child.how_it_ended()}")

    def start(self) -> None:
        """Start ZooKeeper, then all brokers; wait until they serve.

        Raises:
            ConfigError: packages are missing.
            KafkaError: one of them does not start.
        """
        self._server, self.zookeeper = start_zookeeper(self._wanted.folder, self._ended.put)
        for node_id in range(1, self._wanted.brokers + 1):
            command = [
                sys.executable, "-m", "barnabas", "serve", "--config", str(self._write(node_id)),
                "--json", "--until-stdin-ends", "--log-level", self._log_level, *self._profile(),
                *self._metrics(node_id),
            ]  # fmt: skip
            # If this process is killed, ZooKeeper stays until the last broker is gone.
            keeps = (self._server.keep_open(),)
            name = f"broker {node_id}"
            self._brokers[node_id] = ChildProcess(name, command, self._ended.put, keeps=keeps)
        for node_id, broker in self._brokers.items():
            line = broker.first_line()
            if not line:
                raise ClusterEnded(f"{broker.name} did not start: it {broker.how_it_ended()}")
            announced = json.loads(line)
            self.places[node_id] = announced["bootstrap_servers"]
            if "metrics" in announced:
                self.metrics[node_id] = announced["metrics"]

    def pids(self) -> dict[str, int]:
        """The processes by their names."""
        assert self._server is not None, "started"
        return {one.name: one.pid for one in (self._server, *self._brokers.values())}

    def watch(self) -> None:
        """Report each broker that ends, until a signal.

        Raises:
            ClusterEnded: ZooKeeper ended, or the last broker.
        """
        while (child := self._ended.get()) is not None:
            how = f"{child.name} (process {child.pid}) {child.how_it_ended()}"
            if child is self._server:
                raise ClusterEnded(
                    f"{how}: without it the brokers are no cluster, and were stopped"
                )
            node_id = next(number for number, one in self._brokers.items() if one is child)
            del self._brokers[node_id]
            if not self._brokers:
                raise ClusterEnded(f"{how}: no broker is left")
            options = (*self._profile(), *self._metrics(node_id))
            again = ["barnabas", "serve", *options, "--config", str(self._file(node_id))]
            _report(f"{how}; the others go on; `{shlex.join(again)}` starts it again")

    def _profile(self) -> tuple[str, ...]:
        return ("--profile", self._wanted.release) if self._wanted.release else ()

    def _metrics(self, node_id: int) -> tuple[str, ...]:
        address = self._wanted.metrics_address(node_id)
        return () if address is None else ("--metrics-port", str(address[1]))

    def _file(self, node_id: int) -> Path:
        return self._wanted.folder / f"broker-{node_id}.properties"

    def _write(self, node_id: int) -> Path:
        """Write a broker's properties: on a command line, everybody on the machine could read passwords."""
        properties = {
            name: one.value for name, one in self._wanted.properties(self._given, node_id).items()
        }
        properties["zookeeper.connect"] = self.zookeeper
        path = self._file(node_id)
        path.touch(mode=0o600)
        path.write_text(format_properties(properties), encoding="utf-8")
        return path


def _report(event: str) -> None:
    print(f"barnabas: {event}", file=sys.stderr, flush=True)
