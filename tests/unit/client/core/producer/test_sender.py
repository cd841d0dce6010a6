"""A sender with its accumulator and queues, against brokers that answer by script."""

import pytest

from barnabas.client.core.cluster.cluster_view import PartitionView, TopicView
from barnabas.client.core.producer.transaction_states import ProducerTransactionInput
from barnabas.errors import (
    AbortableError,
    BrokerError,
    ConnectionFailed,
    ErrorCode,
    FatalError,
    LocalProtocolError,
    RequestTimeout,
)
from barnabas.protocol.produce import (
    LeaderIdAndEpoch,
    NodeEndpoint,
    ProduceResponse,
)
from barnabas.records.batches.batch import read_header
from barnabas.types import TopicPartition
from tests.sending_harness import (
    TOPIC,
    WHERE,
    Harness,
    InTransaction,
    error_of,
    reply,
    sequences,
    values,
)

pytestmark = pytest.mark.kernels


def test_a_stored_record_tells_its_place() -> None:
    it = Harness()
    first, second = it.send(b"a"), it.send(b"b")
    assert not first.done()
    it.answer(it.go(), offset=40)
    assert (first.result(0).offset, second.result(0).offset) == (40, 41)
    assert second.result(0).timestamp == 1000
    assert it.records.used == 0


def test_a_partition_is_looked_at_only_while_it_has_a_batch() -> None:
    it = Harness()
    it.introduce()
    it.send(b"a", partition=0)
    sent = it.go()
    it.plan()
    assert list(it.records.busy) == [WHERE]
    it.answer(sent)
    it.plan()
    assert not it.records.busy
    assert list(it.records.queues) == [WHERE]


def test_batches_of_different_leaders_go_to_both_at_once() -> None:
    it = Harness()
    it.send(b"a", partition=0)
    it.send(b"b", partition=1)
    assert sorted(outgoing.node_id for outgoing in it.plan().outgoing) == [1, 2]


def test_sequences_go_on_from_batch_to_batch() -> None:
    it = Harness()
    it.introduce()
    it.send(b"a"), it.send(b"b")
    first = it.go()
    it.send(b"c")
    second = it.go()
    assert (sequences(first), sequences(second)) == ((7, 0, 1), (7, 0, 3))


@pytest.mark.parametrize("happened", ["begins", "is idle", "reconnects", "is led by another"])
def test_a_producer_that_the_broker_may_not_know_sends_one_batch_at_a_time(happened: str) -> None:
    """It would take a second one after it has rejected the first."""
    it = Harness()
    if happened != "begins":
        it.introduce()
    if happened == "is idle":
        it.later(61)
    if happened == "reconnects":
        it.sender.reconnected(1)
    if happened == "is led by another":
        it.view.adopt_leader(WHERE, 2, 6)
    it.send(b"a")
    first = it.go()
    it.send(b"b")
    assert it.plan().outgoing == []
    it.answer(first)
    assert values(it.go()) == [b"b"]
    it.send(b"c")
    assert values(it.go()) == [b"c"]


def test_a_retry_keeps_its_sequence_and_its_place() -> None:
    it = Harness()
    it.introduce()
    deliveries = [it.send(b"a")]
    first = it.go()
    deliveries.append(it.send(b"b"))
    second = it.go()
    it.sender.failed(first, ConnectionFailed("gone"), it.now)
    assert it.plan().outgoing == [], "the second is still in flight"
    it.answer(second, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER)
    it.later()
    again = it.go()
    assert (values(again), sequences(again)) == ([b"a"], (7, 0, 1))
    assert it.plan().outgoing == [], "a retry goes out alone"
    it.answer(again, offset=10)
    it.later()
    following = it.go()
    assert (values(following), sequences(following)) == ([b"b"], (7, 0, 2))
    it.answer(following, offset=11)
    assert [delivery.result(0).offset for delivery in deliveries] == [10, 11]


