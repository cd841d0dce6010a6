import pytest

from barnabas.coordinators.classic_group.group import ClassicGroup
from barnabas.coordinators.classic_group.group_states import TRANSITIONS, GroupInput, GroupState
from barnabas.coordinators.classic_group.settings import GroupSettings


@pytest.mark.parametrize("state", GroupState)
@pytest.mark.parametrize("happened", GroupInput)
def test_only_moves_of_the_table_are_made(state: GroupState, happened: GroupInput) -> None:
    group = ClassicGroup("kennel", GroupSettings(0, 10), state=state)
    if happened in TRANSITIONS[state]:
        group.move(happened, 77)
        assert (group.state, group.since_ms) == (TRANSITIONS[state][happened], 77)
    else:
        with pytest.raises(KeyError):
            group.move(happened, 77)


def test_every_state_can_be_reached_and_ends() -> None:
    reached = {GroupState.EMPTY}
    for _ in GroupState:
        reached |= {to for state in reached for to in TRANSITIONS[state].values()}
    assert reached == set(GroupState)
    assert all(
        GroupInput.ENDED in TRANSITIONS[state] for state in set(GroupState) - {GroupState.DEAD}
    )
