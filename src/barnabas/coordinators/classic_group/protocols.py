"""Which protocol the members of a group agree on, and what consumers among them read."""

import struct
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

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


def names_of(protocols: Protocols) -> list[str]:
    """Their names, in order of preference."""
    return [name for name, _ in protocols]


def in_common(members: Collection[Member]) -> set[str]:
    """The protocols that all members know."""
    known = [set(names_of(member.protocols)) for member in members]
    return set.intersection(*known) if known else set()


def vote(members: Collection[Member]) -> str:
    """The protocol that most members like best of those that all know.

    Source: Kafka's ClassicGroup.selectProtocol. Where several have as many votes, the one that
    the first members voted for.
    """
    offered = [member.protocols for member in members]
    if offered.count(offered[0]) == len(offered):
        # As mostly: all like best what the first one does.
        return offered[0][0][0]
    # Each that differs is looked at once.
    counts = Counter(offered)
    candidates = set.intersection(*[set(names_of(protocols)) for protocols in counts])
    votes: dict[str, int] = {}
    for protocols, count in counts.items():
        choice = next(name for name, _ in protocols if name in candidates)
        votes[choice] = votes.get(choice, 0) + count
    return max(votes, key=votes.__getitem__)


def topics_of(members: Collection[Member], protocol: str | None) -> set[str] | None:
    """The topics that consumers subscribe to; None if a member's metadata is not a subscription.

    Every version starts like version 0, and some clients omit the rest of their version. Source:
    Kafka's ClassicGroup.computeSubscribedTopics.
    """
    codec = Codec.of(ConsumerProtocolSubscription, 0)
    topics: set[str] = set()
    try:
        for member in members:
            topics.update(codec.decode(member.metadata(protocol), _VERSION.size)[0].topics)
    except DecodeError:
        return None
    return topics


def subscription_of(metadata: Buffer) -> ConsumerProtocolSubscription:
    """A consumer's subscription for a protocol.

    Raises:
        DecodeError: its metadata is not a subscription.
    """
    codec = Codec.of(ConsumerProtocolSubscription, _layout(metadata))
    return codec.decode(metadata, _VERSION.size)[0]


def assignment_of(assignment: Buffer) -> Sequence[AssignedPartitions]:
    """What a leader handed out to a consumer; nothing where it was nothing at all.

    Raises:
        DecodeError: it is not as consumers write it.
    """
    if not len(assignment):
        return ()
    codec = Codec.of(ConsumerProtocolAssignment, _layout(assignment))
    return codec.decode(assignment, _VERSION.size)[0].assigned_partitions


def encode_assignment(partitions: Mapping[str, Sequence[int]], *, like: Buffer) -> bytes:
    """What a consumer gets from its leader, in the version of the subscription `like`.

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
