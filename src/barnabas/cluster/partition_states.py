"""The states of a partition as its controller sees it, and their transitions.

Source: Kafka's PartitionStateMachine.
"""

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType

from barnabas.cluster.image import NO_LEADER, PartitionState


class PartitionPhase(Enum):
    """What a partition is to its controller; the values are Kafka's names."""

    NON_EXISTENT = "NonExistentPartition"
    """There is none, or no more."""
    NEW = "NewPartition"
    """It has replicas, and has never had a leader."""
    ONLINE = "OnlinePartition"
    """It has a leader that is alive."""
    OFFLINE = "OfflinePartition"
    """It had one."""


_P = PartitionPhase

TRANSITIONS: Mapping[PartitionPhase, frozenset[PartitionPhase]] = MappingProxyType(
    {
        _P.NON_EXISTENT: frozenset(
            {_P.NEW, _P.ONLINE}
        ),  # Online at once, where a replica is alive.
        _P.NEW: frozenset({_P.NEW, _P.ONLINE, _P.NON_EXISTENT}),
        _P.ONLINE: frozenset({_P.ONLINE, _P.OFFLINE, _P.NON_EXISTENT}),
        _P.OFFLINE: frozenset({_P.OFFLINE, _P.ONLINE, _P.NON_EXISTENT}),
    }
)
"""The phases that may follow each."""


def phase(state: PartitionState | None) -> PartitionPhase:
    """The phase of a partition with this state; None: there is no such partition."""
    if state is None:
        return PartitionPhase.NON_EXISTENT
    if state.leader_epoch < 0:
        return PartitionPhase.NEW
    return PartitionPhase.OFFLINE if state.leader == NO_LEADER else PartitionPhase.ONLINE
