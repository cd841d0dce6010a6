"""The properties of the clients: what all share, then producer, consumer and admin.

Source: Kafka 4 clients (names, types, defaults, ranges). What has no effect here is refused a row:
an unknown name is a warning, never an error.
"""

from collections.abc import Mapping
from typing import ClassVar, Final, Self, Unpack

from barnabas.config.configuration import Configuration, Loading
from barnabas.config.definition import (
    HIGH,
    INT_MAX,
    LOW,
    MEDIUM,
    boolean,
    integer,
    long,
    optional_long,
    optional_string,
    string,
    words,
)
from barnabas.config.elsewhere import CLIENT_NAMES
from barnabas.errors import ConfigError

STRATEGIES: Final = (
    *("range", "roundrobin", "sticky", "cooperative-sticky"),
    *(
        f"org.apache.kafka.clients.consumer.{name}Assignor"
        for name in ("Range", "RoundRobin", "Sticky", "CooperativeSticky")
    ),
)
CLASSIC: Final = "classic"
CONSUMER: Final = "consumer"
_IDLE: Final = {
    CLASSIC: ("group.remote.assignor",),
    CONSUMER: ("partition.assignment.strategy", "heartbeat.interval.ms", "session.timeout.ms"),
}
"""What Kafka refuses together with a group.protocol, as it would have no effect."""
_SERVERS: Final = "bootstrap.servers"
_SERVERS_ELSEWHERE: Final = frozenset(
    {
        "metadata.broker.list",
        "broker.list",
        "brokers",
        "broker",
        "servers",
        "server",
        "hosts",
        "host",
        "bootstrap",
    }
)


class ClientConfig(Configuration):
    """What every client can be told."""

    known_elsewhere: ClassVar[Mapping[str, str]] = CLIENT_NAMES

    bootstrap_servers: tuple[str, ...] = words(
        (),
        HIGH,
        "host:port of one or more brokers to begin with. It has to be given.",
    )
    client_id: str = string("barnabas", MEDIUM, "A name for the broker's log. Kafka: empty.")
    security_protocol: str = string(
        "PLAINTEXT", MEDIUM, "How to talk to brokers.", choices=("PLAINTEXT",)
    )
    request_timeout_ms: int = integer(
        30_000, MEDIUM, "How long to wait for the answer to one request, in milliseconds.", low=0
    )
    default_api_timeout_ms: int = integer(
        60_000,
        MEDIUM,
        "How long a call without its own timeout may take with all its retries, in milliseconds.",
        low=0,
    )
    retry_backoff_ms: int = long(
        100, LOW, "The first wait before a request is tried again, in milliseconds.", low=0
    )
    retry_backoff_max_ms: int = long(
        1000, LOW, "The longest wait before a request is tried again, in milliseconds.", low=0
    )
    reconnect_backoff_ms: int = long(
        50, LOW, "The first wait before a broker is connected to again, in milliseconds.", low=0
    )
    reconnect_backoff_max_ms: int = long(
        1000, LOW, "The longest wait before a broker is connected to again.", low=0
    )
    socket_connection_setup_timeout_ms: int = long(
        10_000, MEDIUM, "How long a connection may take to be made, in milliseconds.", low=1
    )
    bootstrap_refused_timeout_ms: int | None = optional_long(
        LOW,
        "How long a call is tried where nothing listens at any of bootstrap.servers and no broker "
        "was ever reached, in milliseconds; none: as long as any call. Kafka has no such property. "
        "The command line has 5000, planning in Spark 10000.",
        low=0,
    )
    connections_max_idle_ms: int = long(
        540_000,
        MEDIUM,
        "After how long an unused connection is closed, in milliseconds; below 0: never.",
    )
    metadata_max_age_ms: int = long(
        300_000, LOW, "After how long the list of brokers and leaders is asked for again.", low=0
    )
    send_buffer_bytes: int = integer(
        -1,
        MEDIUM,
        "The send buffer of a socket, in bytes; -1: as the system finds best. Kafka: 131072.",
        low=-1,
    )
    receive_buffer_bytes: int = integer(
        -1,
        MEDIUM,
        "The receive buffer of a socket, in bytes; -1: as the system finds best. Kafka: 65536.",
        low=-1,
    )

    @classmethod
    def load(cls, given: Mapping[str, object], **how: Unpack[Loading]) -> Self:
        """As every configuration; who misspells where the brokers are is not sent to the default.

        Raises:
            ConfigError: in addition, bootstrap.servers is not given and another name may mean it.
        """
        if not any(name.replace("_", ".") == _SERVERS for name in given):
            for name in given:
                if cls.find(name) is None and _means_servers(cls, name.replace("_", ".")):
                    raise ConfigError(f"{name}: the brokers are named by {_SERVERS}")
        return super().load(given, **how)


