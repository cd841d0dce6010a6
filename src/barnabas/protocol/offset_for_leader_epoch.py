"""OffsetForLeaderEpoch (key 23): where a leader epoch ends, to find where two logs part (KIP-101).

Versions: 1 the epoch that was found · 2 current leader epoch (KIP-320), throttle time · 3
    consumers may ask · 4 flexible
"""

from __future__ import annotations

from barnabas.wire.schema import (
    Array,
    Int16,
    Int32,
    Int64,
    String,
    message,
    on,
    struct,
)


@message(key=23, versions="0-4", flexible="4+")
class OffsetForLeaderEpochRequest:
    """Ask for end offsets. `replica_id`: -1 a consumer, -2 unknown."""

    replica_id: Int32 = on("3+", default=-2)
    topics: Array[OffsetForLeaderTopic]


@struct
class OffsetForLeaderTopic:
    """Partitions of one topic."""

    topic: String
    partitions: Array[OffsetForLeaderPartition]


@struct
class OffsetForLeaderPartition:
    """One partition and the epoch in question."""

    partition: Int32
    current_leader_epoch: Int32 = on("2+", default=-1)
    leader_epoch: Int32


@message(key=23, versions="0-4", flexible="4+")
class OffsetForLeaderEpochResponse:
    """The end offsets."""

    throttle_time_ms: Int32 = on("2+", default=0)
    topics: Array[OffsetForLeaderTopicResult]


@struct
class OffsetForLeaderTopicResult:
    """Partitions of one topic."""

    topic: String
    partitions: Array[EpochEndOffset]


@struct
class EpochEndOffset:
    """The greatest epoch not after the one asked, and the offset after its last record.

    Both are -1 where there is none.
    """

    error_code: Int16
    partition: Int32
    leader_epoch: Int32 = on("1+", default=-1)
    end_offset: Int64 = on(default=-1)
