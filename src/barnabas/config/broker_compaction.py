"""Broker properties for compaction: `cleanup.policy=compact`."""

from barnabas.config.configuration import Configuration
from barnabas.config.definition import DOUBLE_MAX, LONG_MAX, MEDIUM, boolean, double, long


class CompactionConfig(Configuration):
    """When the log cleaner runs, and the memory and I/O that it may use."""

    log_cleaner_enable: bool = boolean(
        MEDIUM, default=True, text="Whether topics with cleanup.policy=compact are compacted."
    )
    log_cleaner_dedupe_buffer_size: int = long(
        134_217_728,
        MEDIUM,
        "The maximum memory for the keys of a log under compaction, in bytes: 24 for each key. A "
        "log with more keys is compacted in several rounds.",
        low=1,
    )
    log_cleaner_io_buffer_load_factor: float = double(
        0.9, MEDIUM, "The share of that memory that may be filled with keys.", low=0.01, high=0.99
    )
    log_cleaner_io_max_bytes_per_second: float = double(
        DOUBLE_MAX,
        MEDIUM,
        "The maximum rate of reads and writes by compaction, in bytes per second.",
        low=1,
    )
    log_cleaner_backoff_ms: int = long(
        15_000,
        MEDIUM,
        "How long to wait if no log needs compaction, in milliseconds.",
        low=0,
    )
    log_cleaner_min_cleanable_ratio: float = double(
        0.5,
        MEDIUM,
        "The uncompacted share of a log from which it is compacted again.",
        low=0,
        high=1,
    )
    log_cleaner_delete_retention_ms: int = long(
        86_400_000,
        MEDIUM,
        "How long a compacted topic keeps the tombstone of a deleted key, in milliseconds.",
        low=0,
    )
    log_cleaner_min_compaction_lag_ms: int = long(
        0,
        MEDIUM,
        "The minimum time before a record may be compacted, in milliseconds.",
        low=0,
    )
    log_cleaner_max_compaction_lag_ms: int = long(
        LONG_MAX,
        MEDIUM,
        "The maximum time before a record becomes eligible for compaction, in milliseconds.",
        low=1,
    )