def _means_servers(kind: type[ClientConfig], name: str) -> bool:
    return name in _SERVERS_ELSEWHERE or kind.nearest(name) == kind.nearest(_SERVERS)


class ProducerConfig(ClientConfig):
    """What a producer can be told."""

    acks: str = string(
        "all",
        LOW,
        "Whose word counts: all (or -1), the leader alone (1), nobody's (0).",
        choices=("all", "-1", "0", "1"),
    )
    enable_idempotence: bool = boolean(
        LOW, default=True, text="Whether a retry can never store a record twice."
    )
    compression_type: str = string(
        "none",
        HIGH,
        "The codec of the batches.",
        choices=("none", "gzip", "snappy", "lz4", "zstd"),
    )
    compression_gzip_level: int = integer(
        -1, MEDIUM, "The level of gzip; -1: the codec's own default.", low=-1, high=9
    )
    compression_lz4_level: int = integer(9, MEDIUM, "The level of lz4.", low=1, high=17)
    compression_zstd_level: int = integer(3, MEDIUM, "The level of zstd.", low=-131_072, high=22)
    batch_size: int = integer(
        1_000_000,
        MEDIUM,
        "The size at which a batch is full, in bytes before compression; less while the partitions "
        "of a topic would take more than a quarter of buffer.memory. Kafka: 16384, which costs a "
        "request for every 160 records of 100 bytes.",
        low=0,
    )
    linger_ms: int = long(
        5, MEDIUM, "How long a batch waits for more records, in milliseconds.", low=0
    )
    buffer_memory: int = long(
        33_554_432, HIGH, "How many bytes of records may wait to be sent.", low=0
    )
    max_block_ms: int = long(
        60_000, MEDIUM, "How long send() may wait for room or metadata, in milliseconds.", low=0
    )
    max_request_size: int = integer(
        1_048_576, MEDIUM, "The largest request and so the largest record, in bytes.", low=0
    )
    max_in_flight_requests_per_connection: int = integer(
        5, LOW, "How many requests may be unanswered per broker (5 with idempotence).", low=1
    )
    delivery_timeout_ms: int = integer(
        120_000, MEDIUM, "How long a record may take with all its retries, in milliseconds.", low=0
    )
    retries: int = integer(
        INT_MAX, HIGH, "How often a batch is tried again before delivery.timeout.ms.", low=0
    )
    partitioner_ignore_keys: bool = boolean(
        MEDIUM, default=False, text="Whether keys do not choose the partition."
    )
    transactional_id: str | None = optional_string(
        LOW,
        "The name of a transactional producer, which fences earlier ones of this name; none: its "
        "records are in no transaction.",
    )
    transaction_timeout_ms: int = integer(
        60_000,
        LOW,
        "How long a transaction may stay open before the broker aborts it, in milliseconds.",
        low=1,
    )


