"""The properties of producers and consumers of Kafka 0.7, under the names that it had for them.

Source: Kafka 0.7.2's ProducerConfig, ConsumerConfig, ZKConfig.
"""

from barnabas.config.configuration import Configuration
from barnabas.config.definition import (
    HIGH,
    INT_MAX,
    LOW,
    MEDIUM,
    boolean,
    integer,
    optional_integer,
    string,
)


class DriverConfig07(Configuration):
    """What both have."""

    zk_connect: str = string(
        "",
        HIGH,
        "The ZooKeeper that the brokers are in: host:port, more behind commas, then a path.",
    )
    zk_sessiontimeout_ms: int = integer(
        6000, MEDIUM, "After how long without a word ZooKeeper takes a client for gone.", low=1
    )
    zk_connectiontimeout_ms: int | None = optional_integer(
        MEDIUM, "How long to wait for ZooKeeper at first; zk.sessiontimeout.ms if unset.", low=1
    )
    socket_timeout_ms: int = integer(
        30_000, LOW, "How long to wait for a broker, in milliseconds.", low=1
    )


class ConsumerConfig07(DriverConfig07):
    """Of a consumer in a group."""

    groupid: str = string(
        "", HIGH, "The group, which must be given. All its consumers share the messages."
    )
    consumerid: str = string("", LOW, "The consumer's name in the group; one is made up if unset.")
    fetch_size: int = integer(
        1 << 20,
        MEDIUM,
        "How many bytes of a partition to ask for; more for larger messages.",
        low=1,
    )
    fetcher_backoff_ms: int = integer(
        1000, LOW, "How long to wait where there was nothing new, in milliseconds.", low=0
    )
    autocommit_enable: bool = boolean(
        MEDIUM, default=True, text="Whether offsets are committed without being asked."
    )
    autocommit_interval_ms: int = integer(
        10_000, MEDIUM, "How often that is, in milliseconds.", low=0
    )
    autooffset_reset: str = string(
        "smallest",
        HIGH,
        "Where a group begins that has no offset, or one that is gone.",
        choices=("smallest", "largest"),
    )
    rebalance_backoff_ms: int = integer(
        2000,
        LOW,
        "How long to wait until others have let go of what is due, in milliseconds.",
        low=0,
    )


class ProducerConfig07(DriverConfig07):
    """Of a producer. With `broker.list` there is no ZooKeeper, and the broker picks the partition."""

    broker_list: str = string(
        "", HIGH, "Brokers as id:host:port, behind commas, in place of zk.connect."
    )
    compression_codec: int = integer(
        0, MEDIUM, "What sets are compressed with: 0 nothing, 1 gzip, 2 snappy.", low=0, high=2
    )
    producer_type: str = string(
        "sync",
        MEDIUM,
        "Whether send sends, or leaves it to a thread that collects first.",
        choices=("sync", "async"),
    )
    batch_size: int = integer(200, MEDIUM, "Of async: how many messages are sent at once.", low=1)
    queue_time: int = integer(
        5000, MEDIUM, "Of async: how long a message waits for others, in milliseconds.", low=0
    )
    queue_size: int = integer(10_000, MEDIUM, "Of async: how many messages may wait.", low=1)
    queue_enqueueTimeout_ms: int = integer(  # noqa: N815 - the property is written so
        0,
        LOW,
        "Of async: how long send waits where the queue is full, in milliseconds; -1: as it takes.",
        low=-1,
    )
    max_message_size: int = integer(
        1_000_000, MEDIUM, "The largest message, in bytes as it is sent.", low=1, high=INT_MAX
    )
    num_retries: int = integer(
        3,
        LOW,
        "How often a set is sent again whose broker is not there. Kafka's default is 0.",
        low=0,
    )
