"""What a member says whose broker assigns, and what answers mean, one by one."""

import pytest

from barnabas.client.core.group.epoch_membership import EpochMembership
from barnabas.client.core.group.epoch_states import EpochState
from barnabas.client.core.group.membership_results import Change, ChangeKind, NextStep
from barnabas.client.core.group.options import GroupOptions
from barnabas.config.clients import ConsumerConfig
from barnabas.errors import ErrorCode
from barnabas.protocol.consumer_group_heartbeat import (
    Assignment,
    ConsumerGroupHeartbeatResponse,
    TopicPartitions,
)
from barnabas.types import TopicPartition

A, B, C = (TopicPartition("t", one) for one in range(3))
ID, OTHER_ID = bytes([1] * 16), bytes([2] * 16)
NAMES = {ID: "t"}
E = ErrorCode


def membership(**more: object) -> EpochMembership:
    settings = {"group.id": "g", "group.protocol": "consumer", **more}
    options = GroupOptions.of(ConsumerConfig.load(settings))
    assert options is not None
    made = EpochMembership(options, "me")
    made.subscribe(["t"])
    return made


def answer(
    epoch: int = 1, given: dict[bytes, list[int]] | None = None, code: ErrorCode = E.NONE
) -> ConsumerGroupHeartbeatResponse:
    rows = None
    if given is not None:
        rows = Assignment(
            topic_partitions=[
                TopicPartitions(topic_id=each, partitions=numbers)
                for each, numbers in given.items()
            ]
        )
    return ConsumerGroupHeartbeatResponse(
        error_code=code, member_epoch=epoch, heartbeat_interval_ms=700, assignment=rows
    )


def reported(member: EpochMembership, epoch: int, *partitions: int) -> None:
    """A heartbeat whose answer says what it is to have."""
    member.heartbeat_request()
    assert member.handle_response(answer(epoch, {ID: list(partitions)})) is NextStep.CONTINUE


def reconcile(member: EpochMembership) -> list[Change]:
    changes = []
    while (change := member.before_join()) is not None:
        changes.append(change)
        member.gave_up(change)
    changes.append(member.took(NAMES))
    member.reconciled()
    return changes


def joined(member: EpochMembership, *partitions: int) -> EpochMembership:
    """As a member that has these, and has reported them."""
    member.join()
    reported(member, 1, *partitions)
    reconcile(member)
    member.heartbeat_request()
    assert member.handle_response(answer()) is NextStep.CONTINUE
    assert member.state is EpochState.STABLE
    return member


def test_who_joins_says_all_of_itself_and_then_only_that_it_is_there() -> None:
    more = {"group.remote.assignor": "range", "client.rack": "r", "max.poll.interval.ms": 9000}
    member = membership(**more)
    assert (member.due, member.has_news) == (True, False)
    member.join()
    assert (member.due, member.has_news) == (False, True)
    sent = member.heartbeat_request()
    assert (sent.group_id, sent.member_id, sent.member_epoch) == ("g", "me", 0)
    assert (sent.rack_id, sent.rebalance_timeout_ms, sent.server_assignor) == ("r", 9000, "range")
    assert (sent.subscribed_topic_names, sent.topic_partitions) == (["t"], [])
    assert member.handle_response(answer(3, {})) is NextStep.CONTINUE
    assert (member.generation, member.interval_ms) == (3, 700)
    assert reconcile(member) == [Change(ChangeKind.ASSIGNED, ())]
    bare = member.heartbeat_request()
    assert (bare.member_epoch, bare.rack_id, bare.server_assignor) == (3, None, None)
    assert (bare.subscribed_topic_names, bare.topic_partitions) == (None, None)
    assert bare.rebalance_timeout_ms == -1


def test_what_was_taken_is_reported_at_once_and_only_once() -> None:
    member = membership()
    member.join()
    reported(member, 1, 0, 1)
    assert (member.due, member.state) == (True, EpochState.RECONCILING)
    assert member.unnamed({}) == {ID}
    assert not member.has_news
    assert reconcile(member) == [Change(ChangeKind.ASSIGNED, (A, B))]
    assert (member.due, member.has_news, member.owned) == (False, True, (A, B))
    (row,) = member.heartbeat_request().topic_partitions or []
    assert (row.topic_id, row.partitions) == (ID, [0, 1])
    assert member.handle_response(answer(2)) is NextStep.CONTINUE
    assert (member.state, member.has_news, member.generation) == (EpochState.STABLE, False, 2)
    assert member.heartbeat_request().topic_partitions is None


def test_it_gives_up_first_and_takes_then() -> None:
    member = joined(membership(), 0, 1)
    reported(member, 2, 1, 2)
    assert reconcile(member) == [
        Change(ChangeKind.REVOKED, (A,)),
        Change(ChangeKind.ASSIGNED, (C,)),
    ]


def test_while_that_goes_on_heartbeats_say_what_it_had() -> None:
    member = joined(membership(), 0, 1)
    reported(member, 2, 1)
    change = member.before_join()
    assert change is not None
    member.gave_up(change)
    assert member.heartbeat_request().topic_partitions is None
    assert member.handle_response(answer(2)) is NextStep.CONTINUE
    member.took(NAMES)
    member.reconciled()
    assert member.has_news, "the answer was to what it had before"
    (row,) = member.heartbeat_request().topic_partitions or []
    assert row.partitions == [1]


