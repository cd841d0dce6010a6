from barnabas.client.core.group.epoch_membership import TopicIdIndex
from barnabas.client.core.group.membership_results import NextStep
from barnabas.client.core.shares.share_membership import ShareMembership
from barnabas.errors import ErrorCode
from barnabas.protocol.share_group_heartbeat import (
    Assignment,
    ShareGroupHeartbeatResponse,
    TopicPartitions,
)

ID = b"i" * 16


def response(
    code: ErrorCode = ErrorCode.NONE, assignment: Assignment | None = None
) -> ShareGroupHeartbeatResponse:
    return ShareGroupHeartbeatResponse(
        error_code=code, member_epoch=7, heartbeat_interval_ms=3000, assignment=assignment
    )


def joined() -> ShareMembership:
    member = ShareMembership("g", "m", "rack")
    member.subscribe(["dogs"])
    rows = [TopicPartitions(topic_id=ID, partitions=[0, 2])]
    step = member.handle_response(
        member.topics, response(assignment=Assignment(topic_partitions=rows))
    )
    assert step is NextStep.CONTINUE
    return member


def test_the_first_heartbeat_joins_with_everything() -> None:
    member = ShareMembership("g", "m", "rack")
    member.subscribe(["dogs", "cats"])
    request = member.heartbeat_request()
    assert (request.group_id, request.member_id, request.member_epoch) == ("g", "m", 0)
    assert (request.rack_id, request.subscribed_topic_names) == ("rack", ["cats", "dogs"])


def test_later_ones_report_only_changes() -> None:
    member = joined()
    assert member.assigned == {TopicIdIndex(ID, 0), TopicIdIndex(ID, 2)}
    assert member.interval_ms == 3000
    assert not member.has_news
    request = member.heartbeat_request()
    assert (request.member_epoch, request.subscribed_topic_names, request.rack_id) == (
        7,
        None,
        None,
    )
    member.subscribe(["cats"])
    assert member.heartbeat_request().subscribed_topic_names == ["cats"]
    member.handle_response(member.topics, response())
    assert member.heartbeat_request().subscribed_topic_names is None
    assert len(member.assigned) == 2


def test_what_is_news_is_reported_at_once() -> None:
    member = joined()
    seen = [member.has_news]
    member.subscribe(["cats"])
    seen.append(member.has_news)
    member.handle_response(member.topics, response())
    seen.append(member.has_news)
    assert seen == [False, True, False]


def test_a_fenced_member_joins_again_with_nothing() -> None:
    for code in (ErrorCode.FENCED_MEMBER_EPOCH, ErrorCode.UNKNOWN_MEMBER_ID):
        member = joined()
        assert member.handle_response(member.topics, response(code)) is NextStep.REJOIN
        assert member.assigned == frozenset()
        assert member.heartbeat_request().member_epoch == 0


def test_other_errors_are_the_users() -> None:
    member = joined()
    code = ErrorCode.GROUP_AUTHORIZATION_FAILED
    assert member.handle_response(member.topics, response(code)) is NextStep.FAIL
    assert member.leave_request().member_epoch == -1
    again = response(ErrorCode.NOT_COORDINATOR)
    assert member.handle_response(member.topics, again) is NextStep.FIND_COORDINATOR