def test_a_retry_waits_for_its_back_off() -> None:
    it = Harness()
    it.send(b"a")
    it.answer(it.go(), ErrorCode.NOT_LEADER_OR_FOLLOWER)
    plan = it.plan()
    assert plan.outgoing == []
    assert plan.wake_at == pytest.approx(it.now + 0.1)


def test_a_duplicate_is_stored_at_an_unknown_offset() -> None:
    it = Harness()
    delivery = it.send(b"a")
    it.answer(it.go(), ErrorCode.DUPLICATE_SEQUENCE_NUMBER)
    assert delivery.result(0).offset == -1


def test_a_broker_that_lost_track_gets_everything_under_a_higher_epoch() -> None:
    it = Harness()
    it.send(b"a")
    it.answer(it.go())
    it.send(b"b")
    it.answer(it.go(), ErrorCode.UNKNOWN_PRODUCER_ID)
    it.later()
    again = it.go()
    assert (values(again), sequences(again)) == ([b"b"], (7, 1, 0))
    it.send(b"c")
    it.answer(again)
    assert sequences(it.go()) == (7, 1, 1)


def test_new_ids_begin_when_all_of_the_old_one_has_its_outcome() -> None:
    it = Harness()
    it.introduce()
    it.send(b"a")
    first = it.go()
    it.sender.producer_id = 8
    it.send(b"b")
    assert sequences(it.go()) == (7, 0, 2)
    it.answer(first)


def test_an_epoch_after_the_last_needs_another_id() -> None:
    it = Harness()
    it.sender.producer_epoch = 32767
    it.introduce()
    it.send(b"a")
    it.answer(it.go(), ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER)
    it.later()
    assert it.plan().outgoing == []
    assert it.sender.needs_producer_id
    it.sender.producer_id, it.sender.producer_epoch = 8, 0
    assert sequences(it.go()) == (8, 0, 0)


def test_after_a_batch_that_failed_the_next_begins_a_new_epoch() -> None:
    it = Harness()
    lost = it.send(b"a")
    it.answer(it.go(), ErrorCode.INVALID_RECORD)
    assert error_of(lost).code is ErrorCode.INVALID_RECORD
    it.send(b"b")
    assert sequences(it.go()) == (7, 1, 0)


def test_a_batch_too_large_is_split_and_every_record_finds_its_offset() -> None:
    it = Harness(batch_size=2000)
    deliveries = [it.send(b"%d" % number) for number in range(5)]
    it.answer(it.go(), ErrorCode.MESSAGE_TOO_LARGE)
    first = it.go()
    assert (values(first), sequences(first)) == ([b"0", b"1"], (7, 0, 0))
    it.answer(first, offset=100)
    second = it.go()
    assert (values(second), sequences(second)) == ([b"2", b"3", b"4"], (7, 0, 2))
    it.answer(second, offset=102)
    assert [delivery.result(0).offset for delivery in deliveries] == [100, 101, 102, 103, 104]
    assert it.records.used == 0
    assert not it.records.unsettled


def test_a_single_record_too_large_fails() -> None:
    it = Harness()
    delivery = it.send(b"a")
    it.answer(it.go(), ErrorCode.MESSAGE_TOO_LARGE)
    assert error_of(delivery).code is ErrorCode.MESSAGE_TOO_LARGE


def test_time_is_up_for_what_could_not_be_delivered() -> None:
    it = Harness(delivery_timeout_s=10.0)
    delivery = it.send(b"a")
    it.answer(it.go(), ErrorCode.NOT_ENOUGH_REPLICAS)
    it.later(11)
    assert it.plan().outgoing == []
    error = error_of(delivery)
    assert isinstance(error, RequestTimeout)
    assert "NOT_ENOUGH_REPLICAS" in str(error)


