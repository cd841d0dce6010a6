"""Which protocol the members of a group agree on, and what consumers among them read."""

import struct
from collections.abc import Collection, Generator, Mapping, Sequence

from barnabas.coordinators.classic_group.member import Member, Protocols
from barnabas.errors import DecodeError
from barnabas.protocol.consumer_protocol import (
    AssignedPartitions,
    ConsumerProtocolAssignment,
    ConsumerProtocolSubscription,
)
from barnabas.types import Buffer
from barnabas.wire.compiler import Codec

CONSUMER = "consumer"

_VERSION = struct.Struct(">h")
_NEWEST = 3


class ProtocolSupport:
    """How many members support each protocol, so that a join need not look at all of them."""

    __slots__ = ("_counts", "_members")

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._members = 0

    def add(self, protocols: Protocols) -> None:
        """Count a member that supports these."""
        self._members += 1
        for name in set(names_of(protocols)):
            self._counts[name] = self._counts.get(name, 0) + 1

    def remove(self, protocols: Protocols) -> None:
        """Stop counting a member that supports these.

        Raises:
            KeyError: no such member was added.
        """
        self._members -= 1
        for name in set(names_of(protocols)):
            left = self._counts[name] - 1
            if left:
                self._counts[name] = left
            else:
                del self._counts[name]

    def share(self, name: str) -> bool:
        """Whether all members support a protocol."""
        return self._counts.get(name, 0) == self._members

    def share_any(self, protocols: Protocols) -> bool:
        """Whether all members support one of these."""
        return any(self.share(name) for name, _ in protocols)


def names_of(protocols: Protocols) -> list[str]:
    """Their names, in order of preference."""
    return [name for name, _ in protocols]


def read_by(
    members: Collection[Member], protocol: str | None, topics: set[str]
) -> Generator[None, None, set[str]]:
    """Those of `topics` that consumers subscribe to; all if a member's metadata is not a subscription.

    In steps, as each member may subscribe to 100,000 topics. Every version starts like version 0, and some
    clients omit the rest of their version. Source: Kafka's ClassicGroup.computeSubscribedTopics.
    """
    found: set[str] = set()
    for member in members:
        try:
            found |= _among(topics, member.metadata(protocol))
        except DecodeError:
            return topics
        yield
    return found


def _among(topics: set[str], metadata: Buffer) -> set[str]:
    """Those of `topics` that a subscription has; the others are not kept until the next step."""
    codec = Codec.of(ConsumerProtocolSubscription, 0)
    return topics.intersection(codec.decode(metadata, _VERSION.size)[0].topics)


def subscription_of(metadata: Buffer) -> ConsumerProtocolSubscription:
    """A consumer's subscription for a protocol.

    Raises:
        DecodeError: its metadata is not a subscription.
    """
    codec = Codec.of(ConsumerProtocolSubscription, _layout(metadata))
    return codec.decode(metadata, _VERSION.size)[0]


def assignment_of(assignment: Buffer) -> Sequence[AssignedPartitions]:
    """The topics and partitions in a consumer's assignment; none where the assignment is empty.

    Raises:
        DecodeError: it is not a ConsumerProtocolAssignment.
    """
    if not len(assignment):
        return ()
    codec = Codec.of(ConsumerProtocolAssignment, _layout(assignment))
    return codec.decode(assignment, _VERSION.size)[0].assigned_partitions


def encode_assignment(partitions: Mapping[str, Sequence[int]], *, like: Buffer) -> bytes:
    """Partitions by topic as a ConsumerProtocolAssignment, in the version of the subscription `like`.

    Raises:
        DecodeError: `like` is no subscription.
    """
    layout = _layout(like)
    assigned = [
        AssignedPartitions(topic=topic, partitions=list(indexes))
        for topic, indexes in partitions.items()
    ]
    assignment = ConsumerProtocolAssignment(assigned_partitions=assigned)
    return _VERSION.pack(layout) + Codec.of(ConsumerProtocolAssignment, layout).encode(assignment)


def _layout(data: Buffer) -> int:
    if len(data) < _VERSION.size:
        raise DecodeError("version", 0, "an int16")
    layout: int = _VERSION.unpack_from(data)[0]
    if layout < 0:
        raise DecodeError("version", 0, "one that is not negative")
    return min(layout, _NEWEST)
