"""Client properties: the shared ones, then producer, consumer and admin.

Source: Kafka 4 clients (names, types, defaults, ranges). A property without effect here gets no
row: an unknown name is a warning, never an error.
"""

from collections.abc import Mapping
from typing import ClassVar, Final, Self, Unpack

from barnabas.config.codec_names import PRODUCED
from barnabas.config.configuration import Configuration, Loading
from barnabas.config.definition import (
    HIGH,
    INT_MAX,
    LOW,
    MEDIUM,
    boolean,
    integer,
    long,
    optional_string,
    string,
    words,
)
from barnabas.config.ignored_names import CLIENT_NAMES
from barnabas.config.releases import RELEASE_07, release_line
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
"""Properties that Kafka refuses together with a group.protocol, because they would have no effect.
"""
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
    """Properties of every client."""

    known_elsewhere: ClassVar[Mapping[str, str]] = CLIENT_NAMES

    bootstrap_servers: tuple[str, ...] = words(
        (),
        HIGH,
        "host:port of one or more brokers to start from. Required.",
    )
    client_id: str = string(
        "barnabas", MEDIUM, "The client's name in the broker's log. Kafka's default: empty."
    )
    security_protocol: str = string(
        "PLAINTEXT", MEDIUM, "The security protocol.", choices=("PLAINTEXT",)
    )
    request_timeout_ms: int = integer(
        30_000, MEDIUM, "How long to wait for the response to one request, in milliseconds.", low=0
    )
    default_api_timeout_ms: int = integer(
        60_000,
        MEDIUM,
        "The time limit of a call with all its retries, in milliseconds, unless the call has its "
        "own.",
        low=0,
    )
    retry_backoff_ms: int = long(
        100, LOW, "The first delay before a request is retried, in milliseconds.", low=0
    )
    retry_backoff_max_ms: int = long(
        1000, LOW, "The maximum delay before a request is retried, in milliseconds.", low=0
    )
    reconnect_backoff_ms: int = long(
        50, LOW, "The first delay before reconnecting to a broker, in milliseconds.", low=0
    )
    reconnect_backoff_max_ms: int = long(
        1000, LOW, "The maximum delay before reconnecting to a broker, in milliseconds.", low=0
    )
    socket_connection_setup_timeout_ms: int = long(
        10_000, MEDIUM, "How long opening a connection may take, in milliseconds.", low=1
    )
    bootstrap_refused_timeout_ms: int = long(
        10_000,
        LOW,
        "How long a call retries if nothing listens or answers at any of bootstrap.servers and no "
        "broker was ever reached, in milliseconds; the call's own time limit may end it earlier. Not a Kafka "
        "property. The command line uses 5000.",
        low=0,
    )
    api_version_request: bool = boolean(
        LOW,
        default=True,
        text="Whether each broker is first asked for its versions; if false, it is taken to be of the "
        "release broker.version.fallback. As in librdkafka.",
    )
    broker_version_fallback: str = string(
        "",
        MEDIUM,
        "The release of brokers before 0.10, which do not respond to ApiVersions: 0.8.0, 0.8.1, 0.8.2 or "
        "0.9.0. It is used for a broker that closes the connection or stays silent when it is asked "
        "for its versions. As in librdkafka. Empty: such brokers are not used.",
    )
    connections_max_idle_ms: int = long(
        540_000,
        MEDIUM,
        "How long an unused connection stays open, in milliseconds; below 0: forever.",
    )
    metadata_max_age_ms: int = long(
        300_000,
        LOW,
        "How long metadata (brokers and leaders) is valid before it is requested "
        "again, in milliseconds.",
        low=0,
    )
    send_buffer_bytes: int = integer(
        -1,
        MEDIUM,
        "The send buffer of a socket, in bytes; -1: the system's default. Kafka's default: 131072.",
        low=-1,
    )
    receive_buffer_bytes: int = integer(
        -1,
        MEDIUM,
        "The receive buffer of a socket, in bytes; -1: the system's default. Kafka's default: "
        "65536.",
        low=-1,
    )

    @classmethod
    def load(cls, given: Mapping[str, object], **how: Unpack[Loading]) -> Self:
        """Like every configuration, but refuses to fall back to localhost if bootstrap.servers is misspelled.

        Raises:
            ConfigError: also if bootstrap.servers is not set and another name seems to mean it, or
                the release of broker.version.fallback is unknown or missing.
        """
        if not any(name.replace("_", ".") == _SERVERS for name in given):
            for name in given:
                if cls.find(name) is None and _means_servers(cls, name.replace("_", ".")):
                    raise ConfigError(
                        f"{name}: the property for the brokers' addresses is {_SERVERS}"
                    )
        loaded = super().load(given, **how)
        fallback = loaded.broker_version_fallback
        if not fallback and not loaded.api_version_request:
            raise ConfigError(
                "api.version.request=false: set broker.version.fallback to the release of the brokers, for "
                "example 0.9.0"
            )
        if fallback and release_line(fallback) == RELEASE_07:
            raise ConfigError(
                f"broker.version.fallback={fallback}: Kafka 0.7 has a driver of its own, barnabas.driver07"
            )
        return loaded


