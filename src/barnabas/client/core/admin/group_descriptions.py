"""An admin client's results about groups, as plain values."""

from dataclasses import dataclass
from typing import Any, Final, Self

from barnabas.types import TopicPartition

GROUP_STATES: Final = (
    *("Stable", "Empty", "Dead", "PreparingRebalance", "CompletingRebalance"),
    *("Assigning", "Reconciling", "NotReady"),
)
"""The states of groups of all kinds, as brokers name them. Source: Kafka 4.3's GroupState."""

GROUP_KINDS: Final = ("classic", "consumer", "share", "streams")
"""Source: Kafka 4.3's GroupType, which some releases spell in another case."""

SHARE: Final = "share"
"""The kind of a group whose records are acknowledged one by one (KIP-932)."""

STREAMS: Final = "streams"
"""The kind of a Kafka Streams application's group (KIP-1071)."""


@dataclass(frozen=True, slots=True)
class GroupListing:
    """One group of a list. Empty text: the broker is too old to report it.

    `kind` is Kafka's group type: classic, consumer, share or streams.
    """

    group_id: str
    protocol_type: str
    state: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class MemberDescription:
    """One member and its assigned partitions."""

    member_id: str
    client_id: str
    host: str
    instance_id: str | None = None
    partitions: tuple[TopicPartition, ...] = ()


@dataclass(frozen=True, slots=True)
class GroupDescription:
    """One group: its state, assignor and members; `coordinator` is a broker's id.

    `protocol_type`: the type of a classic group's members (consumer, connect, ...), otherwise the
    kind.
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
    """A saved position. `leader_epoch` is -1 if none was saved with it."""

    offset: int
    leader_epoch: int = -1
    metadata: str = ""

    @classmethod
    def of_row(cls, row: Any) -> Self:
        """Convert a partition of an OffsetFetch response."""
        return cls(row.committed_offset, row.committed_leader_epoch, row.metadata or "")


@dataclass(frozen=True, slots=True)
class ShareOffset:
    """The position of a share group in a partition.

    `start`: all records before it are done; None: the group has not started. `lag`: the number of
    records that are not done; None: unknown, or the broker is older than Kafka 4.2.
    """

    start: int | None
    lag: int | None
