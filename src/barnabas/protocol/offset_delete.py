"""OffsetDelete (key 47): forget what a group committed for partitions (KIP-496)."""

from __future__ import annotations

from barnabas.wire.schema import (
    Array,
    Int16,
    Int32,
    String,
    message,
    on,
    struct,
)


@message(key=47, versions="0")
class OffsetDeleteRequest:
    """Forget these partitions of a group."""

    group_id: String
    topics: Array[OffsetDeleteRequestTopic]


@struct
class OffsetDeleteRequestTopic:
    """One topic."""

    name: String
    partitions: Array[OffsetDeleteRequestPartition]


@struct
class OffsetDeleteRequestPartition:
    """One partition."""

    partition_index: Int32


@message(key=47, versions="0")
class OffsetDeleteResponse:
    """What became of each, or why nothing was done."""

    error_code: Int16
    throttle_time_ms: Int32 = on(default=0)
    topics: Array[OffsetDeleteResponseTopic]


@struct
class OffsetDeleteResponseTopic:
    """One topic."""

    name: String
    partitions: Array[OffsetDeleteResponsePartition]


@struct
class OffsetDeleteResponsePartition:
    """One partition: forgotten, or why not."""

    partition_index: Int32
    error_code: Int16
