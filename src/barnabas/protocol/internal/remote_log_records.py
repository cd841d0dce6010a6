"""Records of the internal topic __remote_log_metadata: which segments are kept elsewhere (KIP-405).

Names without "Record" are those of 3.0 alone.
"""

from __future__ import annotations

from barnabas.wire.schema import (
    Array,
    Bool,
    Bytes,
    Int8,
    Int32,
    Int64,
    String,
    Uuid,
    message,
    on,
    struct,
)


@message(versions="0", flexible="0+")
class RemoteLogSegmentMetadataRecord:
    """Type 0: a segment is being copied; times in milliseconds since 1970.

    State: 0 copy begun, 1 copied, 2 removal begun, 3 removed.
    """

    remote_log_segment_id: RemoteLogSegmentIdEntry
    start_offset: Int64
    end_offset: Int64
    broker_id: Int32
    max_timestamp_ms: Int64
    event_timestamp_ms: Int64
    segment_leader_epochs: Array[SegmentLeaderEpochEntry]
    segment_size_in_bytes: Int32
    custom_metadata: Bytes | None = on(default=None)
    remote_log_segment_state: Int8
    txn_index_empty: Bool = on(default=False, tag=0)


@struct
class RemoteLogSegmentIdEntry:
    """A segment: its partition, and an id of its own."""

    topic_id_partition: TopicIdPartitionEntry
    id: Uuid


@struct
class TopicIdPartitionEntry:
    """A partition, by name and by id."""

    name: String
    id: Uuid
    partition: Int32


@struct
class SegmentLeaderEpochEntry:
    """A leader epoch in the segment, and its first offset."""

    leader_epoch: Int32
    offset: Int64


@message(versions="0", flexible="0+")
class RemoteLogSegmentMetadata:
    """As RemoteLogSegmentMetadataRecord."""

    remote_log_segment_id: RemoteLogSegmentIdEntry
    start_offset: Int64
    end_offset: Int64
    broker_id: Int32
    max_timestamp_ms: Int64
    event_timestamp_ms: Int64
    segment_leader_epochs: Array[SegmentLeaderEpochEntry]
    segment_size_in_bytes: Int32
    remote_log_segment_state: Int8


@message(versions="0", flexible="0+")
class RemoteLogSegmentMetadataUpdateRecord:
    """Type 1: the state of a segment changed."""

    remote_log_segment_id: RemoteLogSegmentIdEntry
    broker_id: Int32
    event_timestamp_ms: Int64
    custom_metadata: Bytes | None = on(default=None)
    remote_log_segment_state: Int8


@message(versions="0", flexible="0+")
class RemoteLogSegmentMetadataUpdate:
    """As RemoteLogSegmentMetadataUpdateRecord."""

    remote_log_segment_id: RemoteLogSegmentIdEntry
    broker_id: Int32
    event_timestamp_ms: Int64
    remote_log_segment_state: Int8


@message(versions="0", flexible="0+")
class RemotePartitionDeleteMetadataRecord:
    """Type 2: all segments of a partition are to go.

    State: 0 marked, 1 begun, 2 done.
    """

    topic_id_partition: TopicIdPartitionEntry
    broker_id: Int32
    event_timestamp_ms: Int64
    remote_partition_delete_state: Int8


@message(versions="0", flexible="0+")
class RemotePartitionDeleteMetadata:
    """As RemotePartitionDeleteMetadataRecord."""

    topic_id_partition: TopicIdPartitionEntry
    broker_id: Int32
    event_timestamp_ms: Int64
    remote_partition_delete_state: Int8


@message(versions="0", flexible="0+")
class RemoteLogSegmentMetadataSnapshotRecord:
    """Type 3: a segment as a broker's own file of them has it."""

    segment_id: Uuid
    start_offset: Int64
    end_offset: Int64
    broker_id: Int32
    max_timestamp_ms: Int64
    event_timestamp_ms: Int64
    segment_leader_epochs: Array[SegmentLeaderEpochEntry]
    segment_size_in_bytes: Int32
    custom_metadata: Bytes | None = on(default=None)
    remote_log_segment_state: Int8
    txn_index_empty: Bool = on(default=False, tag=0)
