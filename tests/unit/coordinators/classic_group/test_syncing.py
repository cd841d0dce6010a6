import pytest

from barnabas.coordinators.classic_group.group_records import decode_group
from barnabas.coordinators.classic_group.group_states import GroupState
from barnabas.coordinators.classic_group.leaving import loaded
from barnabas.coordinators.classic_group.settings import GroupSettings
from barnabas.coordinators.classic_group.snapshot import group_of
from barnabas.errors import ErrorCode
from tests.unit.coordinators.classic_group.acting import DELAY_MS, REBALANCE_MS, SESSION_MS, Acting


def begun(*names: str) -> Acting:
    """A generation whose leader is the first of them."""
    acting = Acting()
    for name in names:
        acting.join(name)
    acting.wait(2 * DELAY_MS)
    return acting


def test_followers_wait_for_the_leader_and_the_leader_for_the_log() -> None:
    acting = begun("rex", "tom")
    acting.sync("tom")
    assert acting.waits("tom")
    acting.held = []
    acting.sync("rex", {"rex": b"0", "tom": b"1"})
    assert acting.waits("rex", "tom")
    acting.release()
    assert acting.assigned("rex").assignment == b"0"
    assert acting.assigned("tom").assignment == b"1"
    assert acting.assigned("tom").protocol == "range"
    assert acting.state is GroupState.STABLE
    acting.sync("tom")
    assert acting.assigned("tom").assignment == b"1"


def test_who_the_leader_forgets_has_nothing_to_do() -> None:
    acting = begun("rex", "tom")
    acting.sync("rex", {"rex": b"0"})
    acting.sync("tom")
    assert acting.assigned("tom").assignment == b""


def test_assignments_that_could_not_be_kept_are_nobodys() -> None:
    acting = begun("rex", "tom")
    acting.sync("tom")
    acting.written = ErrorCode.COORDINATOR_NOT_AVAILABLE
    acting.sync("rex", {"rex": b"0", "tom": b"1"})
    assert acting.assigned("tom").error is ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert acting.state is GroupState.PREPARING_REBALANCE


def test_assignments_of_a_generation_that_is_over_are_dropped() -> None:
    acting = begun("rex", "tom")
    acting.held = []
    acting.sync("rex", {"rex": b"0", "tom": b"1"})
    acting.join("ann")
    assert acting.assigned("rex").error is ErrorCode.REBALANCE_IN_PROGRESS
    acting.release()
    assert acting.state is GroupState.PREPARING_REBALANCE


@pytest.mark.parametrize(
    ("generation", "protocol", "error"),
    [
        (7, None, ErrorCode.ILLEGAL_GENERATION),
        (1, "sticky", ErrorCode.INCONSISTENT_GROUP_PROTOCOL),
    ],
)
def test_a_member_with_another_protocol_gets_an_error(
    generation: int, protocol: str | None, error: ErrorCode
) -> None:
    acting = begun("rex")
    acting.sync("rex", {}, generation=generation, protocol=protocol)
    assert acting.assigned("rex").error is error


def test_nobody_syncs_who_is_no_member_or_must_join_again() -> None:
    acting = begun("rex")
    acting.sync("stranger")
    assert acting.assigned("stranger").error is ErrorCode.UNKNOWN_MEMBER_ID
    acting.join("tom")
    acting.sync("rex")
    assert acting.assigned("rex").error is ErrorCode.REBALANCE_IN_PROGRESS


def test_who_joins_and_never_syncs_is_out() -> None:
    acting = begun("rex", "tom")
    acting.sync("tom")
    for _ in range(REBALANCE_MS // 1000):
        acting.wait(1000)
        acting.beat("rex")
    assert list(acting.group.members) == [acting.ids["tom"]]
    assert acting.assigned("tom").error is ErrorCode.REBALANCE_IN_PROGRESS


def test_a_restart_finds_the_group_as_the_last_generation_left_it() -> None:
    acting = Acting()
    acting.join("a", instance="one")
    acting.join("b")
    acting.wait(2 * DELAY_MS)
    acting.hand_out()
    value = acting.log[-1].value
    assert value is not None
    again = Acting(group=group_of("kennel", GroupSettings(DELAY_MS, 1000), decode_group(value)))
    again.ids, again.now = acting.ids, acting.now
    loaded(again.group, again.now)
    assert again.state is GroupState.STABLE
    assert again.beat("a", 1, "one") == again.beat("b", 1) == "NONE"
    again.sync("b")
    assert again.assigned("b").assignment == b"b"
    assert again.group.leader == acting.group.leader
    assert again.group.since_ms == acting.group.since_ms
    again.wait(SESSION_MS)
    assert again.group.members == {}


def test_a_group_that_is_too_large_now_is_made_smaller() -> None:
    acting = begun("a", "b", "c")
    acting.hand_out()
    value = acting.log[-1].value
    assert value is not None
    again = Acting(group=group_of("kennel", GroupSettings(DELAY_MS, 2), decode_group(value)))
    again.ids, again.now = acting.ids, acting.now
    loaded(again.group, again.now)
    for name in "abc":
        again.join(name)
    assert again.joined("c").error is ErrorCode.GROUP_MAX_SIZE_REACHED
    assert again.joined("a").error is again.joined("b").error is ErrorCode.NONE
