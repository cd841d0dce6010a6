"""Records of the internal topic __share_group_state: what share groups have read (KIP-932).

Key and value each begin with a number as int16, outside of what is declared here: the key with its
kind, the value with its version. A snapshot and the updates after it are the state.
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Int8, Int16, Int32, Int64, String, Uuid, message, on, struct


@message(versions="0")
class ShareSnapshotKey:
    """Kind 0: which partition of which group."""

    group_id: String
    topic_id: Uuid
    partition: Int32


@message(versions="0", flexible="0+")
class ShareSnapshotValue:
    """All of its state; times in milliseconds since 1970."""

    snapshot_epoch: Int32
    state_epoch: Int32
    leader_epoch: Int32
    start_offset: Int64
    delivery_complete_count: Int32 = on(default=-1, tag=0)
    create_timestamp: Int64
    write_timestamp: Int64
    state_batches: Array[StateBatch]


@struct
class StateBatch:
    """Offsets in one state: 0 available, 2 acknowledged, 4 archived; and their deliveries."""

    first_offset: Int64
    last_offset: Int64
    delivery_state: Int8
    delivery_count: Int16


@message(versions="0")
class ShareUpdateKey:
    """Kind 1: which partition of which group."""

    group_id: String
    topic_id: Uuid
    partition: Int32


@message(versions="0", flexible="0+")
class ShareUpdateValue:
    """What changed since the snapshot of that epoch."""

    snapshot_epoch: Int32
    leader_epoch: Int32
    start_offset: Int64
    delivery_complete_count: Int32 = on(default=-1, tag=0)
    state_batches: Array[StateBatch]
