"""The properties of a broker: every one that this broker honours, under Kafka's own names.

Source: Kafka 4 (names, types, defaults, ranges). Where a default differs, the text says so. What a
file for a Kafka broker may name besides is in `config.elsewhere`.
"""

from collections.abc import Mapping
from typing import ClassVar

from barnabas.config.broker_consumer_groups import ConsumerGroupConfig
from barnabas.config.broker_dialects import DialectConfig
from barnabas.config.broker_membership import MembershipConfig
from barnabas.config.broker_offsets import OffsetsConfig
from barnabas.config.broker_quotas import QuotaConfig
from barnabas.config.broker_retired import RetiredConfig
from barnabas.config.broker_share_groups import ShareGroupConfig
from barnabas.config.broker_streams_groups import StreamsGroupConfig
from barnabas.config.broker_transactions import TransactionConfig
from barnabas.config.broker_zookeeper import ZooKeeperConfig
from barnabas.config.definition import (
    DOUBLE_MAX,
    HIGH,
    INT_MAX,
    LONG_MAX,
    LOW,
    MEDIUM,
    boolean,
    double,
    integer,
    long,
    optional_integer,
    optional_long,
    string,
    words,
)
from barnabas.config.elsewhere import BROKER_NAMES

_HOUR_MS = 3_600_000
_MINUTE_MS = 60_000
_NO_TIERS = "nothing is tiered"
_NO_PREALLOCATION = "files grow as they are written"

IN_OTHER_UNITS: dict[str, tuple[tuple[str, int], ...]] = {
    "log.retention.ms": (("log.retention.minutes", _MINUTE_MS), ("log.retention.hours", _HOUR_MS)),
    "log.roll.ms": (("log.roll.hours", _HOUR_MS),),
    "log.roll.jitter.ms": (("log.roll.jitter.hours", _HOUR_MS),),
    "log.flush.interval.ms": (("log.flush.scheduler.interval.ms", 1),),
}
"""What stands in for a property that is not set, first one first, with its factor."""


