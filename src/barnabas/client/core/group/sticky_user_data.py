"""The user data of the sticky assignors: a member's partitions and their generation.

Two layouts. StickyAssignor: partitions by topic, then (version 1) the generation.
CooperativeSticky: the generation alone, for subscriptions older than version 2, which do not
contain it.

Source: Kafka's StickyAssignor and CooperativeStickyAssignor.
"""

from __future__ import annotations

from struct import Struct, error

from barnabas.client.core.group.assignor import PreviousAssignment
from barnabas.client.core.group.subscription import NO_GENERATION, Subscription, by_topic
from barnabas.errors import DecodeError
from barnabas.types import TopicPartition
from barnabas.wire.compiler import Codec
from barnabas.wire.schema import Array, Int32, String, message, on, struct

_GENERATION = Struct(">i")


@message(versions="0-1")
class StickyUserData:
    """The user data of StickyAssignor. The bytes do not contain a version."""

    previous_assignment: Array[PreviousPartitions]
    generation: Int32 = on("1", default=NO_GENERATION)


@struct
class PreviousPartitions:
    """Partitions of one topic."""

    topic: String
    partitions: Array[Int32]


def encode_previous(held: PreviousAssignment) -> bytes:
    """For StickyAssignor."""
    user_data = StickyUserData(
        previous_assignment=[
            PreviousPartitions(topic=topic, partitions=rows)
            for topic, rows in by_topic(held.partitions).items()
        ],
        generation=held.generation,
    )
    return Codec.of(StickyUserData, 1).encode(user_data)


def decode_previous(subscription: Subscription) -> PreviousAssignment:
    """Decode a member's user data for StickyAssignor; empty if malformed, as in Kafka."""
    data = subscription.user_data
    if not data:
        return PreviousAssignment()
    for version in (1, 0):
        try:
            found, _ = Codec.of(StickyUserData, version).decode(data)
        except DecodeError:
            continue
        rows = found.previous_assignment
        had = [TopicPartition(row.topic, one) for row in rows for one in row.partitions]
        return PreviousAssignment(tuple(had), found.generation)
    return PreviousAssignment()


def encode_generation(generation: int) -> bytes:
    """For CooperativeStickyAssignor."""
    return _GENERATION.pack(generation)


def decode_generation(subscription: Subscription) -> PreviousAssignment:
    """Decode a member's user data for CooperativeStickyAssignor."""
    generation = subscription.generation
    if generation == NO_GENERATION and subscription.user_data:
        try:
            (generation,) = _GENERATION.unpack_from(subscription.user_data)
        except error:
            generation = NO_GENERATION
    return PreviousAssignment(subscription.owned, generation)
