from barnabas.client.core.group.member_states import TRANSITIONS, MemberInput, MemberState


def test_every_state_is_reached_and_left() -> None:
    reached = {state for moves in TRANSITIONS.values() for state in moves.values()}
    assert reached == set(MemberState) == set(TRANSITIONS)


def test_a_member_may_be_forgotten_and_may_join_at_any_time() -> None:
    for moves in TRANSITIONS.values():
        assert moves[MemberInput.FORGOTTEN] is MemberState.AWAY
        assert moves[MemberInput.JOIN] is MemberState.JOINING


def test_partitions_come_only_with_a_generation() -> None:
    before = {state for state, moves in TRANSITIONS.items() if MemberInput.SYNCED in moves}
    assert before == {MemberState.SYNCING}
