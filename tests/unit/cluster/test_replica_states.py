"""The phases of a replica whose topic is being deleted."""

from barnabas.cluster.replica_states import TRANSITIONS, ReplicaInput, ReplicaPhase


def test_every_phase_has_its_row() -> None:
    assert set(TRANSITIONS) == set(ReplicaPhase)


def test_what_is_deleted_stays_deleted() -> None:
    row = TRANSITIONS[ReplicaPhase.DELETION_SUCCESSFUL]
    assert set(row.values()) == {ReplicaPhase.DELETION_SUCCESSFUL}


def test_a_broker_that_is_back_is_asked_again() -> None:
    for phase in (ReplicaPhase.DELETION_STARTED, ReplicaPhase.DELETION_INELIGIBLE):
        again = TRANSITIONS[phase][ReplicaInput.RETURNED]
        assert TRANSITIONS[again][ReplicaInput.REQUESTED] is ReplicaPhase.DELETION_STARTED
