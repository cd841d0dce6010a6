"""ActivePartitions: partitions that members of share groups read, and the records that they acquire."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from barnabas.broker.purgatory.client_memory import ClientMemory
from barnabas.broker.replicas.partition import Partition
from barnabas.coordinators.share_partition.partition import SharePartition
from barnabas.coordinators.share_partition.spans import Span
from barnabas.coordinators.share_state.leaders import AS_BEFORE
from barnabas.coordinators.share_state.states import StateKey
from barnabas.ports import Timer

SPAN_BYTES = 450
"""Memory of a span of records delivered together, and of its stored state. By default a partition has
up to 2,000."""


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


class ActivePartitions:
    """All partitions with readers, and the memory that they take."""

    def __init__(self, memory: ClientMemory) -> None:
        self._memory = memory
        self._live: dict[StateKey, ActiveSharePartition] = {}

    def get(self, key: StateKey) -> ActiveSharePartition | None:
        """The partition, if it is active."""
        return self._live.get(key)

    def add(self, live: ActiveSharePartition) -> None:
        """Add a partition that was not active."""
        self._live[live.key] = live

    def has(self, live: ActiveSharePartition) -> bool:
        """Whether exactly this one is active."""
        return self._live.get(live.key) is live

    def drop(self, key: StateKey) -> None:
        """Forget a partition's state in memory, if there is any: it is read again when needed."""
        live = self._live.pop(key, None)
        if live is None:
            return
        self._memory.lasting_bytes -= live.held_bytes
        live.held_bytes = 0
        if live.timer is not None:
            live.timer.cancel()

    def drop_all(self, is_meant: Callable[[ActiveSharePartition], bool]) -> None:
        """As `drop`, of each for which `is_meant` is true."""
        for key in [key for key, live in self._live.items() if is_meant(live)]:
            self.drop(key)

    def charge(self, live: ActiveSharePartition) -> None:
        """Charge the memory of a state that has changed."""
        held = len(live.state.spans) * SPAN_BYTES
        self._memory.lasting_bytes += held - live.held_bytes
        live.held_bytes = held
