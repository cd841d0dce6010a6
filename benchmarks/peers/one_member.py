"""A cluster of one broker of ours, as its own process: its partitions have a role, and nobody else is there.

`python -m benchmarks.peers.one_member PORT FOLDER name=value…` is that process.
"""

import sys
import threading
from pathlib import Path

from confluent_kafka.admin import AdminClient

from barnabas.broker.server.local_cluster import LocalCluster, member_properties
from barnabas.cli.signals import stop_on_signals
from barnabas.config.broker import BrokerConfig
from benchmarks.peers.asking import wait_until
from tests.interop.peers.brokers.our_broker import OurBroker


class OneMember(OurBroker):
    """`with OneMember() as broker:` gives a running one."""

    name = "barnabas, in a cluster"

    def start(self, *, step: float = 0.01) -> None:
        """Start it and wait until it names a controller: a client that asks before may wait for long."""
        super().start(step=step)
        admin = AdminClient({"bootstrap.servers": self.bootstrap_servers})
        try:
            wait_until(lambda: admin.list_topics(timeout=10).controller_id >= 0)
        except BaseException:
            self.child.stop()
            raise

    def command(self) -> list[str]:
        """What starts it."""
        settings = [f"{name}={value}" for name, value in self.properties.items()]
        place = str(self.port), str(self.data_dir)
        return [sys.executable, "-m", "benchmarks.peers.one_member", *place, *settings]


def main(port: str, folder: str, *settings: str) -> None:
    """Run it until a signal."""
    own = member_properties(1, 1, Path(folder), "127.0.0.1", int(port), "")
    properties = own | dict(one.split("=", 1) for one in settings)
    cluster = LocalCluster(1, Path(folder), lambda _node, _port: BrokerConfig.load(properties))
    stopping = threading.Event()
    stop_on_signals(stopping.set)
    cluster.open()
    stopping.wait()
    cluster.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
