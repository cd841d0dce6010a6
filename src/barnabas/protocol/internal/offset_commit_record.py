"""Records of the internal topic __consumer_offsets that hold one committed offset.

Key and value each begin with a number as int16, outside of what is declared here: the key with its
kind, 1, which tells it from the keys of other records, the value with its version.

Versions of the value: 1 expiry · 2 none again · 3 leader epoch · 4 flexible, topic id
"""

from __future__ import annotations

from barnabas.wire.schema import (
    NO_UUID,
    Int32,
    Int64,
    String,
    Uuid,
    message,
    on,
)


@message(versions="0")
class OffsetCommitKey:
    """Whose position it is."""

    group: String
    topic: String
    partition: Int32


@message(versions="0-4", flexible="4+")
class OffsetCommitValue:
    """The position; a record without a value means that it was deleted."""

    offset: Int64
    leader_epoch: Int32 = on("3+", default=-1)
    metadata: String
    commit_timestamp: Int64
    expire_timestamp: Int64 = on("1", default=-1)
    topic_id: Uuid = on("4+", default=NO_UUID, tag=0)


@message(versions="0")
class LegacyOffsetCommitKey:
    """Kind 0, which no release writes any more: whose position it is."""

    group: String
    topic: String
    partition: Int32


@message(versions="0")
class LegacyOffsetCommitValue:
    """What a value of version 0 is, under its own name."""

    offset: Int64
    metadata: String
    commit_timestamp: Int64
