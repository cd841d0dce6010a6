"""Broker properties for the offsets that groups commit."""

from barnabas.config.configuration import Configuration
from barnabas.config.definition import HIGH, integer, long, short


class OffsetsConfig(Configuration):
    """The topic that stores the offsets, their retention, and the size of their metadata."""

    offsets_topic_num_partitions: int = integer(
        50, HIGH, "The number of partitions of the internal topic of committed offsets.", low=1
    )
    offsets_topic_replication_factor: int = short(
        1,
        HIGH,
        "The replicas of that topic. Kafka's default is 3.",
        low=1,
        inert="without cluster.member nothing is replicated",
    )
    offsets_topic_segment_bytes: int = integer(
        104_857_600, HIGH, "The segment size of that topic, in bytes.", low=1
    )
    offsets_topic_compression_codec: int = integer(
        0,
        HIGH,
        "The compression of that topic: 0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd.",
        low=0,
        high=4,
    )
    offsets_retention_minutes: int = integer(
        10_080, HIGH, "How long the offsets of a group without members are retained.", low=1
    )
    offsets_retention_check_interval_ms: int = long(
        600_000, HIGH, "How often the broker removes expired offsets, in milliseconds.", low=1
    )
    offset_metadata_max_bytes: int = integer(
        4096,
        HIGH,
        "The maximum length of the text committed with an offset, in UTF-16 units.",
        low=0,
    )