def test_an_answer_that_comes_meanwhile_counts() -> None:
    member = joined(membership(), 0)
    reported(member, 2, 0, 1)
    member.took(NAMES)
    reported(member, 3, 0)
    member.reconciled()
    assert member.due
    assert reconcile(member) == [Change(ChangeKind.REVOKED, (B,)), Change(ChangeKind.ASSIGNED, ())]
    assert member.state is EpochState.ACKNOWLEDGING
    assert member.has_news, "the broker waits for it, although its last response was the same"
    (row,) = member.heartbeat_request().topic_partitions or []
    assert row.partitions == [0]
    assert member.handle_response(answer(3)) is NextStep.CONTINUE
    assert (member.state, member.has_news) == (EpochState.STABLE, False)


def test_what_it_took_nothing_of_and_is_to_have_no_more_is_reported_too() -> None:
    member = joined(membership(), 0)
    reported(member, 2, 0, 1)
    reported(member, 3, 0)
    assert reconcile(member) == [Change(ChangeKind.ASSIGNED, ())]
    assert member.has_news
    assert member.heartbeat_request().topic_partitions is not None


def test_a_topic_that_was_made_again_is_given_up_and_taken() -> None:
    member = joined(membership(), 0)
    member.heartbeat_request()
    member.handle_response(answer(2, {OTHER_ID: [0]}))
    change = member.before_join()
    assert change == Change(ChangeKind.REVOKED, (A,))
    member.gave_up(change)
    assert member.unnamed(NAMES) == {OTHER_ID}
    assert member.took({OTHER_ID: "t"}) == Change(ChangeKind.ASSIGNED, (A,))


@pytest.mark.parametrize("code", [E.FENCED_MEMBER_EPOCH, E.UNKNOWN_MEMBER_ID])
def test_who_is_fenced_has_lost_all_and_joins_anew_under_the_same_id(code: ErrorCode) -> None:
    member = joined(membership(), 0, 1)
    member.heartbeat_request()
    assert member.handle_response(answer(code=code)) is NextStep.REJOIN
    assert (member.generation, member.due) == (-1, True)
    change = member.before_join()
    assert change == Change(ChangeKind.LOST, (A, B))
    member.gave_up(change)
    member.join()
    sent = member.heartbeat_request()
    assert (sent.member_id, sent.member_epoch, sent.topic_partitions) == ("me", 0, [])


@pytest.mark.parametrize(
    ("code", "found"),
    [
        (E.COORDINATOR_LOAD_IN_PROGRESS, NextStep.RETRY_LATER),
        (E.COORDINATOR_NOT_AVAILABLE, NextStep.FIND_COORDINATOR),
        (E.NOT_COORDINATOR, NextStep.FIND_COORDINATOR),
        (None, None),
    ],
)
def test_without_an_answer_it_says_all_again_and_stays(
    code: ErrorCode | None, found: NextStep | None
) -> None:
    member = joined(membership(), 0)
    member.heartbeat_request()
    if code is None:
        member.no_response()
    else:
        assert member.handle_response(answer(code=code)) is found
    again = member.heartbeat_request()
    assert (again.member_epoch, again.subscribed_topic_names) == (1, ["t"])
    assert [row.partitions for row in again.topic_partitions or []] == [[0]]
    assert again.rebalance_timeout_ms == 300_000
    assert member.handle_response(answer(1, {ID: [0]})) is NextStep.CONTINUE
    assert (member.state, member.owned) == (EpochState.STABLE, (A,))


@pytest.mark.parametrize(
    "code", [E.GROUP_MAX_SIZE_REACHED, E.UNSUPPORTED_ASSIGNOR, E.FENCED_INSTANCE_ID]
)
def test_what_time_does_not_cure_is_the_users(code: ErrorCode) -> None:
    member = membership()
    member.join()
    member.heartbeat_request()
    assert member.handle_response(answer(code=code)) is NextStep.FAIL
    assert member.state is EpochState.AWAY


def test_a_pattern_takes_the_place_of_names_and_names_of_a_pattern() -> None:
    member = joined(membership(), 0)
    member.match("t.*")
    assert member.has_news
    sent = member.heartbeat_request()
    assert (sent.subscribed_topic_names, sent.subscribed_topic_regex) == ([], "t.*")
    member.handle_response(answer())
    member.subscribe(["t"])
    sent = member.heartbeat_request()
    assert (sent.subscribed_topic_names, sent.subscribed_topic_regex) == (["t"], "")
    member.handle_response(answer())
    assert not member.has_news


@pytest.mark.parametrize(("instance", "epoch"), [(None, -1), ("static", -2)])
def test_a_static_member_leaves_for_a_while(instance: str | None, epoch: int) -> None:
    member = joined(membership(**{"group.instance.id": instance}), 0)
    assert member.before_leave() == Change(ChangeKind.REVOKED, (A,))
    sent = member.leave_request()
    assert (sent.member_epoch, sent.instance_id) == (epoch, instance)
    member.forgotten()
    assert member.before_leave() == Change(ChangeKind.LOST, (A,))


def test_an_answer_that_comes_after_leaving_changes_nothing() -> None:
    member = membership()
    member.join()
    member.heartbeat_request()
    member.forgotten()
    assert member.handle_response(answer(5, {ID: [0]})) is NextStep.CONTINUE
    assert (member.state, member.generation) == (EpochState.AWAY, -1)
