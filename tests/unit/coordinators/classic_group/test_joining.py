import pytest

from barnabas.coordinators.classic_group import joining
from barnabas.coordinators.classic_group.group_states import GroupState
from barnabas.coordinators.classic_group.member import Identity
from barnabas.errors import ErrorCode
from tests.unit.coordinators.classic_group.acting import DELAY_MS, REBALANCE_MS, SESSION_MS, Acting

RANGE = ("range", b"r")
ROBIN = ("roundrobin", b"rr")


def test_the_first_generation_waits_for_more_members_to_come() -> None:
    acting = Acting()
    acting.join("rex")
    acting.wait(DELAY_MS - 1)
    acting.join("tom")
    acting.wait(1)
    assert acting.waits("rex", "tom")
    acting.wait(DELAY_MS)
    leader, follower = acting.joined("rex"), acting.joined("tom")
    assert (leader.generation, leader.protocol, leader.protocol_type) == (1, "range", "consumer")
    assert leader.leader == follower.leader == leader.member_id
    assert [one.member_id for one in leader.members] == [leader.member_id, follower.member_id]
    assert follower.members == ()
    assert acting.state is GroupState.COMPLETING_REBALANCE


def test_a_first_generation_is_put_off_no_longer_than_the_rebalance_timeout() -> None:
    acting = Acting()
    acting.join("0")
    for number in range(1, 100):
        acting.wait(DELAY_MS // 2)
        acting.join(str(number))
        if not acting.waits("0"):
            break
    assert acting.now <= REBALANCE_MS
    assert acting.now >= REBALANCE_MS - DELAY_MS


def test_ids_are_given_out_before_anybody_is_a_member() -> None:
    acting = Acting()
    acting.join("rex", takes_id_first=True)
    invited = acting.joined("rex")
    assert invited.error is ErrorCode.MEMBER_ID_REQUIRED
    assert acting.state is GroupState.EMPTY
    acting.join("rex", takes_id_first=True)
    acting.wait(DELAY_MS)
    assert acting.joined("rex").member_id == invited.member_id


def test_an_invitation_is_waited_for_and_runs_out() -> None:
    acting = Acting()
    acting.settle("rex")
    acting.join("tom", takes_id_first=True)
    acting.join("rex")
    assert acting.waits("rex")
    acting.wait(SESSION_MS)
    assert acting.joined("rex").generation == 2
    acting.join("tom")
    assert acting.joined("tom").error is ErrorCode.UNKNOWN_MEMBER_ID


@pytest.mark.parametrize(
    ("kind", "protocols"),
    [("connect", [RANGE]), ("consumer", [("sticky", b"")]), ("consumer", [])],
)
def test_who_has_nothing_in_common_stays_out(kind: str, protocols: list[tuple[str, bytes]]) -> None:
    acting = Acting()
    acting.settle("rex")
    acting.join("tom", protocols, kind=kind)
    assert acting.joined("tom").error is ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert acting.state is GroupState.STABLE


def test_what_members_share_follows_those_that_come_change_and_go() -> None:
    acting = Acting()
    acting.join("rex", [RANGE, ROBIN])
    acting.join("tom", [RANGE, RANGE])
    acting.wait(2 * DELAY_MS)
    acting.join("eve", [ROBIN])
    assert acting.joined("eve").error is ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    acting.leave("tom")
    acting.join("eve", [ROBIN])
    acting.join("rex", [ROBIN])
    assert acting.joined("rex").protocol == "roundrobin"
    acting.join("tom", [RANGE])
    assert acting.joined("tom").error is ErrorCode.INCONSISTENT_GROUP_PROTOCOL


@pytest.mark.parametrize(("kind", "protocols"), [("", [RANGE]), ("consumer", [])])
def test_an_empty_group_needs_a_kind_and_a_protocol(
    kind: str, protocols: list[tuple[str, bytes]]
) -> None:
    acting = Acting()
    acting.join("tom", protocols, kind=kind)
    assert acting.joined("tom").error is ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert acting.group.is_vacant


def test_most_votes_of_what_all_know_decide() -> None:
    acting = Acting()
    acting.join("a", [("odd", b""), ROBIN, RANGE])
    acting.join("b", [RANGE, ROBIN])
    acting.join("c", [ROBIN, RANGE])
    acting.wait(2 * DELAY_MS)
    assert acting.joined("a").protocol == "roundrobin"
    assert [one.metadata for one in acting.joined("a").members] == [b"rr"] * 3


def test_a_follower_without_news_gets_what_there_is() -> None:
    acting = Acting()
    acting.settle("rex", "tom")
    acting.join("tom")
    assert acting.joined("tom").generation == 1
    assert acting.state is GroupState.STABLE
    acting.join("tom", [("range", b"other")])
    assert acting.waits("tom")
    assert acting.beat("rex") == "REBALANCE_IN_PROGRESS"


def test_of_who_is_waited_for_and_has_no_news_nothing_else_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    acting = Acting()
    acting.settle("rex", "tom")
    acting.join("kit")
    monkeypatch.delattr(joining, "_has_room")
    acting.join("tom")
    assert acting.waits("tom", "kit")
    acting.join("rex")
    assert [acting.joined(name).generation for name in ("rex", "tom", "kit")] == [2, 2, 2]
    assert len(acting.joined("rex").members) == 3


def test_a_leader_that_joins_again_wants_a_rebalance() -> None:
    acting = Acting()
    acting.settle("rex", "tom")
    acting.join("rex")
    assert acting.waits("rex")
    acting.join("tom")
    assert acting.joined("rex").generation == acting.joined("tom").generation == 2


def test_a_missed_answer_is_given_again_while_assignments_are_waited_for() -> None:
    acting = Acting()
    acting.join("rex")
    acting.wait(DELAY_MS)
    first = acting.joined("rex")
    acting.join("rex")
    assert acting.joined("rex") == first


def test_who_does_not_join_again_in_time_is_out() -> None:
    acting = Acting()
    acting.settle("rex", "tom")
    acting.join("ann")
    for _ in range(REBALANCE_MS // 1000):
        acting.wait(1000)
        acting.beat("rex")
        acting.join("tom")
    assert acting.joined("ann").generation == 2
    assert acting.joined("ann").leader in {acting.ids["tom"], acting.ids["ann"]}
    assert acting.ids["rex"] not in acting.group.members
    assert acting.beat("rex") == "UNKNOWN_MEMBER_ID"


def test_a_full_group_takes_no_more() -> None:
    acting = Acting(max_size=2)
    acting.settle("rex", "tom")
    acting.join("ann")
    assert acting.joined("ann").error is ErrorCode.GROUP_MAX_SIZE_REACHED
    assert acting.joined("ann").member_id == ""
    assert acting.state is GroupState.STABLE


def test_a_new_member_is_waited_for_five_minutes_and_no_longer() -> None:
    acting = Acting()
    acting.settle("rex")
    acting.join("tom")
    for _ in range(400):
        acting.wait(1000)
        acting.beat("rex")
    # The member who only beat was out first; the new one leads alone then, and never synced.
    assert acting.group.members == {}
    assert acting.state is GroupState.EMPTY


def test_a_static_member_comes_back_without_a_rebalance() -> None:
    acting = Acting()
    acting.join("a", instance="one")
    acting.join("b", instance="two")
    acting.wait(2 * DELAY_MS)
    acting.hand_out()
    old = acting.ids["b"]
    acting.join("b", instance="two", new=True)
    back = acting.joined("b")
    assert back.error is ErrorCode.NONE
    assert back.member_id != old
    assert (back.generation, acting.state) == (1, GroupState.STABLE)
    acting.sync("b", instance="two")
    assert acting.assigned("b").assignment == b"b"
    acting.ids["ghost"] = old
    assert acting.beat("ghost", instance="two") == "FENCED_INSTANCE_ID"
    acting.join("ghost", instance="two")
    assert acting.joined("ghost").error is ErrorCode.FENCED_INSTANCE_ID
    assert acting.beat("ghost") == "UNKNOWN_MEMBER_ID"


@pytest.mark.parametrize("skips", [True, False])
def test_a_static_leader_that_is_back_hands_out_nothing(*, skips: bool) -> None:
    acting = Acting()
    acting.join("a", instance="one")
    acting.wait(DELAY_MS)
    acting.hand_out()
    old = acting.ids["a"]
    acting.join("a", instance="one", new=True, skips=skips)
    back = acting.joined("a")
    assert back.skip_assignment is skips
    assert back.leader == (back.member_id if skips else old)
    assert len(back.members) == (1 if skips else 0)


def test_a_static_member_that_could_not_be_kept_is_the_one_before() -> None:
    acting = Acting()
    acting.join("a", instance="one")
    acting.wait(DELAY_MS)
    acting.hand_out()
    old = acting.ids["a"]
    acting.written = ErrorCode.COORDINATOR_NOT_AVAILABLE
    acting.join("a", instance="one", new=True)
    assert acting.joined("a").error is ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert list(acting.group.members) == [acting.group.leader] == [old]
    assert acting.group.refusal(Identity(old, "one")) is None


def test_a_static_member_back_amid_a_rebalance_fences_the_one_who_waits() -> None:
    acting = Acting()
    acting.join("a", instance="one")
    acting.join("a2", instance="one")
    assert acting.joined("a").error is ErrorCode.FENCED_INSTANCE_ID
    acting.wait(DELAY_MS)
    assert acting.joined("a2").generation == 1


def test_absent_static_members_keep_their_place_until_their_session_ends() -> None:
    acting = Acting()
    acting.join("a", instance="one")
    acting.join("b", instance="two")
    acting.wait(2 * DELAY_MS)
    acting.hand_out()
    acting.wait(SESSION_MS - 1)
    assert acting.beat("a", instance="one") == "NONE"
    acting.join("a", [("range", b"news")], instance="one")
    assert acting.waits("a")
    acting.wait(1)
    assert acting.joined("a").generation == 2
    assert list(acting.group.instances) == ["one"]


def test_one_member_on_two_connections_has_one_answer_that_counts() -> None:
    acting = Acting()
    acting.settle("rex", "tom")
    acting.join("rex")
    acting.ids["twin"] = acting.ids["rex"]
    acting.join("twin")
    assert acting.joined("rex").error is ErrorCode.REBALANCE_IN_PROGRESS
    acting.join("tom")
    assert acting.joined("twin").error is ErrorCode.NONE
