from barnabas.coordinators.group.group_records import decode_group
from barnabas.coordinators.group.group_states import GroupState
from barnabas.coordinators.group.leaving import end
from barnabas.coordinators.group.member import Identity
from barnabas.errors import ErrorCode
from tests.unit.coordinators.group.acting import DELAY_MS, SESSION_MS, Acting


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
    told = acting.leave(
        Identity("", "one"), Identity(acting.ids["c"]), Identity("stranger"), Identity("", "two"),
        Identity(""),
    )  # fmt: skip
    unknown = "UNKNOWN_MEMBER_ID"
    assert told == ["NONE", "NONE", unknown, unknown, unknown]
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


def test_all_who_wait_are_told_of_the_end() -> None:
    acting = Acting()
    acting.settle("rex", "tom")
    acting.join("rex")
    effects = end(acting.group, ErrorCode.NOT_COORDINATOR, acting.now)
    assert [(str(waiter), reply.error) for waiter, reply in effects.answers] == [
        ("rex", ErrorCode.NOT_COORDINATOR)
    ]
    assert acting.state is GroupState.DEAD
    assert acting.group.deadline() is None
