"""ListOffsets (key 2): find offsets by timestamp, and the ends of a log.

Special timestamps: -1 the latest offset, -2 the earliest, -3 the record with the greatest
timestamp (7+), -4 the earliest local one (8+), -5 the last tiered one (9+), -6 the earliest pending
upload (11+).

Versions: 0 several offsets, by segment · 1 one offset with its timestamp (KIP-79) · 2 isolation,
    throttle time · 4 leader epochs (KIP-320) · 6 flexible · 7 greatest timestamp (KIP-734) · 8, 9
    tiered storage · 10 timeout · 11 earliest pending upload
"""

from __future__ import annotations

from barnabas.wire.schema import (
    Array,
    Int8,
    Int16,
    Int32,
    Int64,
    String,
    message,
    on,
    struct,
)


@message(key=2, versions="0-11", flexible="6+")
class ListOffsetsRequest:
    """Ask for one offset a partition.

    `replica_id` is -1 for consumers, -2 for debugging. `isolation_level` as in Fetch.
    """

    replica_id: Int32
    isolation_level: Int8 = on("2+", default=0)
    topics: Array[ListOffsetsTopic]
    timeout_ms: Int32 = on("10+", default=0)


@struct
class ListOffsetsTopic:
    """Partitions of one topic."""

    name: String
    partitions: Array[ListOffsetsPartition]


@struct
class ListOffsetsPartition:
    """One partition and the timestamp to look for (ms, or a special one)."""

    partition_index: Int32
    current_leader_epoch: Int32 = on("4+", default=-1)
    timestamp: Int64
    max_num_offsets: Int32 = on("0", default=1)


@message(key=2, versions="0-11", flexible="6+")
class ListOffsetsResponse:
    """The offsets found."""

    throttle_time_ms: Int32 = on("2+", default=0)
    topics: Array[ListOffsetsTopicResponse]


@struct
class ListOffsetsTopicResponse:
    """Partitions of one topic."""

    name: String
    partitions: Array[ListOffsetsPartitionResponse]


@struct
class ListOffsetsPartitionResponse:
    """The first record at or after the timestamp; offset -1 where there is none.

    `old_style_offsets` is version 0's list, greatest first.
    """

    partition_index: Int32
    error_code: Int16
    old_style_offsets: Array[Int64] = on("0", factory=list)
    timestamp: Int64 = on("1+", default=-1)
    offset: Int64 = on("1+", default=-1)
    leader_epoch: Int32 = on("4+", default=-1)
