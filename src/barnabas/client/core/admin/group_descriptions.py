"""What an admin client is told of groups, as plain values."""

from dataclasses import dataclass
from typing import Any, Final, Self

from barnabas.types import TopicPartition

GROUP_STATES: Final = (
    *("Stable", "Empty", "Dead", "PreparingRebalance", "CompletingRebalance"),
    *("Assigning", "Reconciling", "NotReady"),
)
"""What groups of all kinds do, as brokers name it. Source: Kafka 4.3's GroupState."""

GROUP_KINDS: Final = ("classic", "consumer", "share", "streams")
"""Source: Kafka 4.3's GroupType, which is told in another case by some releases."""

SHARE: Final = "share"
"""The kind of a group whose records are acknowledged one by one (KIP-932)."""

STREAMS: Final = "streams"
"""The kind of a Kafka Streams application's group (KIP-1071)."""


@dataclass(frozen=True, slots=True)
class GroupListing:
    """One group of a list. Empty texts: the broker is too old to tell.

    `kind` is Kafka's type of it: classic, consumer, share or streams.
    """

    group_id: str
    protocol_type: str
    state: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class MemberDescription:
    """One member and the partitions that it has."""

    member_id: str
    client_id: str
    host: str
    instance_id: str | None = None
    partitions: tuple[TopicPartition, ...] = ()


@dataclass(frozen=True, slots=True)
class GroupDescription:
    """One group: what it does, who shares out how, who is in it; `coordinator` is a broker's id.

    `protocol_type`: what members of a classic group are (consumer, connect, ...), else the kind.
    """

    group_id: str
    state: str
    kind: str
    assignor: str
    coordinator: int
    members: tuple[MemberDescription, ...] = ()
    protocol_type: str = ""


@dataclass(frozen=True, slots=True)
class CommittedOffset:
    """A saved position. `leader_epoch` is -1 where none was saved with it."""

    offset: int
    leader_epoch: int = -1
    metadata: str = ""

    @classmethod
    def told(cls, row: Any) -> Self:
        """By a partition of an answer to OffsetFetch."""
        return cls(row.committed_offset, row.committed_leader_epoch, row.metadata or "")


@dataclass(frozen=True, slots=True)
class ShareOffset:
    """Where a share group is in a partition.

    `start`: it has done with all that is before; None: it has not begun. `lag`: how many records it
    has not done with; None: that is not known, or the broker is older than Kafka 4.2.
    """

    start: int | None
    lag: int | None