def test_retries_end() -> None:
    it = Harness(retries=1)
    delivery = it.send(b"a")
    it.answer(it.go(), ErrorCode.NOT_ENOUGH_REPLICAS)
    it.later()
    it.answer(it.go(), ErrorCode.NOT_ENOUGH_REPLICAS)
    assert error_of(delivery).code is ErrorCode.NOT_ENOUGH_REPLICAS


def test_no_more_requests_than_allowed_are_in_flight() -> None:
    it = Harness(in_flight=2)
    it.introduce()
    sent = []
    for number in range(2):
        it.send(b"%d" % number)
        sent.append(it.go())
    it.send(b"2")
    assert it.plan().outgoing == []
    it.answer(sent[0])
    assert values(it.go()) == [b"2"]


def test_without_a_leader_nothing_goes_and_leaders_are_wanted() -> None:
    it = Harness()
    it.view.brokers.clear()
    it.send(b"a")
    plan = it.plan()
    assert plan.outgoing == []
    assert plan.leaders_wanted


def test_a_leader_named_with_the_error_needs_no_metadata() -> None:
    it = Harness()
    it.send(b"a")
    outgoing = it.go()
    response = reply(outgoing, ErrorCode.NOT_LEADER_OR_FOLLOWER)
    row = response.responses[0].partition_responses[0]
    row.current_leader = LeaderIdAndEpoch(leader_id=9, leader_epoch=6)
    response.node_endpoints = [NodeEndpoint(node_id=9, host="n", port=9)]
    assert not it.sender.answered(outgoing, response, it.now)
    it.later()
    assert it.go().node_id == 9


def test_without_a_hint_the_metadata_is_stale() -> None:
    it = Harness()
    it.send(b"a")
    assert it.answer(it.go(), ErrorCode.NOT_LEADER_OR_FOLLOWER)


def test_an_answer_without_the_partition_is_a_failure() -> None:
    it = Harness()
    delivery = it.send(b"a")
    it.sender.answered(it.go(), ProduceResponse(responses=[]), it.now)
    assert error_of(delivery).code is ErrorCode.UNKNOWN_SERVER_ERROR


def test_without_idempotence_there_are_no_sequences() -> None:
    it = Harness(idempotent=False)
    it.sender.producer_id = -1
    it.send(b"a")
    assert sequences(it.go()) == (-1, -1, -1)


def test_without_acknowledgements_batches_are_done_as_they_go() -> None:
    it = Harness(idempotent=False, acks=0, in_flight=2)
    it.sender.producer_id = -1
    for number in range(5):
        delivery = it.send(b"%d" % number)
        it.sender.sent_unanswered(it.go())
        assert delivery.result(0).offset == -1
    it.sender.outcomes.abandon(ConnectionFailed("over"))


def test_nothing_goes_before_the_producer_has_its_id() -> None:
    it = Harness()
    it.sender.producer_id = -1
    it.send(b"a")
    assert it.plan().outgoing == []
    assert it.sender.needs_producer_id


def test_memory_is_bounded_and_what_is_open_goes_when_it_is_full() -> None:
    it = Harness(buffer_memory=400, linger_s=60.0)
    it.send(b"a", partition=0)
    it.send(b"b", partition=1)
    third = it.records.append(TOPIC, 0, (1000, None, b"c" * 120, ()), it.now)
    assert third is None
    assert len(it.plan().outgoing) == 2


def test_failures_that_nobody_asked_about_are_raised_once_and_counted() -> None:
    it = Harness()
    seen = it.send(b"a")
    it.answer(it.go(), ErrorCode.INVALID_RECORD)
    error_of(seen)
    it.sender.outcomes.given_up.raise_first()
    it.send(b"b")
    it.answer(it.go(), ErrorCode.INVALID_TIMESTAMP)
    with pytest.raises(BrokerError, match="1 record in 1 batch was not") as caught:
        it.sender.outcomes.given_up.raise_first()
    assert caught.value.code is ErrorCode.INVALID_TIMESTAMP
    it.sender.outcomes.given_up.raise_first()


