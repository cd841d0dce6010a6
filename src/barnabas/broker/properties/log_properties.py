"""Combine a topic's properties with the broker's to one LogConfig."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress

from barnabas.config.broker import BrokerConfig
from barnabas.config.releases import RELEASE_07, is_before, magic_of
from barnabas.config.topic import TopicConfig
from barnabas.errors import ConfigError
from barnabas.log.segments.log_config import MAGIC_07, TODAYS_MAGIC, LogConfig
from barnabas.records.batches.recompression import StoredCodec
from barnabas.records.codecs.compression import Codec

FORMAT = "message.format.version"

_LONGEST_INTERVAL = 1 << 20
"""`index.interval.bytes` that has an effect: a look-up reads all batches after an entry of the index."""

_INSTEAD: Sequence[Mapping[str, str]] = (
    {"compression.type": "producer"},
    {
        "compression.type": "producer",
        "cleanup.policy": "delete",
        "retention.bytes": "-1",
        "retention.ms": "-1",
    },
)
"""What harms no records, where the properties of a topic and of its broker exclude each other."""


def config_of_kept(
    own: Mapping[str, object],
    broker: BrokerConfig,
    tell: Callable[[ConfigError], None] = lambda _why: None,
) -> LogConfig:
    """As `log_config`, for an existing topic: properties that it cannot have are reported, and ignored.

    No topic is created with such properties, but the broker may restart with other properties.

    Raises:
        ConfigError: one of its own cannot be on any broker.
    """
    try:
        return log_config(own, broker, own)
    except ConfigError as error:
        why = error
    tell(why)
    for instead in _INSTEAD:
        with suppress(ConfigError):
            return log_config({**own, **instead}, broker, own)
    raise why


def log_config(
    own: Mapping[str, object], broker: BrokerConfig, kept: Collection[str] = ()
) -> LogConfig:
    """What the logs of a topic obey: its own properties over the broker's.

    The values of those `kept` it has already, from a broker of any release.

    Raises:
        ConfigError: a value is out of range, or asks for what no log here does.
    """
    topic = TopicConfig.for_topic(own, broker, kept)
    stored, magic = _stored(topic), _magic(topic, broker)
    if magic == MAGIC_07 and "compact" in topic.cleanup_policy:
        if FORMAT in own:
            raise ConfigError("cleanup.policy=compact: messages of Kafka 0.7 have no keys")
        magic = TODAYS_MAGIC
    highest = _HIGHEST_CODECS.get(magic, Codec.LZ4)
    if stored is not None and magic < TODAYS_MAGIC and stored.codec > highest:
        version = topic.message_format_version
        raise ConfigError(
            f"compression.type={topic.compression_type}: message.format.version {version} has no "
            "place for it"
        )
    before_ms, after_ms = _timestamp_limits(topic)
    return LogConfig(
        segment_bytes=topic.internal_segment_bytes or topic.segment_bytes,
        segment_ms=topic.segment_ms,
        segment_jitter_ms=topic.segment_jitter_ms,
        segment_index_bytes=topic.segment_index_bytes,
        index_interval_bytes=min(topic.index_interval_bytes, _LONGEST_INTERVAL),
        retention_ms=topic.retention_ms,
        retention_bytes=topic.retention_bytes,
        cleanup_policy=frozenset(topic.cleanup_policy),
        delete_retention_ms=topic.delete_retention_ms,
        min_compaction_lag_ms=topic.min_compaction_lag_ms,
        max_compaction_lag_ms=topic.max_compaction_lag_ms,
        min_cleanable_dirty_ratio=topic.min_cleanable_dirty_ratio,
        file_delete_delay_ms=topic.file_delete_delay_ms,
        flush_messages=topic.flush_messages,
        flush_ms=topic.flush_ms,
        max_message_bytes=topic.max_message_bytes,
        message_timestamp_type=topic.message_timestamp_type,
        message_timestamp_before_max_ms=before_ms,
        message_timestamp_after_max_ms=after_ms,
        producer_id_expiration_ms=broker.producer_id_expiration_ms,
        stored=stored,
        magic=magic,
        known_magic=_known_magic(broker),
        lone_wrappers=bool(broker.release) and not is_before(broker.release, "2.4"),
        nested_wrappers=not broker.release or is_before(broker.release, "0.10.0"),
        downconverts=topic.message_downconversion_enable,
    )


def _timestamp_limits(topic: TopicConfig) -> tuple[int, int]:
    """How far before and after the broker's clock a record's timestamp may be, in milliseconds.

    Where one is not set, the older property for both sides counts (KIP-937).
    """
    limits = {
        "message.timestamp.before.max.ms": topic.message_timestamp_before_max_ms,
        "message.timestamp.after.max.ms": topic.message_timestamp_after_max_ms,
    }
    if "message.timestamp.difference.max.ms" in topic.given:
        for name in limits.keys() - topic.given:
            limits[name] = topic.message_timestamp_difference_max_ms
    before_ms, after_ms = limits.values()
    return before_ms, after_ms


_HIGHEST_CODECS = {MAGIC_07: Codec.SNAPPY}
"""What messages before magic 2 can be compressed with, where that is not lz4."""


def _known_magic(broker: BrokerConfig) -> int:
    """The highest that clients of its own release may send."""
    return TODAYS_MAGIC if broker.release in ("", RELEASE_07) else magic_of(broker.release)


def _magic(topic: TopicConfig, broker: BrokerConfig) -> int:
    """Of the record format to store; Kafka 3 has the property, and no longer obeys it (KIP-724)."""
    magic = magic_of(topic.message_format_version)
    if broker.release and not is_before(broker.release, "3.0") and magic != MAGIC_07:
        return TODAYS_MAGIC
    return magic


_FAST_LZ4 = 9
"""Kafka takes lz4's fast compressor for its default level, the thorough one for all others."""


def _stored(topic: TopicConfig) -> StoredCodec | None:
    """What `compression.type` and the levels mean."""
    match topic.compression_type:
        case "producer":
            return None
        case "uncompressed":
            return StoredCodec(Codec.NONE)
        case "gzip":
            level = topic.compression_gzip_level
            return StoredCodec(Codec.GZIP, None if level < 0 else level)
        case "lz4":
            level = topic.compression_lz4_level
            return StoredCodec(Codec.LZ4, None if level == _FAST_LZ4 else level)
        case "zstd":
            return StoredCodec(Codec.ZSTD, topic.compression_zstd_level)
        case name:
            return StoredCodec(Codec[name.upper()])
