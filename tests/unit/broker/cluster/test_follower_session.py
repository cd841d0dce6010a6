"""A follower sends what changed, and everything again where the leader does not know its session."""

import pytest

from barnabas.broker.cluster.follower_session import FollowerSession, SessionFetch
from barnabas.errors import ErrorCode
from barnabas.protocol.fetch import FetchResponse
from barnabas.replication.requests import FetchNext
from barnabas.types import TopicPartition

DOGS, CATS = TopicPartition("dogs", 0), TopicPartition("cats", 0)
IDS = {"dogs": b"d" * 16, "cats": b"c" * 16}
AT_FIVE, AT_SIX = FetchNext(0, 5, 0, 0), FetchNext(0, 6, 0, 0)


def answered(session_id: int = 7, code: int = 0) -> FetchResponse:
    return FetchResponse(session_id=session_id, error_code=code, responses=[])


def begun() -> FollowerSession:
    """Session 7 with two partitions."""
    session = FollowerSession()
    everything = {DOGS: AT_FIVE, CATS: AT_FIVE}
    first = session.next_request(everything, IDS, by_id=False)
    assert first == SessionFetch(0, 0, everything, {})
    assert session.take(answered())
    return session


def test_what_is_as_before_is_not_sent() -> None:
    session = begun()
    for epoch in (1, 2):
        same = session.next_request({DOGS: AT_FIVE, CATS: AT_FIVE}, IDS, by_id=False)
        assert same == SessionFetch(7, epoch, {}, {})
        assert session.is_incremental
        assert session.take(answered())


def test_what_changed_is_sent_and_what_is_gone_is_forgotten() -> None:
    session = begun()
    changed = session.next_request({DOGS: AT_SIX}, IDS, by_id=False)
    assert changed == SessionFetch(7, 1, {DOGS: AT_SIX}, {CATS: IDS["cats"]})
    assert session.take(answered())
    back = session.next_request({DOGS: AT_SIX, CATS: AT_FIVE}, IDS, by_id=False)
    assert back == SessionFetch(7, 2, {CATS: AT_FIVE}, {})


@pytest.mark.parametrize(
    ("code", "ends"),
    [
        (ErrorCode.FETCH_SESSION_ID_NOT_FOUND, 0),
        (ErrorCode.INVALID_FETCH_SESSION_EPOCH, 7),
    ],
)
def test_a_session_that_the_leader_does_not_know_begins_anew(code: int, ends: int) -> None:
    session = begun()
    session.next_request({DOGS: AT_FIVE}, IDS, by_id=False)
    assert not session.take(answered(0, code))
    again = session.next_request({DOGS: AT_FIVE}, IDS, by_id=False)
    assert again == SessionFetch(ends, 0, {DOGS: AT_FIVE}, {})
    # A full request that is refused is a failure, which is not repeated at once.
    assert session.take(answered(0, ErrorCode.UNKNOWN_SERVER_ERROR))


def test_without_a_session_everything_is_sent_each_time() -> None:
    session = FollowerSession()
    for _ in range(2):
        request = session.next_request({DOGS: AT_FIVE}, IDS, by_id=False)
        assert request == SessionFetch(0, 0, {DOGS: AT_FIVE}, {})
        assert session.take(answered(0))


def test_one_that_begins_anew_while_its_request_is_out_does_so_with_the_next() -> None:
    session = begun()
    session.next_request({DOGS: AT_FIVE}, IDS, by_id=False)
    session.begin_anew()
    assert session.take(answered())
    request = session.next_request({DOGS: AT_FIVE}, IDS, by_id=False)
    assert request == SessionFetch(7, 0, {DOGS: AT_FIVE}, {})


def test_by_ids_another_topic_of_the_name_takes_the_place_of_the_first() -> None:
    session = begun()
    anew = session.next_request({DOGS: AT_FIVE}, IDS, by_id=True)
    assert anew.epoch == 0
    assert session.take(answered(8))
    other = session.next_request({DOGS: AT_FIVE}, {"dogs": b"e" * 16}, by_id=True)
    assert other == SessionFetch(8, 1, {DOGS: AT_FIVE}, {DOGS: IDS["dogs"]})


def test_what_is_followed_anew_is_forgotten_and_fetched_again_and_the_others_are_not() -> None:
    session = begun()
    session.renew(DOGS)
    session.renew(TopicPartition("new", 0))
    both = {DOGS: AT_FIVE, CATS: AT_FIVE}
    without = session.next_request(both, IDS, by_id=False)
    assert without == SessionFetch(7, 1, {}, {DOGS: IDS["dogs"]}, hurries=True)
    assert session.take(answered())
    back = session.next_request(both, IDS, by_id=False)
    assert back == SessionFetch(7, 2, {DOGS: AT_FIVE}, {})
    assert session.take(answered())
    same = session.next_request(both, IDS, by_id=False)
    assert same == SessionFetch(7, 3, {}, {})


def test_a_request_for_everything_renews_all() -> None:
    session = begun()
    session.renew(DOGS)
    session.begin_anew()
    both = {DOGS: AT_FIVE, CATS: AT_FIVE}
    assert session.next_request(both, IDS, by_id=False) == SessionFetch(7, 0, both, {})