def test_after_a_split_batches_are_made_smaller() -> None:
    harness = Harness(batch_size=1000)
    for number in range(4):
        harness.send(bytes([number]) * 200)
    harness.answer(harness.go(), ErrorCode.MESSAGE_TOO_LARGE)
    for number in range(4):
        harness.send(bytes([number]) * 200)
    for _ in range(2):
        harness.answer(harness.go())
    sizes = []
    while harness.records.unsettled:
        outgoing = harness.go()
        sizes += [batch.count for batch in outgoing.batches]
        harness.answer(outgoing)
    assert sizes == [2, 2]


def test_open_batches_of_many_partitions_leave_memory_for_others() -> None:
    wide = TopicView("t", partitions=tuple(PartitionView("t", each, 1) for each in range(100)))
    harness = Harness(batch_size=1_000_000, linger_s=9.0)
    for partition in range(100):
        harness.records.append(wide, partition, (1000, None, b"v", ()), harness.now)
    assert harness.records.used <= harness.options.buffer_memory // 4


def test_what_is_abandoned_fails_whether_it_waits_or_is_on_its_way() -> None:
    harness = Harness(in_flight=1)
    on_its_way = harness.send(b"1")
    harness.go()
    waiting = harness.send(b"2")
    harness.sender.outcomes.abandon(ConnectionFailed("over"))
    for delivery in (on_its_way, waiting):
        with pytest.raises(ConnectionFailed, match="over"):
            delivery.result(0)
    assert harness.records.used == 0
    assert not harness.records.unsettled
    with pytest.raises(ConnectionFailed, match="over"):
        harness.send(b"3")


def test_batches_say_that_they_are_of_a_transaction() -> None:
    it = InTransaction()
    it.send(b"a")
    outgoing = it.go()
    request = it.sender.request(outgoing, 12, 0.0)
    assert request.transactional_id == "x"
    payload = outgoing.batches[0].payload
    assert payload is not None
    assert read_header(payload).transactional
    assert sequences(outgoing) == (7, 0, 0)


def test_so_do_the_halves_of_one_that_was_too_large() -> None:
    it = InTransaction(batch_size=2000)
    it.send(b"a"), it.send(b"b")
    it.answer(it.go(), ErrorCode.MESSAGE_TOO_LARGE)
    half = it.go()
    payload = half.batches[0].payload
    assert payload is not None
    assert read_header(payload).transactional
    assert (values(half), sequences(half)) == ([b"a"], (7, 0, 0))


def test_by_version_1_a_partition_waits_until_it_takes_part() -> None:
    it = InTransaction(1)
    it.send(b"a"), it.send(b"b", partition=1)
    assert it.plan().outgoing == []
    assert it.transactions.wanted == {WHERE, TopicPartition("t", 1)}
    it.transactions.added([WHERE])
    assert values(it.go()) == [b"a"]


def test_what_is_lost_takes_all_with_it_that_was_not_sent() -> None:
    it = InTransaction(in_flight=1)
    lost = it.send(b"a")
    outgoing = it.go()
    unsent = it.send(b"b")
    it.answer(outgoing, ErrorCode.INVALID_RECORD)
    open_ = it.records.append(TOPIC, 1, (1000, None, b"c", ()), it.now)
    assert open_ is not None
    assert it.plan().outgoing == []
    assert error_of(lost).code is ErrorCode.INVALID_RECORD
    for delivery in (unsent, open_):
        assert isinstance(error_of(delivery), AbortableError)
    with pytest.raises(AbortableError, match="call abort_transaction: INVALID_RECORD"):
        it.send(b"d")
    assert it.transactions.gap
    assert it.records.used == 0


