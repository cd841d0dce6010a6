"""Broker properties: all that this broker supports, under Kafka's own names.

Source: Kafka 4 (names, types, defaults, ranges). If a default differs, the text says so.
`config.elsewhere` lists the names that a Kafka broker's file may contain besides.
"""

from collections.abc import Mapping
from typing import ClassVar

from barnabas.config.broker_compaction import CompactionConfig
from barnabas.config.broker_consumer_groups import ConsumerGroupConfig
from barnabas.config.broker_dialects import DialectConfig
from barnabas.config.broker_membership import MembershipConfig
from barnabas.config.broker_offsets import OffsetsConfig
from barnabas.config.broker_quotas import QuotaConfig
from barnabas.config.broker_replication import ReplicationConfig
from barnabas.config.broker_retired import RetiredConfig
from barnabas.config.broker_share_groups import ShareGroupConfig
from barnabas.config.broker_streams_groups import StreamsGroupConfig
from barnabas.config.broker_transactions import TransactionConfig
from barnabas.config.broker_zookeeper import ZooKeeperConfig
from barnabas.config.codec_names import STORED
from barnabas.config.definition import (
    HIGH,
    INT_MAX,
    LONG_MAX,
    LOW,
    MEDIUM,
    boolean,
    integer,
    long,
    optional_integer,
    optional_long,
    string,
    words,
)
from barnabas.config.ignored_names import BROKER_NAMES

_HOUR_MS = 3_600_000
_MINUTE_MS = 60_000
_NO_TIERS = "there is no tiered storage"
_NO_PREALLOCATION = "files grow as they are written"

IN_OTHER_UNITS: dict[str, tuple[tuple[str, int], ...]] = {
    "log.retention.ms": (("log.retention.minutes", _MINUTE_MS), ("log.retention.hours", _HOUR_MS)),
    "log.roll.ms": (("log.roll.hours", _HOUR_MS),),
    "log.roll.jitter.ms": (("log.roll.jitter.hours", _HOUR_MS),),
    "log.flush.interval.ms": (("log.flush.scheduler.interval.ms", 1),),
}
"""Properties that replace one that is not set, in order of precedence, each with its factor."""