class BrokerConfig(
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
):
    """What can be set for a broker."""

    known_elsewhere: ClassVar[Mapping[str, str]] = BROKER_NAMES

    # Where it listens, and who it is.
    listeners: tuple[str, ...] = words(
        ("PLAINTEXT://localhost:9092",),
        HIGH,
        "The addresses to listen on, as NAME://host:port. An empty host is every address of the "
        "machine (Kafka's default), port 0 any free port.",
    )
    advertised_listeners: tuple[str, ...] = words(
        (),
        HIGH,
        "The addresses that clients are told to use, where they differ from listeners.",
    )
    controller_listener_names: tuple[str, ...] = words(
        (), HIGH, "Names of listeners that are not opened, because the controller needs no port."
    )
    listener_security_protocol_map: tuple[str, ...] = words(
        ("PLAINTEXT:PLAINTEXT", "SSL:SSL", "SASL_PLAINTEXT:SASL_PLAINTEXT", "SASL_SSL:SASL_SSL"),
        HIGH,
        "The security protocol of each listener name, as NAME:PROTOCOL. Only PLAINTEXT is served: "
        "a listener of another protocol, or of none, is refused.",
    )
    node_id: int = integer(
        1, HIGH, "The number of this broker in its cluster.", low=0, also=("broker.id", "broker_id")
    )
    log_dirs: tuple[str, ...] = words(
        (), HIGH, "The directories of the logs; log.dir where this is not set."
    )
    log_dir: str = string(
        "barnabas-data",
        HIGH,
        "The directory of the logs. Kafka's default lies in the directory for temporary files.",
    )

    # Topics.
    auto_create_topics_enable: bool = boolean(
        HIGH,
        default=True,
        text="Whether a topic is made when a client that allows it first asks for it.",
    )
    num_partitions: int = integer(
        1, MEDIUM, "The partitions of a topic where its creator does not say.", low=1
    )
    default_replication_factor: int = integer(
        1, MEDIUM, "The replicas of a topic where its creator does not say.", low=1
    )
    delete_topic_enable: bool = boolean(
        HIGH, default=True, text="Whether topics may be deleted by clients."
    )
    min_insync_replicas: int = integer(
        1,
        HIGH,
        "How many replicas must have a record before acks=all is answered.",
        low=1,
        inert="there is one broker, so nothing is replicated",
    )
    compression_type: str = string(
        "producer",
        HIGH,
        "The codec that batches are stored in; producer means as they came.",
        choices=("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"),
    )
    compression_gzip_level: int = integer(
        -1,
        MEDIUM,
        "The level of gzip where compression.type is gzip; -1: the codec's own default.",
        low=-1,
        high=9,
    )
    compression_lz4_level: int = integer(
        9,
        MEDIUM,
        "The level of lz4 where compression.type is lz4; 9: the fast one.",
        low=1,
        high=17,
    )
    compression_zstd_level: int = integer(
        3,
        MEDIUM,
        "The level of zstd where compression.type is zstd.",
        low=-131_072,
        high=22,
    )
    message_max_bytes: int = integer(
        1_048_588, HIGH, "The largest record batch that is accepted, in bytes as sent.", low=0
    )
    log_message_timestamp_type: str = string(
        "CreateTime",
        MEDIUM,
        "Whose time a record carries: the producer's (CreateTime) or the broker's (LogAppendTime).",
        choices=("CreateTime", "LogAppendTime"),
    )
    log_message_timestamp_before_max_ms: int = long(
        LONG_MAX,
        MEDIUM,
        "How far behind the broker's clock a record's timestamp may be, in milliseconds.",
        low=0,
    )
    log_message_timestamp_after_max_ms: int = long(
        _HOUR_MS,
        MEDIUM,
        "How far ahead of the broker's clock a record's timestamp may be, in milliseconds.",
        low=0,
    )

    # Segments and what becomes of them.
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
        "The most by which that age is shortened at random, in milliseconds; "
        "log.roll.jitter.hours if unset.",
        low=0,
    )
    log_roll_jitter_hours: int = integer(
        0,
        HIGH,
        "The most by which that age is shortened at random, in hours.",
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
        "How long records are kept, in milliseconds; -1: for ever; log.retention.minutes if unset.",
        low=-1,
    )
    log_retention_minutes: int | None = optional_integer(
        HIGH, "How long records are kept, in minutes; log.retention.hours if unset.", low=-1
    )
    log_retention_hours: int = integer(168, HIGH, "How long records are kept, in hours.", low=-1)
    log_retention_bytes: int = long(
        -1, HIGH, "How large a partition may grow before old segments go, in bytes; -1: no limit."
    )
    log_local_retention_ms: int = long(
        -2, MEDIUM, "How long records stay on the broker too.", low=-2, inert=_NO_TIERS
    )
    log_local_retention_bytes: int = long(
        -2, MEDIUM, "How much of a partition stays on the broker too.", low=-2, inert=_NO_TIERS
    )
    log_retention_check_interval_ms: int = long(
        300_000, MEDIUM, "How often retention is looked at, in milliseconds.", low=1
    )
    log_segment_delete_delay_ms: int = long(
        60_000, HIGH, "How long the file of a dropped segment stays, in milliseconds.", low=0
    )
    log_index_size_max_bytes: int = integer(
        10_485_760, MEDIUM, "The largest size of an offset index, in bytes.", low=4
    )
    log_index_interval_bytes: int = integer(
        4096, MEDIUM, "About how many bytes of log lie between two index entries.", low=0
    )
    log_preallocate: bool = boolean(
        MEDIUM,
        default=False,
        text="Whether a new segment gets its whole size on disk at once.",
        inert=_NO_PREALLOCATION,
    )

    # Compaction.
    log_cleaner_enable: bool = boolean(
        MEDIUM, default=True, text="Whether topics with cleanup.policy=compact are compacted."
    )
    log_cleaner_dedupe_buffer_size: int = long(
        134_217_728,
        MEDIUM,
        "The most memory for the keys of a log that is compacted, in bytes: 24 for each key. A log "
        "with more keys is compacted in several rounds.",
        low=1,
    )
    log_cleaner_io_buffer_load_factor: float = double(
        0.9, MEDIUM, "Up to which share that memory is filled with keys.", low=0.01, high=0.99
    )
    log_cleaner_io_max_bytes_per_second: float = double(
        DOUBLE_MAX, MEDIUM, "The most that compaction reads and writes, in bytes per second.", low=1
    )
    log_cleaner_backoff_ms: int = long(
        15_000,
        MEDIUM,
        "How long to wait when no log needs compaction, in milliseconds.",
        low=0,
    )
    log_cleaner_min_cleanable_ratio: float = double(
        0.5,
        MEDIUM,
        "The share of a log that must be uncompacted before it is compacted again.",
        low=0,
        high=1,
    )
    log_cleaner_delete_retention_ms: int = long(
        86_400_000,
        MEDIUM,
        "How long a compacted topic keeps the mark of a deleted key, in milliseconds.",
        low=0,
    )
    log_cleaner_min_compaction_lag_ms: int = long(
        0,
        MEDIUM,
        "For how long a record is safe from compaction, in milliseconds.",
        low=0,
    )
    log_cleaner_max_compaction_lag_ms: int = long(
        LONG_MAX,
        MEDIUM,
        "After how long a record must be considered for compaction, in milliseconds.",
        low=1,
    )

    # When what is written becomes stable.
    log_flush_interval_messages: int = long(
        LONG_MAX, HIGH, "After how many records a log is flushed to stable storage.", low=1
    )
    log_flush_interval_ms: int | None = optional_long(
        HIGH,
        "After how long a record is flushed, in milliseconds; log.flush.scheduler.interval.ms if "
        "unset.",
        low=0,
    )
    log_flush_scheduler_interval_ms: int = long(
        LONG_MAX, HIGH, "How often it is looked whether a log must be flushed, in milliseconds."
    )
    log_flush_offset_checkpoint_interval_ms: int = integer(
        60_000, HIGH, "How often the recovery points are written, in milliseconds.", low=0
    )

    # Connections, and how much memory clients may cost.
    socket_request_max_bytes: int = integer(
        104_857_600, HIGH, "The largest request that is accepted, in bytes.", low=1
    )
    socket_request_max_memory_bytes: int = long(
        41_943_040,
        MEDIUM,
        "The most memory that one request may take when it is read, in bytes, its records left aside; a "
        "request that needs more, or one without records that is itself larger, ends its connection. Each "
        "thing that a request names takes at least 192 bytes, a partition of a fetch about 300. Not one "
        "of Kafka's properties.",
        low=1024,
    )
    socket_send_buffer_bytes: int = integer(
        102_400,
        HIGH,
        "The send buffer of a socket, in bytes; -1, or nothing given: the system fits it.",
        low=-1,
    )
    socket_receive_buffer_bytes: int = integer(
        102_400,
        HIGH,
        "The receive buffer of a socket, in bytes; -1, or nothing given: the system fits it.",
        low=-1,
    )
    socket_listen_backlog_size: int = integer(
        50,
        MEDIUM,
        "How many connections may wait to be accepted; nothing given: 1024.",
        low=1,
    )
    connections_max_idle_ms: int = long(
        600_000, MEDIUM, "After how long a silent connection is closed, in milliseconds."
    )
    max_connections: int = integer(
        INT_MAX, MEDIUM, "How many connections the broker holds at once.", low=0
    )
    max_connections_per_ip: int = integer(
        INT_MAX, MEDIUM, "How many connections one address may hold at once.", low=0
    )
    queued_max_request_bytes: int = long(
        67_108_864,
        MEDIUM,
        "How much memory half-received requests of all connections may take together, in bytes; one may "
        "be larger, and the others have a quarter of that beside it; -1: no limit (Kafka's default).",
        low=-1,
    )
    client_state_max_bytes: int = long(
        67_108_864,
        MEDIUM,
        "How much memory what is kept for clients between their requests may take, in bytes: fetch "
        "sessions, share sessions, records that share groups have locked, requests that wait, members of "
        "groups; -1: no limit. From three quarters of it on new members, and those that say more than "
        "before, are refused with COORDINATOR_NOT_AVAILABLE, the large ones first, and share groups lock "
        "no more records. From seven eighths on a fetch is answered without a session, and a share "
        "session is refused. At the limit those requests are answered that have waited longest. Not one "
        "of Kafka's properties.",
        low=-1,
    )
    fetch_max_bytes: int = integer(
        57_671_680, MEDIUM, "The most that one fetch is answered with, in bytes.", low=1024
    )
    max_incremental_fetch_session_cache_slots: int = integer(
        1000, MEDIUM, "How many fetch sessions are remembered.", low=0
    )

    # Producers.
    producer_id_expiration_ms: int = integer(
        86_400_000,
        LOW,
        "After how long without a write an idempotent producer is forgotten, in milliseconds.",
        low=1,
    )
    producer_id_expiration_check_interval_ms: int = integer(
        600_000, LOW, "How often it is looked for such producers, in milliseconds.", low=1
    )

    @property
    def directories(self) -> tuple[str, ...]:
        """Where the logs are."""
        return self.log_dirs or (self.log_dir,)

    def source_of(self, name: str) -> tuple[str, object] | None:
        """Which property that was set gives `name` its value, with the value in `name`'s unit."""
        for other, factor in ((name, 1), *IN_OTHER_UNITS.get(name, ())):
            if other in self.given:
                value = self.value(other)
                if factor > 1 and isinstance(value, int):
                    value = max(-1, value * factor)
                return other, value
        return None
