"""What consumers of a group say to each other through the broker, and how a leader hands out."""

import struct
from collections.abc import Mapping, Sequence

from barnabas.protocol.consumer_protocol import (
    AssignedPartitions,
    ConsumerProtocolAssignment,
    ConsumerProtocolSubscription,
)
from barnabas.wire.compiler import Codec
from sim.events import Place

_VERSION = struct.Struct(">h")


def subscription(topics: Sequence[str]) -> bytes:
    """What a member says of itself."""
    codec = Codec.of(ConsumerProtocolSubscription, 0)
    return _VERSION.pack(0) + codec.encode(ConsumerProtocolSubscription(topics=list(topics)))


def handed_out(members: Sequence[str], places: Sequence[Place]) -> Mapping[str, bytes]:
    """One partition after the other to one member after the other."""
    return {
        member: _assignment(places[number :: len(members)])
        for number, member in enumerate(sorted(members))
    }


def _assignment(places: Sequence[Place]) -> bytes:
    by_topic: dict[str, list[int]] = {}
    for topic, index in places:
        by_topic.setdefault(topic, []).append(index)
    assigned = [AssignedPartitions(topic=t, partitions=p) for t, p in by_topic.items()]
    codec = Codec.of(ConsumerProtocolAssignment, 0)
    return _VERSION.pack(0) + codec.encode(ConsumerProtocolAssignment(assigned_partitions=assigned))


def taken(assignment: bytes) -> tuple[Place, ...]:
    """What a member was given."""
    if not assignment:
        return ()
    decoded, _ = Codec.of(ConsumerProtocolAssignment, 0).decode(assignment, _VERSION.size)
    return tuple((one.topic, i) for one in decoded.assigned_partitions for i in one.partitions)
