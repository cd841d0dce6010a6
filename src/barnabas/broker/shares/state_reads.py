"""StateReads: pending reads of share partition states that another broker may store.

A partition's first member waits for its state; the others find it there.
"""

from functools import partial
from typing import Final

from barnabas.broker.purgatory.purgatory import Purgatory
from barnabas.broker.replicas.partition import Partition
from barnabas.broker.shares.routed_states import RoutedStates
from barnabas.coordinators.share_state.states import ShareState, StateKey
from barnabas.errors import BrokerError, ErrorCode

COMING: Final = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
"""The stored state of a partition is being requested."""
_MOST = 10_000
"""States that were read and that nobody has taken."""


class StateReads:
    """For one thread."""

    def __init__(self, routed: RoutedStates, purgatory: Purgatory) -> None:
        self._routed = routed
        self._purgatory = purgatory
        self._coming: dict[StateKey, Partition] = {}
        self._read: dict[StateKey, tuple[Partition, int, ErrorCode, ShareState]] = {}
        """The partition and its leader epoch, and the answer."""

    def take(self, key: StateKey, partition: Partition) -> ShareState:
        """The state, for the leader in this epoch; earlier leaders may not write it any more.

        Raises:
            BrokerError: COMING: not yet; when it is there, something happens to the key in the
                purgatory. Others: it cannot be read; the next call asks again.
        """
        partition_read, epoch, code, found = self._read.pop(key, (None, -1, COMING, ShareState()))
        if partition_read is partition and epoch == partition.leader_epoch:
            if code:
                raise BrokerError(code)
            return found
        knows_end = partition.role is None or partition.role.knows_committed_end
        if knows_end and key not in self._coming:
            self._coming[key] = partition
            epoch = partition.leader_epoch
            self._routed.read(key, epoch, partial(self._on_read, key, partition, epoch))
            if key in self._read:
                return self.take(key, partition)
        raise BrokerError(COMING)

    def _on_read(
        self, key: StateKey, partition: Partition, epoch: int, code: ErrorCode, found: ShareState
    ) -> None:
        if self._coming.get(key) is not partition:
            return
        del self._coming[key]
        if len(self._read) >= _MOST:
            self._read.clear()
        self._read[key] = partition, epoch, code, found
        self._purgatory.happened(key, 1)

    def leave(self, partition: Partition) -> None:
        """Another broker may lead a partition now: complete the requests that wait for its states."""
        for key in [key for key, one in self._coming.items() if one is partition]:
            del self._coming[key]
            self._purgatory.happened(key, -1)