def test_what_was_sent_is_tried_again_even_then() -> None:
    """With sequences without a gap the next transaction can continue, where there are no new epochs."""
    it = InTransaction(1)
    it.transactions.added([WHERE])
    sent = it.send(b"a")
    it.sender.failed(it.go(), ConnectionFailed("gone"), it.now)
    it.happens(ProducerTransactionInput.ABORT)
    it.later()
    again = it.go()
    assert values(again) == [b"a"]
    it.answer(again)
    assert sent.result(0).offset == 0
    assert not it.transactions.gap


@pytest.mark.parametrize(
    "code", [ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, ErrorCode.UNKNOWN_PRODUCER_ID]
)
def test_a_broker_that_lost_track_ends_the_transaction_and_not_the_epoch(code: ErrorCode) -> None:
    it = InTransaction()
    lost = it.send(b"a")
    it.answer(it.go(), code)
    assert error_of(lost).code is code
    assert (it.transactions.doomed, it.transactions.gap) == (True, True)
    assert it.records.queues[WHERE].sent.epoch == 0


def test_a_batch_whose_time_is_up_is_a_gap_only_if_it_was_sent() -> None:
    for sent in (False, True):
        it = InTransaction(1, delivery_timeout_s=10.0)
        delivery = it.send(b"a")
        if sent:
            it.transactions.added([WHERE])
            it.sender.failed(it.go(), ConnectionFailed("gone"), it.now)
        it.later(11)
        assert it.plan().outgoing == []
        assert isinstance(error_of(delivery), RequestTimeout)
        assert (it.transactions.doomed, it.transactions.gap) == (True, sent)


def test_who_is_fenced_loses_all_and_takes_no_more() -> None:
    it = InTransaction(in_flight=1)
    sent = it.send(b"a")
    outgoing = it.go()
    unsent = it.send(b"b")
    it.answer(outgoing, ErrorCode.INVALID_PRODUCER_EPOCH)
    assert it.plan().outgoing == []
    for error in (error_of(sent), error_of(unsent)):
        assert isinstance(error, FatalError)
        assert error.code is ErrorCode.INVALID_PRODUCER_EPOCH
        assert "it is fenced: another producer has started" in str(error)
    with pytest.raises(FatalError, match="it is fenced"):
        it.send(b"c")
    it.records.resume()
    with pytest.raises(FatalError):
        it.send(b"d")


def test_sequences_go_on_from_one_transaction_to_the_next_and_begin_anew_with_an_epoch() -> None:
    it = InTransaction()
    found = []
    for epoch in (0, 0, 1):
        it.sender.producer_epoch = epoch
        it.send(b"a"), it.send(b"b")
        outgoing = it.go()
        found.append(sequences(outgoing))
        it.answer(outgoing)
    assert found == [(7, 0, 0), (7, 0, 2), (7, 1, 0)]


def test_records_are_taken_only_between_the_beginning_and_the_end() -> None:
    it = InTransaction()
    it.send(b"a")
    it.records.hold(LocalProtocolError("not now"))
    with pytest.raises(LocalProtocolError, match="not now"):
        it.send(b"b")
    outgoing = it.go()
    assert values(outgoing) == [b"a"]
    it.records.resume()
    it.send(b"c")
    assert values(it.go()) == [b"c"]


def test_a_flush_says_that_its_producer_is_fenced() -> None:
    it = InTransaction()
    it.send(b"a")
    it.answer(it.go(), ErrorCode.INVALID_PRODUCER_EPOCH)
    with pytest.raises(FatalError, match=r"^1 record in 1 batch was .*: it is fenced") as raised:
        it.sender.outcomes.given_up.raise_first()
    assert raised.value.code is ErrorCode.INVALID_PRODUCER_EPOCH


def test_what_fails_after_the_producer_did_keeps_its_own_reason() -> None:
    it = InTransaction()
    refused = it.send(b"a")
    outgoing = it.go()
    it.transactions.die(BrokerError(ErrorCode.PRODUCER_FENCED))
    it.answer(outgoing, ErrorCode.INVALID_RECORD)
    assert error_of(refused).code is ErrorCode.INVALID_RECORD
