"""A fetcher against brokers that answer by script."""

from typing import Any

import pytest

from barnabas.client.core.admin.descriptions import EARLIEST
from barnabas.client.core.admin.group_descriptions import CommittedOffset
from barnabas.client.core.cluster.cluster_view import Broker, ClusterView, PartitionView, TopicView
from barnabas.client.core.consumer.consumer_options import ConsumerOptions
from barnabas.client.core.consumer.fetch_requests import PlannedFetch
from barnabas.client.core.consumer.fetcher import Fetcher
from barnabas.errors import (
    BrokerError,
    ConnectionFailed,
    ErrorCode,
    LocalProtocolError,
    LogTruncated,
)
from barnabas.protocol.fetch import (
    EpochEndOffset,
    FetchableTopicResponse,
    FetchResponse,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
)
from barnabas.types import TopicPartition

A, B = TopicPartition("t", 0), TopicPartition("t", 1)
TOPIC = TopicView(
    "t", b"i" * 16, partitions=(PartitionView("t", 0, 1, 5), PartitionView("t", 1, 1, 5))
)


def batch(base_offset: int, count: int) -> bytes:
    head = base_offset.to_bytes(8) + (88).to_bytes(4) + (5).to_bytes(4) + b"\x02" + bytes(6)
    return (head + (count - 1).to_bytes(4)).ljust(100, b"\x00")


class Harness:
    """A fetcher of partition A at offset 0, at a time that the test sets."""

    def __init__(self, *partitions: TopicPartition, **options: Any) -> None:
        self.now = 100.0
        view = ClusterView()
        view.topics["t"] = TOPIC
        view.brokers = {1: Broker(1, "h", 1)}
        view._names[TOPIC.topic_id] = "t"
        self.view = view
        self.it = Fetcher(ConsumerOptions(**options), view)
        self.it.assign(partitions or (A,))
        for where in partitions or (A,):
            self.it.move(where, 0)

    def ask(self) -> PlannedFetch:
        (ask,) = self.plan()
        return ask

    def plan(self) -> list[PlannedFetch]:
        return self.it.plan(self.now, lambda _: True)

    def answer(
        self,
        ask: PlannedFetch,
        records: bytes = b"",
        error: ErrorCode = ErrorCode.NONE,
        **more: Any,
    ) -> None:
        row = PartitionData(
            partition_index=0,
            error_code=error,
            high_watermark=1000,
            records=memoryview(records),
            **more,
        )
        self.reply(ask, FetchResponse(session_id=7, responses=[topic_row(row)]))

    def reply(self, ask: PlannedFetch, response: FetchResponse) -> None:
        self.it.answered(ask, response, self.now, 0.1)


def topic_row(row: PartitionData) -> FetchableTopicResponse:
    return FetchableTopicResponse(topic_id=TOPIC.topic_id, partitions=[row])


def offsets(ask: PlannedFetch) -> dict[int, int]:
    return {
        row.partition: row.fetch_offset for each in ask.request.topics for row in each.partitions
    }


def test_the_next_fetch_begins_behind_the_last_batch() -> None:
    harness = Harness()
    harness.answer(harness.ask(), batch(0, 10) + batch(10, 5))
    assert offsets(harness.ask()) == {0: 15}
    part = harness.it.take()
    assert part is not None
    assert (part.start, part.next_offset, len(part.records)) == (0, 15, 200)


def test_a_commit_says_the_epoch_of_what_is_before_it() -> None:
    harness = Harness()
    harness.it.move(A, -1)
    position = harness.it.position(A)
    harness.it.resolved(A, position.turn, 0, 3)
    assert position.saved_at(0) == CommittedOffset(0, 3)
    harness.answer(harness.ask(), batch(0, 10) + batch(10, 5))
    saved = [position.saved_at(each) for each in (7, 15, 16)]
    assert saved == [CommittedOffset(7, 5), CommittedOffset(15, 5), CommittedOffset(16, -1)]
    harness.it.move(A, 7)
    assert position.saved_at(7) == CommittedOffset(7, -1)


def test_one_fetch_a_broker_and_no_more_than_two_parts_wait() -> None:
    harness = Harness()
    first = harness.ask()
    assert harness.plan() == []
    harness.answer(first, batch(0, 1))
    harness.answer(harness.ask(), batch(1, 1))
    assert harness.plan() == []
    assert harness.it.take() is not None
    assert offsets(harness.ask()) == {0: 2}


