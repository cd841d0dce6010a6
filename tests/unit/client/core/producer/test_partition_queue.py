"""A sender whose batches got no answer: what goes out again, under which number, and what is reported."""

import pytest

from barnabas.client.core.producer.delivery import Sent
from barnabas.errors import ConnectionFailed, ErrorCode, RequestTimeout
from tests.sending_harness import WHERE, Harness, InTransaction, error_of, sequences, values


def without_answers(it: Harness, count: int = 5) -> list[Sent]:
    """So many batches on their way when the connection is lost."""
    it.introduce()
    deliveries, outgoings = [], []
    for number in range(1, count + 1):
        deliveries.append(it.send(b"%d" % number))
        outgoings.append(it.go())
    for outgoing in outgoings:
        it.sender.failed(outgoing, ConnectionFailed("killed"), it.now)
    it.later()
    return deliveries


def test_five_without_an_answer_keep_their_numbers_until_all_are_refused() -> None:
    """A Kafka that has recovered knows the last one only: it has all five."""
    it = Harness()
    deliveries = without_answers(it)
    for number in range(1, 5):
        again = it.go()
        assert (values(again), sequences(again)) == ([b"%d" % number], (7, 0, number))
        it.answer(again, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER)
    it.answer(it.go(), offset=5)
    assert [each.result(0).offset for each in deliveries] == [-1, -1, -1, -1, 5]
    it.send(b"6")
    assert sequences(it.go()) == (7, 0, 6)


def test_five_that_the_broker_does_not_have_begin_an_epoch() -> None:
    it = Harness()
    deliveries = without_answers(it)
    for _ in range(5):
        it.answer(it.go(), ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER)
    it.later()
    for number in range(5):
        again = it.go()
        assert (values(again), sequences(again)) == ([b"%d" % (number + 1)], (7, 1, number))
        it.answer(again, offset=number + 1)
    assert [each.result(0).offset for each in deliveries] == [1, 2, 3, 4, 5]


def test_behind_one_whose_time_is_up_the_next_keeps_its_number() -> None:
    it = Harness(delivery_timeout_s=10.0)
    it.introduce()
    late = it.send(b"1")
    first = it.go()
    it.later(9)
    it.send(b"2")
    second = it.go()
    for outgoing in (first, second):
        it.sender.failed(outgoing, ConnectionFailed("killed"), it.now)
    it.later(2)
    again = it.go()
    assert (values(again), sequences(again)) == ([b"2"], (7, 0, 2))
    error = error_of(late)
    assert isinstance(error, RequestTimeout)
    assert error.may_be_stored
    assert "the records may be stored" in str(error)


def test_what_never_left_or_was_rejected_is_surely_not_stored() -> None:
    it = Harness(delivery_timeout_s=10.0)
    delivery = it.send(b"a")
    it.sender.unsent(it.go(), ConnectionFailed("no link"), it.now)
    it.later()
    it.answer(it.go(), ErrorCode.NOT_ENOUGH_REPLICAS)
    it.later(11)
    it.plan()
    assert not error_of(delivery).may_be_stored


def test_records_that_are_lost_and_in_doubt_say_so_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    it = Harness()
    it.send(b"a")
    it.answer(it.go(), ErrorCode.UNKNOWN_SERVER_ERROR)
    assert (
        "records in doubt t-0: 1 record was not acknowledged: UNKNOWN_SERVER_ERROR" in caplog.text
    )


def test_in_a_transaction_nothing_is_numbered_anew_and_nothing_in_doubt() -> None:
    it = InTransaction()
    deliveries = without_answers(it, 2)
    for number in (1, 2):
        again = it.go()
        assert (values(again), sequences(again)) == ([b"%d" % number], (7, 0, number))
        it.answer(again, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER)
        it.later()
    assert [error_of(each).may_be_stored for each in deliveries] == [False, False]
    assert (it.transactions.doomed, it.transactions.gap) == (True, True)
    assert it.records.queues[WHERE].sent.epoch == 0
