"""Events of a leader, each with its time in ms."""

from collections.abc import Mapping
from dataclasses import dataclass

from barnabas.errors import ErrorCode
from barnabas.types import NodeId


@dataclass(frozen=True, slots=True)
class Appended:
    """Records are in the leader's log; it now ends at `end_offset`."""

    end_offset: int
    now_ms: int


@dataclass(frozen=True, slots=True)
class LogStartMoved:
    """Records before `log_start` were deleted from the leader's log."""

    log_start: int
    now_ms: int


@dataclass(frozen=True, slots=True)
class FollowerFetched:
    """A replica asked for records: it has all before `offset`.

    Epochs are -1 where the version of the request has none: the leader's epoch since Fetch 9
    (KIP-320), the epoch of the last record since 12 (KIP-595), the broker's since 15 (KIP-903).
    """

    node_id: NodeId
    offset: int
    now_ms: int
    log_start: int = -1
    leader_epoch: int = -1
    last_epoch: int = -1
    broker_epoch: int = -1


@dataclass(frozen=True, slots=True)
class Ticked:
    """Time went by. Due at least every half `replica.lag.time.max.ms`."""

    now_ms: int


@dataclass(frozen=True, slots=True)
class PartitionChanged:
    """The controller's state of the partition, in the same leader epoch.

    It comes by LeaderAndIsr or is the answer to a proposal: AlterPartition, or the znode written.
    """

    isr: frozenset[NodeId]
    replicas: tuple[NodeId, ...]
    leader_epoch: int
    partition_epoch: int
    now_ms: int


@dataclass(frozen=True, slots=True)
class EpochBegun(PartitionChanged):
    """The same broker leads on in a later leader epoch, which the log's history has from its end on."""


@dataclass(frozen=True, slots=True)
class IsrRefused:
    """The proposal made at `partition_epoch` was answered with `error`, or not at all."""

    partition_epoch: int
    error: ErrorCode
    now_ms: int


@dataclass(frozen=True, slots=True)
class BrokersChanged:
    """The brokers that may be in sync: alive, not fenced, not shutting down.

    With their epochs; -1 where the controller does not say them (UpdateMetadata).
    """

    epochs: Mapping[NodeId, int]
    now_ms: int


LeaderEvent = (
    Appended
    | LogStartMoved
    | FollowerFetched
    | Ticked
    | PartitionChanged
    | IsrRefused
    | BrokersChanged
)