def _means_servers(kind: type[ClientConfig], name: str) -> bool:
    return name in _SERVERS_ELSEWHERE or kind.nearest(name) == kind.nearest(_SERVERS)


class ProducerConfig(ClientConfig):
    """Properties of a producer."""

    acks: str = string(
        "all",
        LOW,
        "Which replicas must have a record before it is acknowledged: all (or -1), the leader "
        "(1), or none (0).",
        choices=("all", "-1", "0", "1"),
    )
    enable_idempotence: bool = boolean(
        LOW, default=True, text="Whether retries are prevented from storing a record twice."
    )
    compression_type: str = string(
        "none",
        HIGH,
        "The compression codec of batches.",
        choices=PRODUCED,
    )
    compression_gzip_level: int = integer(
        -1, MEDIUM, "The compression level of gzip; -1: the codec's own default.", low=-1, high=9
    )
    compression_lz4_level: int = integer(9, MEDIUM, "The compression level of lz4.", low=1, high=17)
    compression_zstd_level: int = integer(
        3, MEDIUM, "The compression level of zstd.", low=-131_072, high=22
    )
    batch_size: int = integer(
        1_000_000,
        MEDIUM,
        "The size of a full batch, in bytes before compression; smaller if the partitions of a "
        "topic would use more than a quarter of buffer.memory. Kafka's default is 16384, which "
        "costs one request per 160 records of 100 bytes.",
        low=0,
    )
    linger_ms: int = long(
        5, MEDIUM, "How long a batch waits for more records, in milliseconds.", low=0
    )
    buffer_memory: int = long(
        33_554_432, HIGH, "The maximum memory for records waiting to be sent, in bytes.", low=0
    )
    max_block_ms: int = long(
        60_000, MEDIUM, "How long send() may wait for memory or metadata, in milliseconds.", low=0
    )
    max_request_size: int = integer(
        1_048_576, MEDIUM, "The maximum size of a request, and so of a record, in bytes.", low=0
    )
    max_in_flight_requests_per_connection: int = integer(
        5,
        LOW,
        "The maximum number of unanswered requests per broker (at most 5 with idempotence).",
        low=1,
    )
    delivery_timeout_ms: int = integer(
        120_000,
        MEDIUM,
        "The time limit for delivering a record, with all retries, in milliseconds.",
        low=0,
    )
    retries: int = integer(
        INT_MAX, HIGH, "How often a batch is retried within delivery.timeout.ms.", low=0
    )
    partitioner_ignore_keys: bool = boolean(
        MEDIUM, default=False, text="Whether the partitioner ignores keys."
    )
    transactional_id: str | None = optional_string(
        LOW,
        "The name of a transactional producer. A new producer of this name fences earlier ones. "
        "None: no transactions.",
    )
    transaction_timeout_ms: int = integer(
        60_000,
        LOW,
        "How long a transaction may stay open before the broker aborts it, in milliseconds.",
        low=1,
    )


