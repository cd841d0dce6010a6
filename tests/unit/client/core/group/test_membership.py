"""What a member says and hears, answer by answer."""

import pytest

from barnabas.client.core.group.member_states import MemberState
from barnabas.client.core.group.membership import Membership
from barnabas.client.core.group.membership_results import Change, ChangeKind, NextStep
from barnabas.client.core.group.options import GroupOptions
from barnabas.client.core.group.subscription import Subscription as SentSubscription
from barnabas.client.core.group.subscription import (
    decode_assignment,
    decode_subscription,
    encode_assignment,
    encode_subscription,
)
from barnabas.config.clients import ConsumerConfig
from barnabas.errors import ErrorCode
from barnabas.protocol.join_group import JoinGroupResponse, JoinGroupResponseMember
from barnabas.protocol.sync_group import SyncGroupResponse
from barnabas.types import TopicPartition

A, B, C = (TopicPartition("t", one) for one in range(3))
E = ErrorCode


def membership(**more: object) -> Membership:
    options = GroupOptions.of(ConsumerConfig.load({"group.id": "g", **more}))
    assert options is not None
    made = Membership(options)
    made.subscribe(["t"])
    return made


def cooperative() -> Membership:
    return membership(**{"partition.assignment.strategy": "cooperative-sticky"})


def join(member: Membership, *, leader: str = "other", generation: int = 1) -> None:
    """A round up to the assignment, with the answer that is right."""
    request = member.join_request()
    own = JoinGroupResponseMember(member_id="me", metadata=request.protocols[0].metadata)
    response = JoinGroupResponse(
        error_code=0,
        generation_id=generation,
        protocol_name=request.protocols[0].name,
        leader=leader,
        member_id="me",
        members=[own] if leader == "me" else [],
    )
    assert member.joined(response) is NextStep.CONTINUE


def sync(member: Membership, *given: TopicPartition) -> tuple[Change, ...]:
    member.sync_request({"t": 3})
    response = SyncGroupResponse(error_code=0, assignment=encode_assignment(given))
    found, changes = member.synced(response)
    assert found is NextStep.CONTINUE
    for change in changes:
        if change.kind is not ChangeKind.ASSIGNED:
            member.gave_up(change)
    return changes


def refused(code: ErrorCode) -> JoinGroupResponse:
    return JoinGroupResponse(
        error_code=code, protocol_name="", leader="", member_id="given", members=[]
    )


def test_a_member_takes_the_id_it_is_given_and_joins_again() -> None:
    member = membership()
    assert member.join_request().member_id == ""
    assert member.joined(refused(E.MEMBER_ID_REQUIRED)) is NextStep.REJOIN
    assert member.join_request().member_id == "given"
    assert member.state is MemberState.JOINING


def test_the_leader_shares_out_and_watches_the_topics() -> None:
    member = membership()
    join(member, leader="me")
    request = member.sync_request({"t": 3})
    (row,) = request.assignments
    assert (row.member_id, decode_assignment(row.assignment)) == ("me", [A, B, C])
    assert request.protocol_name == "range"
    sync(member, A, B, C)
    member.counted({"t": 3})
    assert not member.due
    member.counted({"t": 4})
    assert member.due


def test_who_does_not_lead_hands_out_nothing_and_watches_nothing() -> None:
    member = membership()
    join(member)
    assert member.sync_request({"t": 3}).assignments == []
    assert sync(member, B) == (Change(ChangeKind.ASSIGNED, (B,)),)
    member.counted({"t": 4})
    assert not member.due


def test_an_eager_member_gives_all_up_before_it_joins_again() -> None:
    member = membership()
    join(member)
    sync(member, A, B)
    member.rejoin("for the test")
    change = member.before_join()
    assert change == Change(ChangeKind.REVOKED, (A, B))
    member.gave_up(change)
    assert member.join_request().reason == "for the test"
    assert decode_subscription(member.join_request().protocols[0].metadata).owned == ()


