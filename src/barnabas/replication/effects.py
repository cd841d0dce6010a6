"""Effects: what the caller of a leader must do, as one value."""

from dataclasses import dataclass
from typing import NamedTuple

from barnabas.errors import ErrorCode
from barnabas.replication.divergence import EpochEnd
from barnabas.types import NodeId


@dataclass(frozen=True, slots=True)
class IsrProposal:
    """An ISR that the leader wants, for AlterPartition or the partition's znode.

    It replaces the state of `partition_epoch`, and nothing else: the controller compares.
    The epochs of the brokers are those that the leader knows, -1 where it knows none (KIP-903).
    """

    isr: tuple[tuple[NodeId, int], ...]
    leader_epoch: int
    partition_epoch: int


class LeaderEffects(NamedTuple):
    """What the caller must do, in this order. A named tuple, as one is made for each write of a log.

    1. `propose`: send it to the controller. The leader does not count on it before it is confirmed.
    2. `high_watermark`: publish it; wake the produce requests and fetches that wait for it.
    3. `error` or `diverging`: answer the fetch with it, and with no records.
    """

    propose: IsrProposal | None = None
    high_watermark: int | None = None
    error: ErrorCode = ErrorCode.NONE
    diverging: EpochEnd | None = None


NO_EFFECTS = LeaderEffects()
