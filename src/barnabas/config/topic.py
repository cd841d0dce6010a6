"""Topic properties, with the broker-wide properties that supply their defaults.

Source: Kafka 4 TopicConfig and LogConfig (names, types, defaults, ranges).
"""

import logging
from collections.abc import Collection, Mapping
from typing import ClassVar, Self

from barnabas.config.broker import BrokerConfig
from barnabas.config.codec_names import STORED
from barnabas.config.configuration import Configuration
from barnabas.config.definition import (
    LONG_MAX,
    LOW,
    MEDIUM,
    boolean,
    double,
    integer,
    long,
    optional_integer,
    string,
    words,
)

_NO_REPLICATION = "there is one broker, so nothing is replicated"
_ALONE = "without cluster.member nothing is replicated"
_NO_TIERS = "there is no tiered storage"
_NO_PREALLOCATION = "files grow as they are written"


class TopicConfig(Configuration):
    """What you can set per topic."""

    inert_level: ClassVar[int] = logging.INFO
    """Lower than usual: a broker loads the properties of every topic at each start."""

    cleanup_policy: tuple[str, ...] = words(
        ("delete",),
        MEDIUM,
        "This config designates the retention policy: delete drops old segments by age and size, "
        "compact keeps the last record of each key.",
        choices=("delete", "compact"),
        synonym="log.cleanup.policy",
    )
    compression_type: str = string(
        "producer",
        MEDIUM,
        "Specify the final compression type: the codec that batches are stored in; producer keeps "
        "the producer's.",
        choices=STORED,
        synonym="compression.type",
        since="0.9.0",
    )
    compression_gzip_level: int = integer(
        -1,
        MEDIUM,
        "The compression level to use where compression.type is gzip; -1: the codec's own default."
        " In a large Produce: beyond 1 MiB of records, 1 is used.",
        low=-1,
        high=9,
        synonym="compression.gzip.level",
        since="3.8",
    )
    compression_lz4_level: int = integer(
        9,
        MEDIUM,
        "The compression level to use where compression.type is lz4; 9: the fast one."
        " In a large Produce: beyond 1 MiB of records, 1 is used.",
        low=1,
        high=17,
        synonym="compression.lz4.level",
        since="3.8",
    )
    compression_zstd_level: int = integer(
        3,
        MEDIUM,
        "The compression level to use where compression.type is zstd."
        " In a large Produce: at most 15 is used from 64 KiB of records on, "
        "9 from 256 KiB, 3 from 1 MiB, 1 from 4 MiB.",
        low=-131_072,
        high=22,
        synonym="compression.zstd.level",
        since="3.8",
    )
    delete_retention_ms: int = long(
        86_400_000,
        MEDIUM,
        "The amount of time to retain the tombstone of a deleted key in a compacted topic, in "
        "milliseconds.",
        low=0,
        synonym="log.cleaner.delete.retention.ms",
    )
    file_delete_delay_ms: int = long(
        60_000,
        MEDIUM,
        "The time to wait before the file of a dropped segment is removed, for consumers that "
        "still read it, in milliseconds.",
        low=0,
        synonym="log.segment.delete.delay.ms",
    )
    flush_messages: int = long(
        LONG_MAX,
        MEDIUM,
        "This setting allows specifying after how many records the log is flushed to stable storage.",
        low=1,
        synonym="log.flush.interval.messages",
    )
    flush_ms: int = long(
        LONG_MAX,
        MEDIUM,
        "This setting allows specifying after how long a record is flushed to stable storage, in "
        "milliseconds.",
        low=0,
        synonym="log.flush.interval.ms",
    )
    index_interval_bytes: int = integer(
        4096,
        MEDIUM,
        "This setting controls how frequently the offset index has an entry: after about so many bytes. More "
        "than 1048576 counts as 1048576.",
        low=0,
        synonym="log.index.interval.bytes",
    )
    internal_segment_bytes: int | None = optional_integer(
        MEDIUM,
        "The size at which a segment is closed, in place of segment.bytes and without its "
        "minimum. Kafka's own tests use it.",
        low=1,
        since="4.1",
        internal=True,
    )
    max_compaction_lag_ms: int = long(
        LONG_MAX,
        MEDIUM,
        "The maximum time a message waits until it is considered for compaction, in milliseconds.",
        low=1,
        synonym="log.cleaner.max.compaction.lag.ms",
        since="2.3",
    )
    max_message_bytes: int = integer(
        1_048_588,
        MEDIUM,
        "The largest record batch size that is accepted, in bytes as sent (after compression).",
        low=0,
        synonym="message.max.bytes",
    )
    message_downconversion_enable: bool = boolean(
        LOW,
        default=True,
        text="This configuration controls whether records are converted for consumers of an older "
        "format. Kafka 4 removed it.",
        synonym="log.message.downconversion.enable",
        since="2.0",
        gone="4.0",
    )
    message_format_version: str = string(
        "3.0-IV1",
        MEDIUM,
        "Specify the message format version: the release whose record format is stored. 0.10.0 "
        "and later have timestamps, 0.11.0 and later batches. Kafka 3 ignores it, Kafka 4 removed "
        "it.",
        synonym="log.message.format.version",
        since="0.10.0",
        gone="4.0",
    )
    message_timestamp_after_max_ms: int = long(
        3_600_000,
        MEDIUM,
        "This configuration sets the allowable timestamp of a record: at most so far ahead of the "
        "broker's clock, in milliseconds.",
        low=0,
        synonym="log.message.timestamp.after.max.ms",
        since="3.6",
    )
    message_timestamp_before_max_ms: int = long(
        LONG_MAX,
        MEDIUM,
        "This configuration sets the allowable timestamp of a record: at most so far behind the "
        "broker's clock, in milliseconds.",
        low=0,
        synonym="log.message.timestamp.before.max.ms",
        since="3.6",
    )
    message_timestamp_difference_max_ms: int = long(
        LONG_MAX,
        MEDIUM,
        "The maximum difference between a record's timestamp and the broker's clock, in "
        "milliseconds. It replaces the two properties that 3.6 added; Kafka 4 removed it.",
        low=0,
        synonym="log.message.timestamp.difference.max.ms",
        since="0.10.0",
        gone="4.0",
    )
    message_timestamp_type: str = string(
        "CreateTime",
        MEDIUM,
        "Define whether the timestamp of a record is the producer's (CreateTime) or the broker's "
        "at the append (LogAppendTime).",
        choices=("CreateTime", "LogAppendTime"),
        synonym="log.message.timestamp.type",
        since="0.10.0",
    )
    min_cleanable_dirty_ratio: float = double(
        0.5,
        MEDIUM,
        "This configuration controls how frequently a log is compacted: when this share of it is "
        "uncompacted.",
        low=0,
        high=1,
        synonym="log.cleaner.min.cleanable.ratio",
    )
    min_compaction_lag_ms: int = long(
        0,
        MEDIUM,
        "The minimum time a message is safe from compaction, in milliseconds.",
        low=0,
        synonym="log.cleaner.min.compaction.lag.ms",
        since="0.10.1",
    )
    min_insync_replicas: int = integer(
        1,
        MEDIUM,
        "Specifies the minimum number of replicas that must have a record before acks=all is answered.",
        low=1,
        synonym="min.insync.replicas",
        since="0.8.2",
        inert=_ALONE,
    )
    preallocate: bool = boolean(
        MEDIUM,
        default=False,
        text="True if we should preallocate the whole size of a new segment on disk.",
        synonym="log.preallocate",
        since="0.9.0",
        inert=_NO_PREALLOCATION,
    )
    retention_bytes: int = long(
        -1,
        MEDIUM,
        "This configuration controls the maximum size of a partition, in bytes, before old segments are "
        "dropped; -1: no limit.",
        synonym="log.retention.bytes",
    )
    retention_ms: int = long(
        604_800_000,
        MEDIUM,
        "This configuration controls the maximum time for which records are kept, in milliseconds; -1: for "
        "ever.",
        low=-1,
        synonym="log.retention.ms",
    )
    segment_bytes: int = integer(
        1_073_741_824,
        MEDIUM,
        "This configuration controls the segment file size at which the next segment begins, in bytes.",
        low=1_048_576,
        synonym="log.segment.bytes",
    )
    segment_index_bytes: int = integer(
        10_485_760,
        MEDIUM,
        "This configuration controls the size of the largest offset index, in bytes.",
        low=4,
        synonym="log.index.size.max.bytes",
    )
    segment_jitter_ms: int = long(
        0,
        MEDIUM,
        "The maximum random jitter that shortens the age limit of a segment, in milliseconds, so that "
        "segments do not all roll at once.",
        low=0,
        synonym="log.roll.jitter.ms",
        since="0.8.2",
    )
    segment_ms: int = long(
        604_800_000,
        MEDIUM,
        "This configuration controls the period of time after which a segment is closed even if it is not "
        "full, in milliseconds.",
        low=1,
        synonym="log.roll.ms",
    )
    unclean_leader_election_enable: bool = boolean(
        LOW,
        default=False,
        text="Indicates whether to enable a replica that is behind to become leader when no other is left.",
        since="0.8.2",
        inert=_NO_REPLICATION,
    )
    remote_storage_enable: bool = boolean(
        MEDIUM,
        default=False,
        text="To enable tiered storage: whether old segments go to other storage.",
        since="3.6",
        inert=_NO_TIERS,
    )
    remote_log_copy_disable: bool = boolean(
        MEDIUM,
        default=False,
        text="Determines whether tiered data is only read, and no more is added.",
        since="3.9",
        inert=_NO_TIERS,
    )
    remote_log_delete_on_disable: bool = boolean(
        MEDIUM,
        default=False,
        text="Determines whether tiered data goes when tiered storage is no longer used.",
        since="3.9",
        inert=_NO_TIERS,
    )
    local_retention_ms: int = long(
        -2,
        MEDIUM,
        "The number of milliseconds to keep records on the broker too; -2: as retention.ms.",
        low=-2,
        synonym="log.local.retention.ms",
        since="3.6",
        inert=_NO_TIERS,
    )
    local_retention_bytes: int = long(
        -2,
        MEDIUM,
        "The maximum size of the part of a partition that also stays on the broker, in bytes; -2: "
        "the value of retention.bytes.",
        low=-2,
        synonym="log.local.retention.bytes",
        since="3.6",
        inert=_NO_TIERS,
    )
    leader_replication_throttled_replicas: tuple[str, ...] = words(
        (),
        LOW,
        "A list of replicas whose sending is throttled, as partition:broker; * for all.",
        since="0.10.1",
        inert=_ALONE,
    )
    follower_replication_throttled_replicas: tuple[str, ...] = words(
        (),
        LOW,
        "A list of replicas whose fetching is throttled, as partition:broker; * for all.",
        since="0.10.1",
        inert=_ALONE,
    )

    @classmethod
    def for_topic(
        cls, own: Mapping[str, object], broker: BrokerConfig, kept: Collection[str] = ()
    ) -> Self:
        """Return a topic's properties on this broker: its own over the broker-wide defaults.

        The values named in `kept` were stored by a broker of an unknown release, and may be valid
        in any.

        Raises:
            ConfigError: a value of `own` is out of range.
        """
        values = {name: value for name, (_, value) in broker_wide(broker).items()}
        if own:
            # Report only the topic's own properties; the broker-wide ones were reported at the
            # start.
            loaded = cls.load(own, release=broker.release, kept=kept)
            values |= {name: loaded.value(name) for name in loaded.given}
        return cls.of_known(values, release=broker.release, kept=kept)


def broker_wide(broker: BrokerConfig) -> dict[str, tuple[str, object]]:
    """For each topic property set broker-wide: the broker's property and its value."""
    found: dict[str, tuple[str, object]] = {}
    for row in TopicConfig.settings().values():
        source = broker.source_of(row.synonym) if row.synonym else None
        if source is not None:
            found[row.name] = source
    return found