class ConsumerConfig(ClientConfig):
    """What a consumer can be told."""

    group_id: str | None = optional_string(
        HIGH, "The group to be a member of, and whose offsets are committed."
    )
    group_instance_id: str | None = optional_string(
        MEDIUM, "The name of a static member: one that is expected back when it goes (KIP-345)."
    )
    group_protocol: str = string(
        CLASSIC,
        HIGH,
        "Who shares out: the members (classic), or the broker (consumer, KIP-848: Kafka 4.0).",
        choices=(CLASSIC, CONSUMER),
    )
    group_remote_assignor: str | None = optional_string(
        MEDIUM,
        "How the broker shares out, with group.protocol=consumer: uniform or range; none: as the "
        "broker likes.",
    )
    partition_assignment_strategy: tuple[str, ...] = words(
        ("range", "cooperative-sticky"),
        MEDIUM,
        "The assignors, the best liked first: range, roundrobin, sticky, cooperative-sticky, or "
        "Java's classes of these names. Members go on reading through a rebalance only where all "
        "that are named are cooperative.",
        choices=STRATEGIES,
    )
    session_timeout_ms: int = integer(
        45_000, HIGH, "After how long without a heartbeat a member is given up, in milliseconds."
    )
    heartbeat_interval_ms: int = integer(
        3000, HIGH, "The time between heartbeats, in milliseconds.", low=1
    )
    max_poll_interval_ms: int = integer(
        300_000,
        MEDIUM,
        "How long a member may go without a poll, and how long the others wait for it in a "
        "rebalance, in milliseconds.",
        low=1,
    )
    exclude_internal_topics: bool = boolean(
        MEDIUM, default=True, text="Whether patterns leave out the topics of Kafka's own."
    )
    auto_offset_reset: str = string(
        "latest",
        MEDIUM,
        "Where to begin without a position, and where its records are gone: latest, earliest, none "
        "(an error), or by_duration:PT1H, so long ago (ISO 8601).",
    )
    enable_auto_commit: bool = boolean(
        MEDIUM, default=True, text="Whether positions are committed by themselves (with group.id)."
    )
    auto_commit_interval_ms: int = integer(5000, LOW, "How often they are, in milliseconds.", low=0)
    fetch_min_bytes: int = integer(
        1, HIGH, "How many bytes a fetch waits for on the broker.", low=0
    )
    fetch_max_wait_ms: int = integer(
        500, LOW, "How long it waits for them, in milliseconds.", low=0
    )
    fetch_max_bytes: int = integer(
        52_428_800, MEDIUM, "The most that one fetch asks for, in bytes.", low=0
    )
    max_partition_fetch_bytes: int = integer(
        1_048_576, HIGH, "The most that one fetch asks of one partition, in bytes.", low=0
    )
    max_poll_records: int = integer(
        500, MEDIUM, "The most records that poll() gives where it is not told.", low=1
    )
    isolation_level: str = string(
        "read_uncommitted",
        MEDIUM,
        "Whether records of open and aborted transactions are given.",
        choices=("read_uncommitted", "read_committed"),
    )
    check_crcs: bool = boolean(
        LOW, default=True, text="Whether the checksum of each batch is checked."
    )
    allow_auto_create_topics: bool = boolean(
        MEDIUM, default=True, text="Whether asking for a topic may create it."
    )
    client_rack: str = string("", LOW, "Where this client is, for reading from a near replica.")

    @classmethod
    def load(cls, given: Mapping[str, object], **how: Unpack[Loading]) -> Self:
        """As every client; what has no effect with this group.protocol is refused, as by Kafka.

        Raises:
            ConfigError: in addition, such a property is given.
        """
        loaded = super().load(given, **how)
        protocol = loaded.group_protocol
        idle = [name for name in _IDLE[protocol] if name in loaded.given and loaded.value(name)]
        if idle:
            names = ", ".join(idle)
            raise ConfigError(f"{names} cannot be set when group.protocol={protocol.upper()}")
        return loaded


class AdminConfig(ClientConfig):
    """What an admin client can be told: nothing beyond what all clients share."""
