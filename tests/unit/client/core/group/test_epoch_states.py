from barnabas.client.core.group.epoch_states import TRANSITIONS, EpochInput, EpochState


def test_every_state_is_reached_and_left() -> None:
    reached = {state for moves in TRANSITIONS.values() for state in moves.values()}
    assert reached == set(EpochState) == set(TRANSITIONS)


def test_a_member_may_be_forgotten_at_any_time() -> None:
    for moves in TRANSITIONS.values():
        assert moves[EpochInput.FORGOTTEN] is EpochState.AWAY


def test_a_member_may_get_another_assignment_whatever_it_does() -> None:
    reported = {state for state, moves in TRANSITIONS.items() if EpochInput.ASSIGNED in moves}
    assert reported == set(EpochState) - {EpochState.AWAY}


def test_all_that_it_has_is_known_only_when_it_has_reported_it() -> None:
    before = {state for state, moves in TRANSITIONS.items() if EpochInput.KNOWN in moves}
    assert before == {EpochState.ACKNOWLEDGING}
