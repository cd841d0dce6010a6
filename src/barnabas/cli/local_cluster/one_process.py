"""Several brokers in this process, a cluster with no Java and no ZooKeeper."""

import sys
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING

from barnabas.broker.server.local_cluster import REGISTRY, LocalCluster
from barnabas.cli.arguments.hints import add_hint_to_serve
from barnabas.cli.local_cluster.options import (
    ZOOKEEPER_FOLDER,
    Announcement,
    ClusterOptions,
    Combine,
    announce,
    check_shared,
)
from barnabas.cli.signals import stop_on_signals
from barnabas.config.property_files import PropertyText
from barnabas.errors import ConfigError, ConnectionFailed
from barnabas.types import bracketed

if TYPE_CHECKING:
    from barnabas.cli.console_process import ConsoleProcess


def serve_in_one_process(
    wanted: ClusterOptions,
    given: Mapping[str, PropertyText],
    combine: Combine,
    console: "ConsoleProcess | None",
    *,
    as_json: bool,
) -> None:
    """Run the brokers until a signal, with a console that watches no connections.

    Raises:
        ConfigError: a property is given that each broker needs a value of its own for.
        KafkaError: one of them cannot start; none runs then.
    """
    check_shared(given)
    if (wanted.folder / ZOOKEEPER_FOLDER).exists() and not (wanted.folder / REGISTRY).exists():
        raise ConfigError(
            f"--data-dir {wanted.folder} has the data of a cluster with ZooKeeper: add "
            "--zookeeper local, or choose another directory"
        )
    cluster = LocalCluster(
        wanted.brokers,
        wanted.folder,
        lambda node_id, port: combine(wanted.properties(given, node_id, port), wanted.release),
        wanted.metrics_address,
    )
    stopping = threading.Event()
    stop_on_signals(stopping.set)
    try:
        cluster.open()
    except ConnectionFailed as error:
        add_hint_to_serve(error)
        raise
    try:
        places = {
            node_id: f"{bracketed(one.host)}:{one.port}"
            for node_id, one in cluster.addresses.items()
        }
        metrics = {
            node_id: f"http://{bracketed(wanted.host or 'localhost')}:{port}/metrics"
            for node_id, port in cluster.metrics_ports.items()
        }
        announce(Announcement(places, metrics, wanted.folder, console), {}, as_json=as_json)
        if console is not None:
            console.start(",".join(places.values()))
        stopping.wait()
    finally:
        cluster.close()
    if sys.stdout.isatty():
        print("\nstopped")  # Ctrl-C left ^C on the line.
