"""DescribeLogDirs (key 35): the log directories of one broker, and what is in them (KIP-113).

Versions: 1 answered before the client is throttled (KIP-219) · 2 flexible · 3 top-level error · 4
    size of the volume (KIP-827) · 5 directories that take no new replicas (KIP-1066)
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Bool, Int16, Int32, Int64, String, message, on, struct


@message(key=35, versions="0-5", flexible="2+")
class DescribeLogDirsRequest:
    """Describe these partitions, or all (`topics` is None)."""

    topics: Array[DescribableLogDirTopic] | None


@struct
class DescribableLogDirTopic:
    """Partitions of one topic."""

    topic: String
    partitions: Array[Int32]


@message(key=35, versions="0-5", flexible="2+")
class DescribeLogDirsResponse:
    """The directories."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16 = on("3+", default=0)
    results: Array[DescribeLogDirsResult]


@struct
class DescribeLogDirsResult:
    """One directory, or why it cannot be used; sizes in bytes, -1 if unknown."""

    error_code: Int16
    log_dir: String
    topics: Array[DescribeLogDirsTopic]
    total_bytes: Int64 = on("4+", default=-1)
    usable_bytes: Int64 = on("4+", default=-1)
    is_cordoned: Bool = on("5+", default=False)


@struct
class DescribeLogDirsTopic:
    """Partitions of one topic."""

    name: String
    partitions: Array[DescribeLogDirsPartition]


@struct
class DescribeLogDirsPartition:
    """One replica: its bytes, and how far it is behind.

    `is_future_key`: it is a copy that is being made in this directory and will replace the present
    one.
    """

    partition_index: Int32
    partition_size: Int64
    offset_lag: Int64
    is_future_key: Bool
