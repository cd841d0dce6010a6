"""Broker properties for ZooKeeper, which Kafka required before 4.0 (KIP-833)."""

from barnabas.config.configuration import Configuration
from barnabas.config.definition import HIGH, integer, optional_integer, string


class ZooKeeperConfig(Configuration):
    """The location of the registry. By default it is a file in the log directory."""

    zookeeper_connect: str = string(
        "",
        HIGH,
        "The ZooKeeper that stores topics and their properties, and where old clients find the "
        "broker: host:port, more separated by commas, then a path for all nodes. Empty: a file in "
        "the log directory stores them.",
    )
    zookeeper_session_timeout_ms: int = integer(
        18_000,
        HIGH,
        "How long ZooKeeper waits for a silent broker before it considers it gone, in "
        "milliseconds. ZooKeeper enforces limits of its own.",
        low=1,
        also=("zk.sessiontimeout.ms",),
    )
    zookeeper_connection_timeout_ms: int | None = optional_integer(
        HIGH,
        "How long the start waits for ZooKeeper to answer, in milliseconds; "
        "zookeeper.session.timeout.ms if unset.",
        low=1,
        also=("zk.connectiontimeout.ms",),
    )
    zk_connect: str = string(
        "",
        HIGH,
        "The ZooKeeper where clients of Kafka 0.7 find the broker, in the format of "
        "zookeeper.connect. The two store different data in the same nodes, so they must differ "
        "at least in the path.",
    )