def test_a_cooperative_one_says_what_it_has_and_gives_up_what_it_must() -> None:
    member = cooperative()
    join(member)
    assert sync(member, A, B) == (Change(ChangeKind.ASSIGNED, (A, B)),)
    member.rejoin("for the test")
    assert member.before_join() is None
    sent = decode_subscription(member.join_request().protocols[0].metadata)
    assert (sent.owned, sent.generation) == ((A, B), 1)
    join(member, generation=2)
    assert sync(member, B, C) == (
        Change(ChangeKind.REVOKED, (A,)),
        Change(ChangeKind.ASSIGNED, (C,)),
    )
    assert set(member.owned) == {B, C}
    assert member.due, "so that somebody gets what it gave up"


def test_a_cooperative_one_gives_up_topics_that_it_wants_no_more() -> None:
    member = cooperative()
    join(member)
    sync(member, A, B)
    member.subscribe(["u"])
    assert member.before_join() == Change(ChangeKind.REVOKED, (A, B))


@pytest.mark.parametrize(
    ("code", "how", "keeps_id"),
    [
        (E.UNKNOWN_MEMBER_ID, NextStep.REJOIN, False),
        (E.ILLEGAL_GENERATION, NextStep.REJOIN, True),
        (E.FENCED_INSTANCE_ID, NextStep.FAIL, False),
    ],
)
def test_a_member_that_is_not_known_has_lost_what_it_had(
    code: ErrorCode, how: NextStep, *, keeps_id: bool
) -> None:
    member = cooperative()
    join(member)
    sync(member, A)
    assert member.handle_response(code, member.generation) is how
    assert (member.state, member.generation) == (MemberState.AWAY, -1)
    assert bool(member.member_id) is keeps_id
    assert member.before_join() == Change(ChangeKind.LOST, (A,))


def test_an_answer_of_an_older_generation_changes_nothing() -> None:
    member = membership()
    join(member, generation=5)
    sync(member, A)
    assert member.handle_response(E.UNKNOWN_MEMBER_ID, 4) is NextStep.CONTINUE
    assert member.rejoin_why == ""
    assert member.handle_response(E.REBALANCE_IN_PROGRESS, 5) is NextStep.REJOIN
    assert member.due
    assert member.generation == 5


@pytest.mark.parametrize("code", [E.ILLEGAL_GENERATION, E.UNKNOWN_MEMBER_ID])
def test_an_answer_that_comes_while_it_joins_leaves_that_to_the_join(code: ErrorCode) -> None:
    member = membership()
    join(member, generation=5)
    sync(member, A)
    member.rejoin("the group is rebalancing")
    member.join_request()
    assert member.handle_response(code, 5) is NextStep.CONTINUE
    join(member, generation=6)
    assert member.handle_response(code, 6) is NextStep.CONTINUE
    sync(member, A)
    assert (member.state, member.generation) == (MemberState.STABLE, 6)


@pytest.mark.parametrize(
    ("code", "how"),
    [
        (E.NOT_COORDINATOR, NextStep.FIND_COORDINATOR),
        (E.COORDINATOR_LOAD_IN_PROGRESS, NextStep.RETRY_LATER),
        (E.REBALANCE_IN_PROGRESS, NextStep.REJOIN),
        (E.INCONSISTENT_GROUP_PROTOCOL, NextStep.FAIL),
        (E.GROUP_MAX_SIZE_REACHED, NextStep.FAIL),
    ],
)
def test_a_refused_join_says_how_to_go_on(code: ErrorCode, how: NextStep) -> None:
    member = membership()
    member.join_request()
    assert member.joined(refused(code)) is how
    assert member.due


def test_subscriptions_and_assignments_are_read_as_they_were_written() -> None:
    sent = SentSubscription(("t", "u"), (A, C), 7, b"own", None)
    assert decode_subscription(encode_subscription(sent)) == sent
    assert decode_assignment(encode_assignment([C, A])) == [A, C]
    assert decode_assignment(b"") == []
