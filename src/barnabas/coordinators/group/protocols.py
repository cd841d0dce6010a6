"""Which protocol the members of a group agree on, and what consumers among them read."""

from collections.abc import Collection

from barnabas.coordinators.group.member import Member
from barnabas.errors import DecodeError
from barnabas.protocol.consumer_protocol import ConsumerProtocolSubscription
from barnabas.types import Buffer
from barnabas.wire.compiler import Codec

CONSUMER = "consumer"

_VERSION_SIZE = 2
_NEWEST = 3


def in_common(members: Collection[Member]) -> set[str]:
    """The protocols that all members know."""
    known = [{name for name, _ in member.protocols} for member in members]
    return set.intersection(*known) if known else set()


def vote(members: Collection[Member]) -> str:
    """The protocol that most members like best of those that all know.

    Source: Kafka's ClassicGroup.selectProtocol. Where several have as many votes, the one that
    the first members voted for.
    """
    candidates = in_common(members)
    votes: dict[str, int] = {}
    for member in members:
        choice = next(name for name, _ in member.protocols if name in candidates)
        votes[choice] = votes.get(choice, 0) + 1
    return max(votes, key=votes.__getitem__)


def topics_of(members: Collection[Member], protocol: str | None) -> set[str] | None:
    """The topics that consumers subscribe to; None if one of them does not say it as consumers do."""
    topics: set[str] = set()
    try:
        for member in members:
            topics.update(_subscription(member.metadata(protocol)))
    except DecodeError:
        return None
    return topics


def _subscription(metadata: Buffer) -> list[str]:
    if len(metadata) < _VERSION_SIZE:
        raise DecodeError("subscription", 0, "its version as int16")
    layout = int.from_bytes(metadata[:_VERSION_SIZE], "big", signed=True)
    if layout < 0:
        raise DecodeError("subscription", 0, "a version that is not negative")
    codec = Codec.of(ConsumerProtocolSubscription, min(layout, _NEWEST))
    return codec.decode(metadata, _VERSION_SIZE)[0].topics
