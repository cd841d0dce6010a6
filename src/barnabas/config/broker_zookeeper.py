"""The properties of a broker about ZooKeeper, which Kafka needed before 4.0 (KIP-833)."""

from barnabas.config.configuration import Configuration
from barnabas.config.definition import HIGH, integer, optional_integer, string


class ZooKeeperConfig(Configuration):
    """Where the registry is. Without any of it, it is a file of the broker's own."""

    zookeeper_connect: str = string(
        "",
        HIGH,
        "The ZooKeeper that keeps topics and their properties, and where old clients find the broker: "
        "host:port, more of them behind commas, then a path for all nodes. Empty: a file in the log "
        "directory keeps them.",
    )
    zookeeper_session_timeout_ms: int = integer(
        18_000,
        HIGH,
        "For how long ZooKeeper waits for a silent broker before it takes it for gone, in "
        "milliseconds. ZooKeeper has bounds of its own for it.",
        low=1,
        also=("zk.sessiontimeout.ms",),
    )
    zookeeper_connection_timeout_ms: int | None = optional_integer(
        HIGH,
        "How long a start waits for ZooKeeper to answer, in milliseconds; "
        "zookeeper.session.timeout.ms if unset.",
        low=1,
        also=("zk.connectiontimeout.ms",),
    )
    zk_connect: str = string(
        "",
        HIGH,
        "The ZooKeeper where clients of Kafka 0.7 find the broker, written as zookeeper.connect. The "
        "two have different data in the same nodes, so their places must differ, at least in the path.",
    )
