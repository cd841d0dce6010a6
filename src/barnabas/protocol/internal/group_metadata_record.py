"""Records of the internal topic __consumer_offsets that hold a group without its positions.

Key and value each begin with a number as int16, outside of what is declared here: the key with its
kind, 2, the value with its version. For groups whose members agree among themselves.

Versions of the value: 1 rebalance timeout apart from the session's (KIP-62) · 2 when it came to its
    state · 3 static members (KIP-345) · 4 flexible
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Bytes, Int32, Int64, String, message, on, struct


@message(versions="0")
class GroupMetadataKey:
    """Which group."""

    group: String


@message(versions="0-4", flexible="4+")
class GroupMetadataValue:
    """The group after a rebalance; a record without a value: the group is gone."""

    protocol_type: String
    generation: Int32
    protocol: String | None
    leader: String | None
    current_state_timestamp: Int64 = on("2+", default=-1)
    members: Array[MemberMetadata]


@struct
class MemberMetadata:
    """One member: what it wants and what it has, in the words of the protocol."""

    member_id: String
    group_instance_id: String | None = on("3+", default=None)
    client_id: String
    client_host: String
    rebalance_timeout: Int32 = on("1+", default=-1)
    session_timeout: Int32
    subscription: Bytes
    assignment: Bytes
