import pytest

from barnabas.coordinators.classic_group.group_records import decode_group
from barnabas.coordinators.classic_group.group_states import GroupState
from barnabas.coordinators.classic_group.leaving import end
from barnabas.coordinators.classic_group.member import Identity
from barnabas.errors import ErrorCode
from tests.unit.coordinators.classic_group.acting import DELAY_MS, SESSION_MS, Acting


def test_the_others_rebalance_when_one_leaves() -> None:
    acting = Acting()
    acting.settle("rex", "tom")
    assert acting.leave("rex") == ["NONE"]
    assert acting.beat("tom") == "REBALANCE_IN_PROGRESS"
    acting.join("tom")
    assert acting.joined("tom").generation == 2
    assert acting.joined("tom").leader == acting.ids["tom"]


def test_the_last_one_leaves_a_record_of_an_empty_group() -> None:
    acting = Acting()
    acting.settle("rex")
    assert acting.leave("rex") == ["NONE"]
    assert acting.state is GroupState.EMPTY
    value = acting.log[-1].value
    assert value is not None
    kept = decode_group(value)
    assert (kept.generation, kept.protocol_type, kept.protocol, kept.leader, kept.members) == (
        2, "consumer", None, None, [],
    )  # fmt: skip
    assert kept.current_state_timestamp == acting.now


def test_a_silent_member_is_out_when_its_session_ends() -> None:
    acting = Acting()
    acting.settle("rex", "tom")
    acting.wait(SESSION_MS - 1)
    assert acting.beat("rex") == "NONE"
    acting.wait(1)
    assert list(acting.group.members) == [acting.ids["rex"]]
    assert acting.beat("tom") == "UNKNOWN_MEMBER_ID"


def test_who_waits_for_others_is_not_silent() -> None:
    acting = Acting()
    acting.settle("rex", "tom")
    acting.join("rex")
    for _ in range(5):
        acting.wait(SESSION_MS - 1)
        assert acting.beat("tom") == "REBALANCE_IN_PROGRESS"
    assert acting.waits("rex")
    assert acting.ids["rex"] in acting.group.members


def test_leavers_are_known_by_id_or_instance_or_not_at_all() -> None:
    acting = Acting()
    acting.join("a", instance="one")
    acting.join("b")
    acting.join("c", takes_id_first=True)
    reported = acting.leave(
        Identity("", "one"), Identity(acting.ids["c"]), Identity("stranger"), Identity("", "two"),
        Identity(""),
    )  # fmt: skip
    unknown = "UNKNOWN_MEMBER_ID"
    assert reported == ["NONE", "NONE", unknown, unknown, unknown]
    assert acting.joined("a").error is ErrorCode.UNKNOWN_MEMBER_ID
    acting.wait(2 * DELAY_MS)
    assert [one.member_id for one in acting.joined("b").members] == [acting.ids["b"]]


def test_another_process_cannot_take_out_a_static_member_by_its_old_id() -> None:
    acting = Acting()
    acting.join("a", instance="one")
    assert acting.leave(Identity("other", "one")) == ["FENCED_INSTANCE_ID"]
    assert len(acting.group.members) == 1


def test_a_heartbeat_of_another_generation_is_refused() -> None:
    acting = Acting()
    acting.settle("rex")
    assert acting.beat("rex", 2) == "ILLEGAL_GENERATION"
    assert acting.beat("rex", 1) == "NONE"


def test_all_that_wait_are_answered_at_the_end() -> None:
    acting = Acting()
    acting.settle("rex", "tom")
    acting.join("rex")
    effects = end(acting.group, ErrorCode.NOT_COORDINATOR, acting.now)
    assert [(str(waiter), reply.error) for waiter, reply in effects.answers] == [
        ("rex", ErrorCode.NOT_COORDINATOR)
    ]
    assert acting.state is GroupState.DEAD
    assert acting.group.deadline() is None


def test_who_hangs_up_without_an_id_is_no_member_and_not_waited_for() -> None:
    acting = Acting()
    acting.settle("rex")
    acting.join("tom")
    (tom,) = (name for name in acting.group.members if name.startswith("tom"))
    acting.hang_up("tom", tom)
    assert list(acting.group.members) == [acting.ids["rex"]]
    acting.join("rex")
    assert acting.joined("rex").generation == 2


@pytest.mark.parametrize("instance", [None, "tom the first"])
def test_who_hangs_up_and_knows_how_to_come_back_has_its_session(instance: str | None) -> None:
    acting = Acting()
    acting.settle("rex")
    acting.join("tom", takes_id_first=True, instance=instance)
    if instance is None:
        acting.join("tom")
    (tom,) = (name for name in acting.group.members if name.startswith("tom"))
    acting.hang_up("tom", tom)
    acting.wait(SESSION_MS - 1)
    acting.beat("rex")
    assert tom in acting.group.members
    acting.wait(1)
    assert list(acting.group.members) == [acting.ids["rex"]]


def test_to_hang_up_changes_nothing_for_who_was_answered_or_asks_elsewhere() -> None:
    acting = Acting()
    acting.settle("rex", "tom")
    members = dict(acting.group.members)
    acting.hang_up("tom", acting.ids["tom"])
    acting.leave("rex")
    acting.join("tom")
    acting.hang_up("somebody else", acting.ids["tom"])
    assert list(acting.group.members.values()) == [members[acting.ids["tom"]]]


def test_nothing_is_kept_of_a_member_that_has_left() -> None:
    """A connection on which it sent heartbeats knows it for longer."""
    acting = Acting()
    acting.settle("rex", "tom")
    tom = acting.group.members[acting.ids["tom"]]
    assert tom.protocols
    assert tom.assignment
    acting.leave("tom")
    assert (tom.protocols, tom.assignment, tom.description) == ((), b"", None)
