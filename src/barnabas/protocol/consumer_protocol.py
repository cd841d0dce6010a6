"""The messages that consumers of a group exchange inside JoinGroup and SyncGroup.

Each begins with its version as int16, which is not declared here. A reader of a newer version reads
the newest that it knows, and ignores the rest.

Versions: 1 partitions that a member has (KIP-429) · 2 generation that it had them in (KIP-792) · 3
    rack (KIP-881)
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Bytes, Int32, String, message, on, struct


@message(versions="0-3")
class ConsumerProtocolSubscription:
    """Which topics a member wants; user data are the assignor's own."""

    topics: Array[String]
    user_data: Bytes | None = on(default=None)
    owned_partitions: Array[OwnedPartitions] = on("1+", factory=list)
    generation_id: Int32 = on("2+", default=-1)
    rack_id: String | None = on("3+", default=None)


@struct
class OwnedPartitions:
    """Partitions of one topic that the member has."""

    topic: String
    partitions: Array[Int32]


@message(versions="0-3")
class ConsumerProtocolAssignment:
    """Which partitions a member gets; the layout is the same in all versions."""

    assigned_partitions: Array[AssignedPartitions]
    user_data: Bytes | None = on(default=None)


@struct
class AssignedPartitions:
    """Partitions of one topic."""

    topic: String
    partitions: Array[Int32]
