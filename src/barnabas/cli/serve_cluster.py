"""`barnabas serve --brokers 3`: several brokers in this process, a cluster with no Java and no ZooKeeper."""

import json
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from barnabas.broker.local_cluster import LocalCluster, member_properties
from barnabas.cli.arguments.hints import add_hint_to_serve
from barnabas.config.broker import BrokerConfig
from barnabas.config.files import Given
from barnabas.config.listeners import Endpoint
from barnabas.errors import ConfigError, ConnectionFailed
from barnabas.version import __version__

_FIRST_PORT = 9092
_DIRECTORY = "barnabas-data"
_OF_ONE = {
    "listeners": "--host and --port say where the brokers listen",
    "advertised.listeners": "--host and --port say where the brokers listen",
    "node.id": "the brokers are 1, 2 and so on",
    "broker.id": "the brokers are 1, 2 and so on",
    "log.dirs": "--data-dir has a folder for each broker",
    "log.dir": "--data-dir has a folder for each broker",
    "zookeeper.connect": "the brokers keep their registry in a file of --data-dir",
    "zk.connect": "the brokers keep their registry in a file of --data-dir",
}
"""What cannot be the same for several brokers, and what is there instead."""


Combine = Callable[[dict[str, Given], str], BrokerConfig]
"""A configuration, from properties and a release's defaults."""


class ClusterOptions(NamedTuple):
    """What the options say: how many brokers, as which release, and where. Port 0: any that are free."""

    brokers: int
    release: str
    directory: str | None
    host: str | None
    port: int | None


def serve_cluster(
    wanted: ClusterOptions, given: Mapping[str, Given], combine: Combine, *, as_json: bool
) -> None:
    """Run the brokers until a signal.

    Raises:
        ConfigError: a property is given that each broker needs a value of its own for.
        KafkaError: one of them cannot start; none runs then.
    """
    for name, instead in _OF_ONE.items():
        if name in given:
            raise ConfigError(f"{name}: not together with --brokers: {instead}")
    directory = Path(wanted.directory or _DIRECTORY).absolute()
    cluster = LocalCluster(
        wanted.brokers,
        directory,
        lambda node_id, port: combine(_properties(wanted, given, node_id, port), wanted.release),
    )
    stopping = threading.Event()
    _on_signals(stopping)
    try:
        cluster.open()
    except ConnectionFailed as error:
        add_hint_to_serve(error)
        raise
    try:
        _announce(cluster.addresses, directory, as_json=as_json)
        stopping.wait()
    finally:
        cluster.close()
    if sys.stdout.isatty():
        print("\nstopped")  # Ctrl-C left ^C on the line.


def _properties(
    wanted: ClusterOptions, given: Mapping[str, Given], node_id: int, port: int
) -> dict[str, Given]:
    first = _FIRST_PORT if wanted.port is None else wanted.port
    own = member_properties(
        node_id,
        wanted.brokers,
        Path(wanted.directory or _DIRECTORY).absolute(),
        "localhost" if wanted.host is None else wanted.host,
        port if port >= 0 else first + node_id - 1 if first else 0,
    )
    members = {name: Given(str(value), "--brokers") for name, value in own.items()}
    return members | dict(given)


def _on_signals(stopping: threading.Event) -> None:
    """SIGTERM, SIGINT and SIGHUP; the last one stays ignored where it is, as under nohup."""
    ignored = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    for number in (signal.SIGTERM, signal.SIGINT, *(() if ignored else (signal.SIGHUP,))):
        signal.signal(number, lambda _number, _frame: stopping.set())


def _announce(addresses: Mapping[int, Endpoint], directory: Path, *, as_json: bool) -> None:
    places = {
        node_id: f"[{one.host}]:{one.port}" if ":" in one.host else f"{one.host}:{one.port}"
        for node_id, one in addresses.items()
    }
    if as_json:
        announcement = {
            "bootstrap_servers": ",".join(places.values()),
            "brokers": places,
            "data_dir": str(directory),
            "version": __version__,
        }
        print(json.dumps(announcement), flush=True)
        return
    where = ", ".join(places.values())
    print(f"barnabas {__version__} is ready at {where}, logs in {directory}", flush=True)
