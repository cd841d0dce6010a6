"""A partition that members of a share group read, and the records that one of them acquires."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from barnabas.broker.replicas.partition import Partition
from barnabas.coordinators.share_partition.partition import SharePartition
from barnabas.coordinators.share_partition.spans import Span
from barnabas.coordinators.share_state.leaders import AS_BEFORE
from barnabas.coordinators.share_state.states import StateKey
from barnabas.ports import Timer


class AcquiredBatches(NamedTuple):
    """Whole batches of the log, and which of their records the member has acquired."""

    records: memoryview
    spans: Sequence[Span]


@dataclass(slots=True)
class ActiveSharePartition:
    """One partition of one group with readers. `held_bytes`: the memory charged for it."""

    key: StateKey
    partition: Partition
    state: SharePartition
    timer: Timer | None = None
    held_bytes: int = 0
    state_epoch: int = AS_BEFORE
    leader_epoch: int = AS_BEFORE
    """In a cluster, the epochs under which its state may be written."""
