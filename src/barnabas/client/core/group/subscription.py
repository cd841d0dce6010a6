"""Subscriptions and assignments of group members: values and their bytes.

Each starts with its version as int16. Of a newer version, a reader decodes the part that it knows.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from barnabas.errors import DecodeError
from barnabas.protocol.consumer_protocol import (
    AssignedPartitions,
    ConsumerProtocolAssignment,
    ConsumerProtocolSubscription,
    OwnedPartitions,
)
from barnabas.types import Buffer, TopicPartition
from barnabas.wire.compiler import Codec

CONSUMER: Final = "consumer"
"""The protocol type of classic groups whose members are consumers."""

NO_GENERATION: Final = -1

_NEWEST: Final = 3
_ASSIGNMENT: Final = 0
_VERSION_SIZE: Final = 2
_Message = TypeVar("_Message")


@dataclass(frozen=True, slots=True)
class Subscription:
    """One member's subscription. `user_data` belongs to its assignor.

    `owned` are its partitions in `generation`, which is NO_GENERATION before version 2.
    """

    topics: tuple[str, ...]
    owned: tuple[TopicPartition, ...] = ()
    generation: int = NO_GENERATION
    user_data: bytes | None = None
    instance_id: str | None = None


Subscriptions = Mapping[str, Subscription]
"""Of all members of a group, by member id."""


def encode_subscription(subscription: Subscription) -> bytes:
    """The metadata of JoinGroup."""
    message = ConsumerProtocolSubscription(
        topics=list(subscription.topics),
        user_data=subscription.user_data,
        owned_partitions=[
            OwnedPartitions(topic=topic, partitions=rows)
            for topic, rows in by_topic(subscription.owned).items()
        ],
        generation_id=subscription.generation,
    )
    return _prefixed(_NEWEST, Codec.of(ConsumerProtocolSubscription, _NEWEST).encode(message))


def decode_subscription(metadata: Buffer, instance_id: str | None = None) -> Subscription:
    """Decode a member's subscription.

    Raises:
        DecodeError: it is malformed.
    """
    message = _decoded(ConsumerProtocolSubscription, metadata)
    return Subscription(
        tuple(message.topics),
        tuple(
            TopicPartition(row.topic, partition)
            for row in message.owned_partitions
            for partition in row.partitions
        ),
        message.generation_id,
        None if message.user_data is None else bytes(message.user_data),
        instance_id,
    )


def encode_assignment(partitions: Iterable[TopicPartition]) -> bytes:
    """The assignment in SyncGroup; all versions have this layout, and all clients read 0."""
    message = ConsumerProtocolAssignment(
        assigned_partitions=[
            AssignedPartitions(topic=topic, partitions=rows)
            for topic, rows in by_topic(partitions).items()
        ]
    )
    encoded = Codec.of(ConsumerProtocolAssignment, _ASSIGNMENT).encode(message)
    return _prefixed(_ASSIGNMENT, encoded)


def decode_assignment(assignment: Buffer) -> list[TopicPartition]:
    """Decode a member's assignment; empty bytes mean no partitions.

    Raises:
        DecodeError: it is malformed.
    """
    if not len(assignment):
        return []
    message = _decoded(ConsumerProtocolAssignment, assignment)
    return [
        TopicPartition(row.topic, partition)
        for row in message.assigned_partitions
        for partition in row.partitions
    ]


def by_topic(partitions: Iterable[TopicPartition]) -> dict[str, list[int]]:
    """Partition numbers by topic, in order."""
    found: dict[str, list[int]] = {}
    for topic, partition in sorted(partitions):
        found.setdefault(topic, []).append(partition)
    return found


def _prefixed(version: int, encoded: bytes) -> bytes:
    return version.to_bytes(_VERSION_SIZE) + encoded


def _decoded(declared: type[_Message], data: Buffer) -> _Message:
    if len(data) < _VERSION_SIZE:
        raise DecodeError(declared.__name__, 0, "its version as int16")
    version = int.from_bytes(data[:_VERSION_SIZE], signed=True)
    if version < 0:
        raise DecodeError(declared.__name__, 0, "a version that is not negative")
    return Codec.of(declared, min(version, _NEWEST)).decode(data, _VERSION_SIZE)[0]