def test_what_a_seek_made_stale_is_dropped_in_flight_and_waiting() -> None:
    harness = Harness()
    harness.answer(harness.ask(), batch(0, 10))
    under_way = harness.ask()
    harness.it.move(A, 500)
    assert harness.it.take() is None
    harness.answer(under_way, batch(10, 10))
    assert harness.it.take() is None
    assert offsets(harness.ask()) == {0: 500}


def test_paused_partitions_are_not_asked_for_nor_given_and_the_session_forgets_them() -> None:
    harness = Harness(A, B)
    harness.answer(harness.ask(), batch(0, 10))
    harness.it.position(A).paused = True
    assert harness.it.take() is None
    ask = harness.ask()
    assert [row.partitions for row in ask.request.forgotten_topics_data] == [[0]]
    harness.it.position(A).paused = False
    assert harness.it.take() is not None


def test_a_position_out_of_range_goes_where_auto_offset_reset_says() -> None:
    harness = Harness(reset=EARLIEST)
    harness.answer(harness.ask(), error=ErrorCode.OFFSET_OUT_OF_RANGE)
    position = harness.it.position(A)
    assert not position.known
    assert position.wanted == EARLIEST
    harness.it.resolved(A, position.turn, 42)
    assert offsets(harness.ask()) == {0: 42}


def test_without_a_reset_it_is_an_error() -> None:
    harness = Harness(reset=None)
    harness.answer(harness.ask(), error=ErrorCode.OFFSET_OUT_OF_RANGE)
    assert "auto.offset.reset is none" in str(harness.it.failures.popleft())


def test_an_offset_found_for_an_older_turn_is_not_used() -> None:
    harness = Harness()
    harness.it.move(A, -1, EARLIEST)
    turn = harness.it.position(A).turn
    harness.it.move(A, 7)
    harness.it.resolved(A, turn, 0)
    assert harness.it.position(A).offset == 7


def test_a_leader_that_moved_makes_metadata_stale_and_the_partition_rest() -> None:
    harness = Harness()
    harness.answer(harness.ask(), error=ErrorCode.NOT_LEADER_OR_FOLLOWER)
    assert harness.it.stale
    assert harness.plan() == []
    harness.now += 0.2
    assert A in harness.ask().turns


def test_a_leader_that_is_named_in_the_response_is_asked_at_once() -> None:
    harness = Harness()
    ask = harness.ask()
    row = PartitionData(
        partition_index=0,
        error_code=ErrorCode.NOT_LEADER_OR_FOLLOWER,
        high_watermark=-1,
        current_leader=LeaderIdAndEpoch(leader_id=9, leader_epoch=6),
        records=None,
    )
    endpoint = NodeEndpoint(node_id=9, host="n", port=9)
    harness.reply(
        ask, FetchResponse(session_id=7, responses=[topic_row(row)], node_endpoints=[endpoint])
    )
    assert not harness.it.stale
    assert harness.ask().node_id == 9


def test_a_lost_session_is_begun_again_at_once() -> None:
    harness = Harness()
    harness.answer(harness.ask(), batch(0, 10))
    lost = FetchResponse(error_code=ErrorCode.FETCH_SESSION_ID_NOT_FOUND, responses=[])
    harness.reply(harness.ask(), lost)
    again = harness.ask()
    assert (again.request.session_epoch, offsets(again)) == (0, {0: 10})


def test_a_lost_connection_ends_the_session_and_is_tried_again() -> None:
    harness = Harness()
    harness.it.failed(harness.ask(), ConnectionFailed("gone"), harness.now, 0.1)
    assert harness.it.stale
    harness.now += 0.2
    assert harness.ask().request.session_epoch == 0


