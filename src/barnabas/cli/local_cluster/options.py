"""The properties of each broker of a local cluster, from the options of `serve`."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from barnabas.broker.server.local_cluster import member_properties
from barnabas.config.broker import BrokerConfig
from barnabas.config.property_files import PropertyText
from barnabas.errors import ConfigError
from barnabas.version import __version__

if TYPE_CHECKING:
    from barnabas.cli.console_process import ConsoleProcess

ZOOKEEPER_FOLDER: Final = "zookeeper"
"""The folder of the data directory with the data of `--zookeeper local`."""

_FIRST_PORT = 9092
_DIRECTORY = "barnabas-data"
_REGISTRY = "--data-dir has what the brokers keep in ZooKeeper"
_OF_ONE = {
    "listeners": "--host and --port say where the brokers listen",
    "advertised.listeners": "--host and --port say where the brokers listen",
    "node.id": "the brokers are 1, 2 and so on",
    "broker.id": "the brokers are 1, 2 and so on",
    "log.dirs": "--data-dir has a folder for each broker",
    "log.dir": "--data-dir has a folder for each broker",
    "zookeeper.connect": _REGISTRY,
    "zk.connect": _REGISTRY,
}
"""Properties that cannot be the same for several brokers, each with the alternative."""


Combine = Callable[[dict[str, PropertyText], str], BrokerConfig]
"""A configuration, from properties and a release's defaults."""


class ClusterOptions(NamedTuple):
    """How many brokers, as which release, and where. Port 0: any that are free.

    `metrics_port`: of the first broker's metrics; None: there are none.
    """

    brokers: int
    release: str
    directory: str | None
    host: str | None
    port: int | None
    metrics_port: int | None = None

    def metrics_address(self, node_id: int) -> tuple[str, int] | None:
        """Host and port of one broker's metrics; port 0: any free one; None: there are none."""
        if self.metrics_port is None:
            return None
        port = self.metrics_port + node_id - 1 if self.metrics_port else 0
        return "localhost" if self.host is None else self.host, port

    @property
    def folder(self) -> Path:
        """The data directory, with a folder for each broker."""
        return Path(self.directory or _DIRECTORY).absolute()

    def properties(
        self, given: Mapping[str, PropertyText], node_id: int, port: int = -1
    ) -> dict[str, PropertyText]:
        """All properties of one broker; port -1: the one that the options give it."""
        first = _FIRST_PORT if self.port is None else self.port
        own = member_properties(
            node_id,
            self.brokers,
            self.folder,
            "localhost" if self.host is None else self.host,
            port if port >= 0 else first + node_id - 1 if first else 0,
            self.release,
        )
        members = {name: PropertyText(str(value), "--brokers") for name, value in own.items()}
        return members | dict(given)


def check_shared(given: Mapping[str, PropertyText]) -> None:
    """Check that each broker may have these properties.

    Raises:
        ConfigError: each broker needs a value of its own for one of them.
    """
    for name, instead in _OF_ONE.items():
        if name in given:
            raise ConfigError(f"{name}: not together with --brokers: {instead}")


class Announcement(NamedTuple):
    """The output of a cluster that is ready: addresses of brokers and of metrics by number, its folder.

    `console`: the one that shows it, if any.
    """

    places: Mapping[int, str]
    metrics: Mapping[int, str]
    folder: Path
    console: "ConsoleProcess | None"


def announce(cluster: Announcement, more: Mapping[str, object], *, as_json: bool) -> None:
    """Print that the cluster is ready, `more` only in JSON."""
    places, metrics, folder, console = cluster
    if as_json:
        announcement = {
            "bootstrap_servers": ",".join(places.values()),
            "brokers": places,
            "data_dir": str(folder),
            **({"metrics": metrics} if metrics else {}),
            **({"console": console.url} if console is not None else {}),
            **more,
            "version": __version__,
        }
        print(json.dumps(announcement), flush=True)
        return
    where = ", ".join(places.values())
    print(f"barnabas {__version__} is ready at {where}, logs in {folder}", flush=True)
    if metrics:
        print(f"metrics at {', '.join(metrics.values())}", flush=True)
