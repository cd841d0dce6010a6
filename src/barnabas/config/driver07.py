"""The properties of Kafka 0.7 producers and consumers, under their names of the time.

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
    """The properties that both have."""

    zk_connect: str = string(
        "",
        HIGH,
        "The ZooKeeper of the brokers: host:port, more separated by commas, then a path.",
    )
    zk_sessiontimeout_ms: int = integer(
        6000,
        MEDIUM,
        "How long ZooKeeper waits for a silent client before it considers it gone.",
        low=1,
    )
    zk_connectiontimeout_ms: int | None = optional_integer(
        MEDIUM,
        "How long to wait for the first connection to ZooKeeper; zk.sessiontimeout.ms if unset.",
        low=1,
    )
    socket_timeout_ms: int = integer(
        30_000, LOW, "How long to wait for a broker, in milliseconds.", low=1
    )


class ConsumerConfig07(DriverConfig07):
    """The properties of a consumer in a group."""

    groupid: str = string("", HIGH, "The group; required. Its consumers share the messages.")
    consumerid: str = string("", LOW, "The consumer's name in the group; generated if unset.")
    fetch_size: int = integer(
        1 << 20,
        MEDIUM,
        "The size of one fetch of a partition, in bytes; larger messages need more.",
        low=1,
    )
    fetcher_backoff_ms: int = integer(
        1000, LOW, "How long to wait after a fetch without new messages, in milliseconds.", low=0
    )
    autocommit_enable: bool = boolean(
        MEDIUM, default=True, text="Whether the consumer commits offsets periodically."
    )
    autocommit_interval_ms: int = integer(
        10_000, MEDIUM, "The time between these commits, in milliseconds.", low=0
    )
    autooffset_reset: str = string(
        "smallest",
        HIGH,
        "Where a group starts without a committed offset, or if that offset is gone.",
        choices=("smallest", "largest"),
    )
    rebalance_backoff_ms: int = integer(
        2000,
        LOW,
        "How long to wait in a rebalance until other consumers release their partitions, in "
        "milliseconds.",
        low=0,
    )


class ProducerConfig07(DriverConfig07):
    """The properties of a producer.

    With `broker.list` it uses no ZooKeeper, and the broker chooses the partition.
    """

    broker_list: str = string(
        "", HIGH, "Brokers as id:host:port, separated by commas, instead of zk.connect."
    )
    compression_codec: int = integer(
        0, MEDIUM, "The compression of message sets: 0 none, 1 gzip, 2 snappy.", low=0, high=2
    )
    producer_type: str = string(
        "sync",
        MEDIUM,
        "sync: send() sends at once; async: a thread collects messages first.",
        choices=("sync", "async"),
    )
    batch_size: int = integer(
        200, MEDIUM, "The number of messages that an async producer sends at once.", low=1
    )
    queue_time: int = integer(
        5000,
        MEDIUM,
        "How long a message of an async producer waits for others, in milliseconds.",
        low=0,
    )
    queue_size: int = integer(
        10_000, MEDIUM, "The maximum number of messages waiting in an async producer.", low=1
    )
    queue_enqueueTimeout_ms: int = integer(  # noqa: N815 - the property is written so
        0,
        LOW,
        "How long send() of an async producer waits while the queue is full, in milliseconds; -1: "
        "without limit.",
        low=-1,
    )
    max_message_size: int = integer(
        1_000_000, MEDIUM, "The maximum size of a message as sent, in bytes.", low=1, high=INT_MAX
    )
    num_retries: int = integer(
        3,
        LOW,
        "How often to retry a message set while its broker is unavailable. Kafka's default is 0.",
        low=0,
    )