def test_an_error_that_does_not_pass_is_raised() -> None:
    harness = Harness()
    harness.answer(harness.ask(), error=ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    failure = harness.it.failures.popleft()
    assert isinstance(failure, BrokerError)
    assert "fetching t-0" in str(failure)


def test_a_batch_that_does_not_fit_is_an_error_and_not_an_endless_loop() -> None:
    harness = Harness()
    harness.answer(harness.ask(), batch(0, 10)[:80])
    assert "raise max.partition.fetch.bytes" in str(harness.it.failures.popleft())
    assert harness.plan() == []


def test_aborted_transactions_come_with_the_part() -> None:
    harness = Harness(committed_only=True)
    ask = harness.ask()
    assert ask.request.isolation_level == 1
    harness.answer(ask, batch(0, 10), aborted_transactions=[])
    part = harness.it.take()
    assert part is not None
    assert part.aborted == ()


def test_assigning_again_keeps_positions_and_drops_the_rest() -> None:
    harness = Harness(A, B)
    harness.it.move(A, 30)
    harness.it.assign([A])
    assert harness.it.position(A).offset == 30
    with pytest.raises(LocalProtocolError, match="t-1 is not assigned"):
        harness.it.position(B)


def last_epochs(ask: PlannedFetch) -> list[int]:
    return [row.last_fetched_epoch for each in ask.request.topics for row in each.partitions]


def test_a_fetch_tells_the_epoch_of_what_was_read_before() -> None:
    harness = Harness()
    first = harness.ask()
    harness.answer(first, batch(0, 10))
    assert (last_epochs(first), last_epochs(harness.ask())) == ([-1], [5])


def truncated_at(harness: Harness, end: int) -> None:
    """Ten records are read, then the leader says that the log was cut off."""
    harness.answer(harness.ask(), batch(0, 10))
    assert harness.it.take() is not None
    cut = EpochEndOffset(epoch=4, end_offset=end)
    harness.answer(harness.ask(), diverging_epoch=cut)
    harness.now += 0.2


def test_a_truncated_log_is_read_on_from_where_it_is_another_one() -> None:
    harness = Harness(reset=EARLIEST)
    truncated_at(harness, 7)
    again = harness.ask()
    assert (offsets(again), last_epochs(again)) == ({0: 7}, [-1])
    assert not harness.it.failures


def test_without_a_reset_policy_a_truncated_log_is_an_error() -> None:
    harness = Harness(reset=None)
    truncated_at(harness, 7)
    failure = harness.it.failures.popleft()
    assert isinstance(failure, LogTruncated)
    assert (failure.where, failure.position, failure.diverges_at) == (A, 10, 7)
    assert failure.code is ErrorCode.OFFSET_OUT_OF_RANGE
    assert harness.it.position(A).fetch_offset == 10


def test_what_was_fetched_before_the_truncation_is_given_first() -> None:
    harness = Harness(reset=None)
    harness.answer(harness.ask(), batch(0, 10))
    harness.answer(harness.ask(), diverging_epoch=EpochEndOffset(epoch=4, end_offset=7))
    assert harness.it.take() is not None
    assert not harness.it.failures


class Nearer(Harness):
    """The leader, 1, sent us to the replica 2, which is near."""

    def __init__(self) -> None:
        super().__init__(metadata_max_age_s=300.0, reset=EARLIEST)
        self.view.brokers[2] = Broker(2, "near", 2)
        self.answer(self.ask(), preferred_read_replica=2)


def test_a_nearer_replica_is_read_from_until_the_leader_must_be_asked_again() -> None:
    harness = Nearer()
    asked = harness.ask()
    assert asked.node_id == 2
    harness.answer(asked, batch(0, 10))
    assert harness.ask().node_id == 2
    harness.it.leave(2)
    harness = Nearer()
    harness.now += 301
    assert harness.ask().node_id == 1


@pytest.mark.parametrize("error", [ErrorCode.OFFSET_OUT_OF_RANGE, ErrorCode.NOT_LEADER_OR_FOLLOWER])
def test_what_a_nearer_replica_cannot_give_the_leader_is_asked_for(error: ErrorCode) -> None:
    harness = Nearer()
    harness.answer(harness.ask(), error=error)
    again = harness.ask()
    assert (again.node_id, again.turns[A][1]) == (1, 0)
    assert not harness.it.failures


def test_a_nearer_replica_that_is_lost_or_unknown_is_not_waited_for() -> None:
    harness = Nearer()
    harness.it.failed(harness.ask(), ConnectionFailed("gone"), harness.now, 0.1)
    harness.now += 0.2
    assert harness.ask().node_id == 1
    harness = Nearer()
    harness.it.leave(2)
    assert harness.ask().node_id == 1
    unknown = Harness()
    unknown.answer(unknown.ask(), preferred_read_replica=8)
    assert unknown.it.stale
    assert unknown.ask().node_id == 1
