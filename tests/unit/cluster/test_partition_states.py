"""The phases of a partition."""

from barnabas.cluster.image import NO_LEADER, PartitionState
from barnabas.cluster.partition_states import TRANSITIONS, PartitionPhase, phase
from barnabas.types import NodeId

ONE = NodeId(1)


def test_every_phase_has_its_row_and_can_be_left_and_reached() -> None:
    assert set(TRANSITIONS) == set(PartitionPhase)
    assert all(TRANSITIONS.values())
    assert set().union(*TRANSITIONS.values()) == set(PartitionPhase)


def test_phases() -> None:
    assert phase(None) is PartitionPhase.NON_EXISTENT
    assert phase(PartitionState(NO_LEADER, -1, (), (ONE,))) is PartitionPhase.NEW
    assert phase(PartitionState(ONE, 0, (ONE,), (ONE,))) is PartitionPhase.ONLINE
    assert phase(PartitionState(NO_LEADER, 1, (ONE,), (ONE,))) is PartitionPhase.OFFLINE
