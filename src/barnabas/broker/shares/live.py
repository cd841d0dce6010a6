"""Live: a partition that members of a share group read now, and what one acquires of it at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from barnabas.broker.replicas.partition import Partition
from barnabas.coordinators.share_partition.partition import SharePartition
from barnabas.coordinators.share_partition.spans import Span
from barnabas.coordinators.share_state.leaders import AS_BEFORE
from barnabas.coordinators.share_state.states import StateKey
from barnabas.ports import Timer


class Acquired(NamedTuple):
    """Records as they are in the log, and which of them are the member's now."""

    records: memoryview
    spans: Sequence[Span]


@dataclass(slots=True)
class Live:
    """One partition of one group that somebody reads. `held_bytes`: what is charged for it."""

    key: StateKey
    partition: Partition
    state: SharePartition
    timer: Timer | None = None
    held_bytes: int = 0
    state_epoch: int = AS_BEFORE
    leader_epoch: int = AS_BEFORE
    """In a cluster, the epochs under which its state may be written."""