class ConsumerConfig(ClientConfig):
    """Properties of a consumer."""

    group_id: str | None = optional_string(
        HIGH, "The consumer's group, which also stores the committed offsets."
    )
    group_instance_id: str | None = optional_string(
        MEDIUM,
        "The name of a static member, which may leave and return without a rebalance (KIP-345).",
    )
    group_protocol: str = string(
        CLASSIC,
        HIGH,
        "Who assigns partitions: a member (classic), or the broker (consumer, KIP-848, Kafka 4.0).",
        choices=(CLASSIC, CONSUMER),
    )
    group_remote_assignor: str | None = optional_string(
        MEDIUM,
        "The broker's assignor with group.protocol=consumer: uniform or range; none: the broker's "
        "default.",
    )
    partition_assignment_strategy: tuple[str, ...] = words(
        ("range", "cooperative-sticky"),
        MEDIUM,
        "The assignors, most preferred first: range, roundrobin, sticky, cooperative-sticky, or "
        "their Java class names. Members keep reading during a rebalance only if all listed "
        "assignors are cooperative.",
        choices=STRATEGIES,
    )
    session_timeout_ms: int = integer(
        45_000,
        HIGH,
        "How long a member may miss heartbeats before it is removed from the group, "
        "in milliseconds.",
    )
    heartbeat_interval_ms: int = integer(
        3000, HIGH, "The time between heartbeats, in milliseconds.", low=1
    )
    max_poll_interval_ms: int = integer(
        300_000,
        MEDIUM,
        "How long a member may go without a poll, and how long a rebalance waits for it, in "
        "milliseconds.",
        low=1,
    )
    exclude_internal_topics: bool = boolean(
        MEDIUM, default=True, text="Whether subscription patterns exclude Kafka's internal topics."
    )
    auto_offset_reset: str = string(
        "latest",
        MEDIUM,
        "Where to start without a position, or if the position's records are gone: latest, "
        "earliest, none (an error), or by_duration:PT1H, that long ago (ISO 8601).",
    )
    enable_auto_commit: bool = boolean(
        MEDIUM,
        default=True,
        text="Whether positions are committed periodically (requires group.id).",
    )
    auto_commit_interval_ms: int = integer(
        5000, LOW, "The time between these commits, in milliseconds.", low=0
    )
    fetch_min_bytes: int = integer(
        1, HIGH, "How many bytes the broker collects before it answers a fetch.", low=0
    )
    fetch_max_wait_ms: int = integer(
        500, LOW, "How long the broker waits for them, in milliseconds.", low=0
    )
    fetch_max_bytes: int = integer(
        52_428_800, MEDIUM, "The maximum size of a fetch response, in bytes.", low=0
    )
    max_partition_fetch_bytes: int = integer(
        1_048_576, HIGH, "The maximum size of one partition's part of it, in bytes.", low=0
    )
    max_poll_records: int = integer(
        500, MEDIUM, "The maximum number of records that poll() returns by default.", low=1
    )
    isolation_level: str = string(
        "read_uncommitted",
        MEDIUM,
        "Whether poll() returns records of open and aborted transactions.",
        choices=("read_uncommitted", "read_committed"),
    )
    check_crcs: bool = boolean(
        LOW, default=True, text="Whether the checksum of each batch is verified."
    )
    allow_auto_create_topics: bool = boolean(
        MEDIUM, default=True, text="Whether a metadata request may create a topic."
    )
    client_rack: str = string("", LOW, "The client's rack, for reading from a nearby replica.")

    @classmethod
    def load(cls, given: Mapping[str, object], **how: Unpack[Loading]) -> Self:
        """Like every client, but refuses properties without effect under this group.protocol, as Kafka does.

        Raises:
            ConfigError: also if such a property is set.
        """
        loaded = super().load(given, **how)
        protocol = loaded.group_protocol
        idle = [name for name in _IDLE[protocol] if name in loaded.given and loaded.value(name)]
        if idle:
            names = ", ".join(idle)
            raise ConfigError(f"{names} cannot be set when group.protocol={protocol.upper()}")
        return loaded


class AdminConfig(ClientConfig):
    """Properties of an admin client: only the shared ones."""