class BrokerConfig(
    CompactionConfig,
    QuotaConfig,
    MembershipConfig,
    OffsetsConfig,
    ConsumerGroupConfig,
    ShareGroupConfig,
    StreamsGroupConfig,
    TransactionConfig,
    DialectConfig,
    RetiredConfig,
    ZooKeeperConfig,
    ReplicationConfig,
):
    """What you can set for a broker."""

    known_elsewhere: ClassVar[Mapping[str, str]] = BROKER_NAMES

    # Identity and addresses.
    listeners: tuple[str, ...] = words(
        ("PLAINTEXT://localhost:9092",),
        HIGH,
        "The addresses to listen on, as NAME://host:port. An empty host is every address of the "
        "machine (Kafka's default), port 0 any free port.",
    )
    advertised_listeners: tuple[str, ...] = words(
        (),
        HIGH,
        "The addresses that clients use, if they differ from listeners.",
    )
    controller_listener_names: tuple[str, ...] = words(
        (), HIGH, "Names of listeners that stay closed, because the controller needs no port."
    )
    listener_security_protocol_map: tuple[str, ...] = words(
        ("PLAINTEXT:PLAINTEXT", "SSL:SSL", "SASL_PLAINTEXT:SASL_PLAINTEXT", "SASL_SSL:SASL_SSL"),
        HIGH,
        "The security protocol of each listener name, as NAME:PROTOCOL. Only PLAINTEXT is "
        "supported: a listener of another protocol, or without one, is refused.",
    )
    node_id: int = integer(
        1, HIGH, "The number of this broker in its cluster.", low=0, also=("broker.id", "broker_id")
    )
    log_dirs: tuple[str, ...] = words((), HIGH, "The directories of the logs; log.dir if unset.")
    log_dir: str = string(
        "barnabas-data",
        HIGH,
        "The directory of the logs. Kafka's default is in the directory for temporary files.",
    )

    # Topics.
    auto_create_topics_enable: bool = boolean(
        HIGH,
        default=True,
        text="Whether a topic is created when a client that allows it first requests it.",
    )
    num_partitions: int = integer(
        1, MEDIUM, "The number of partitions of a new topic, unless its creator sets it.", low=1
    )
    default_replication_factor: int = integer(
        1, MEDIUM, "The number of replicas of a new topic, unless its creator sets it.", low=1
    )
    delete_topic_enable: bool = boolean(
        HIGH, default=True, text="Whether topics may be deleted by clients."
    )
    min_insync_replicas: int = integer(
        1,
        HIGH,
        "How many replicas must have a record before acks=all is acknowledged.",
        low=1,
        inert="without cluster.member nothing is replicated",
    )
    compression_type: str = string(
        "producer",
        HIGH,
        "The codec that batches are stored in; producer keeps the producer's.",
        choices=STORED,
    )
    compression_gzip_level: int = integer(
        -1,
        MEDIUM,
        "The level of gzip where compression.type is gzip; -1: the codec's own default."
        " In a large Produce: beyond 1 MiB of records, 1 is used.",
        low=-1,
        high=9,
    )
    compression_lz4_level: int = integer(
        9,
        MEDIUM,
        "The level of lz4 where compression.type is lz4; 9: the fast one."
        " In a large Produce: beyond 1 MiB of records, 1 is used.",
        low=1,
        high=17,
    )
    compression_zstd_level: int = integer(
        3,
        MEDIUM,
        "The level of zstd where compression.type is zstd."
        " In a large Produce: at most 15 is used from 64 KiB of records on, "
        "9 from 256 KiB, 3 from 1 MiB, 1 from 4 MiB.",
        low=-131_072,
        high=22,
    )
    message_max_bytes: int = integer(
        1_048_588, HIGH, "The largest record batch that is accepted, in bytes as sent.", low=0
    )
    log_message_timestamp_type: str = string(
        "CreateTime",
        MEDIUM,
        "Whose timestamp a record carries: the producer's (CreateTime) or the broker's "
        "(LogAppendTime).",
        choices=("CreateTime", "LogAppendTime"),
    )
    log_message_timestamp_before_max_ms: int = long(
        LONG_MAX,
        MEDIUM,
        "The maximum age of a record's timestamp by the broker's clock, in milliseconds.",
        low=0,
    )
    log_message_timestamp_after_max_ms: int = long(
        _HOUR_MS,
        MEDIUM,
        "How far a record's timestamp may be ahead of the broker's clock, in milliseconds.",
        low=0,
    )

    # Segments and retention.
    log_segment_bytes: int = integer(
        1_073_741_824, HIGH, "The size at which a segment is closed, in bytes.", low=1_048_576
    )
    log_roll_ms: int | None = optional_long(
        HIGH,
        "The age at which a segment is closed, in milliseconds; log.roll.hours if unset.",
        low=1,
    )
    log_roll_hours: int = integer(
        168, HIGH, "The age at which a segment is closed, in hours.", low=1
    )
    log_roll_jitter_ms: int | None = optional_long(
        HIGH,
        "The maximum random reduction of that age, in milliseconds; log.roll.jitter.hours if "
        "unset.",
        low=0,
    )
    log_roll_jitter_hours: int = integer(
        0,
        HIGH,
        "The maximum random reduction of that age, in hours.",
        low=0,
    )
    log_cleanup_policy: tuple[str, ...] = words(
        ("delete",),
        MEDIUM,
        "This config designates the retention policy of old segments: delete, compact, or both.",
        choices=("delete", "compact"),
    )
    log_retention_ms: int | None = optional_long(
        HIGH,
        "How long records are kept, in milliseconds; -1: forever; log.retention.minutes if unset.",
        low=-1,
    )
    log_retention_minutes: int | None = optional_integer(
        HIGH, "How long records are kept, in minutes; log.retention.hours if unset.", low=-1
    )
    log_retention_hours: int = integer(168, HIGH, "How long records are kept, in hours.", low=-1)
    log_retention_bytes: int = long(
        -1,
        HIGH,
        "The maximum size of a partition before old segments are deleted, in bytes; -1: no limit.",
    )
    log_local_retention_ms: int = long(
        -2, MEDIUM, "How long records also stay on the broker.", low=-2, inert=_NO_TIERS
    )
    log_local_retention_bytes: int = long(
        -2, MEDIUM, "How much of a partition also stays on the broker.", low=-2, inert=_NO_TIERS
    )
    log_retention_check_interval_ms: int = long(
        300_000, MEDIUM, "The time between retention checks, in milliseconds.", low=1
    )
    log_segment_delete_delay_ms: int = long(
        60_000, HIGH, "How long the file of a dropped segment remains, in milliseconds.", low=0
    )
    log_index_size_max_bytes: int = integer(
        10_485_760, MEDIUM, "The maximum size of an offset index, in bytes.", low=4
    )
    log_index_interval_bytes: int = integer(
        4096, MEDIUM, "The approximate number of log bytes between two index entries.", low=0
    )
    log_preallocate: bool = boolean(
        MEDIUM,
        default=False,
        text="Whether a new segment reserves its whole size on disk.",
        inert=_NO_PREALLOCATION,
    )

    # Flushes to stable storage.
    log_flush_interval_messages: int = long(
        LONG_MAX,
        HIGH,
        "The number of records after which a log is flushed to stable storage.",
        low=1,
    )
    log_flush_interval_ms: int | None = optional_long(
        HIGH,
        "The maximum time before a record is flushed, in milliseconds; "
        "log.flush.scheduler.interval.ms if unset.",
        low=0,
    )
    log_flush_scheduler_interval_ms: int = long(
        LONG_MAX, HIGH, "The time between checks whether a log needs a flush, in milliseconds."
    )
    log_flush_offset_checkpoint_interval_ms: int = integer(
        60_000, HIGH, "The time between writes of the recovery points, in milliseconds.", low=0
    )

    # Connections, and the memory that clients may use.
    socket_request_max_bytes: int = integer(
        104_857_600, HIGH, "The maximum size of a request, in bytes.", low=1
    )
    socket_request_max_memory_bytes: int = long(
        41_943_040,
        MEDIUM,
        "The maximum memory for parsing one request without its records, in bytes. A request that "
        "needs more, or one without records that is itself larger, closes its connection. Each "
        "item that a request names takes at least 192 bytes, a partition of a fetch about 300. "
        "Not a Kafka property.",
        low=1024,
    )
    socket_send_buffer_bytes: int = integer(
        102_400,
        HIGH,
        "The send buffer of a socket, in bytes; -1 or unset: the system's default.",
        low=-1,
    )
    socket_receive_buffer_bytes: int = integer(
        102_400,
        HIGH,
        "The receive buffer of a socket, in bytes; -1 or unset: the system's default.",
        low=-1,
    )
    socket_listen_backlog_size: int = integer(
        50,
        MEDIUM,
        "How many connections may wait to be accepted; unset: 1024.",
        low=1,
    )
    connections_max_idle_ms: int = long(
        600_000, MEDIUM, "How long an idle connection stays open, in milliseconds."
    )
    max_connections: int = integer(
        INT_MAX, MEDIUM, "The maximum number of connections to the broker.", low=0
    )
    max_connections_per_ip: int = integer(
        INT_MAX, MEDIUM, "The maximum number of connections from one address.", low=0
    )
    queued_max_request_bytes: int = long(
        67_108_864,
        MEDIUM,
        "The maximum memory for partly received requests of all connections together, in bytes. "
        "One request may be larger; the others then share a quarter of it. -1: no limit (Kafka's "
        "default).",
        low=-1,
    )
    client_state_max_bytes: int = long(
        67_108_864,
        MEDIUM,
        "The maximum memory for client state between requests, in bytes: fetch sessions, share "
        "sessions, records locked by share groups, waiting requests, group members. -1: no limit. "
        "Above three quarters of it, new members and members that grow are refused with "
        "COORDINATOR_NOT_AVAILABLE, large ones first, and share groups lock no more records. "
        "Above seven eighths, a fetch gets no session, and a share session is refused. At the "
        "limit, the requests that waited longest are answered. Not a Kafka property.",
        low=-1,
    )
    fetch_max_bytes: int = integer(
        57_671_680, MEDIUM, "The maximum size of a fetch response, in bytes.", low=1024
    )
    max_incremental_fetch_session_cache_slots: int = integer(
        1000, MEDIUM, "The maximum number of fetch sessions.", low=0
    )

    # Producers.
    producer_id_expiration_ms: int = integer(
        86_400_000,
        LOW,
        "How long an idle idempotent producer is remembered, in milliseconds.",
        low=1,
    )
    producer_id_expiration_check_interval_ms: int = integer(
        600_000, LOW, "The time between checks for such producers, in milliseconds.", low=1
    )

    @property
    def directories(self) -> tuple[str, ...]:
        """The log directories."""
        return self.log_dirs or (self.log_dir,)

    def source_of(self, name: str) -> tuple[str, object] | None:
        """Return the property that was set and supplies `name`, with its value in the unit of `name`."""
        for other, factor in ((name, 1), *IN_OTHER_UNITS.get(name, ())):
            if other in self.given:
                value = self.value(other)
                if factor > 1 and isinstance(value, int):
                    value = max(-1, value * factor)
                return other, value
        return None
