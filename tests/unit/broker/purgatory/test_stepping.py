from collections.abc import Callable
from itertools import count as counter

import pytest

from barnabas.broker.purgatory.admission import SLICE_SECONDS
from barnabas.broker.purgatory.pending import Pending, reply_of, there
from barnabas.broker.purgatory.purgatory import Purgatory
from barnabas.broker.purgatory.reply_memory import MOST_GROWING_BYTES
from barnabas.broker.purgatory.stepping import Stepping, Steps, each, grown
from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.errors import LocalProtocolError
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.describe_transactions import DescribeTransactionsResponse, TransactionState
from barnabas.protocol.headers import decode_response
from barnabas.protocol.long_replies import LongReply, ReplyWriter
from barnabas.runtime.clock import SystemClock
from tests.unit.broker.some_memory import some_memory
from tests.unit.runtime.manual_timers import ManualTimers


def count(done: list[int]) -> Steps[str]:
    for number in range(3):
        done.append(number)
        yield
    return "over"


def stepping(timers: ManualTimers, monotonic: Callable[[], float] | None = None) -> Stepping:
    """A slice is one step, by a clock that says a second more each time."""
    replicas = ReplicaManager(SystemClock(), Purgatory(timers, lambda: 0.0, some_memory()))
    return Stepping(replicas.write, timers, monotonic or counter().__next__)


def test_what_fits_into_a_slice_is_done_at_once() -> None:
    timers = ManualTimers()
    assert stepping(timers, lambda: 0.0).run(count([])) == "over"
    assert not timers.next


def test_a_slice_is_as_long_as_it_says() -> None:
    done: list[int] = []
    times = iter([0.0, SLICE_SECONDS / 2, SLICE_SECONDS, 1.0, 1.0, 1.0])
    timers = ManualTimers()
    pending = stepping(timers, lambda: next(times)).run(count(done))
    assert done == [0, 1]
    assert isinstance(pending, Pending)
    timers.run_turn()
    assert pending.outcome == "over"
    assert done == [0, 1, 2]


@pytest.mark.parametrize(("ends_when_disconnected", "made"), [(False, [0, 1, 2]), (True, [0, 1])])
def test_steps_whose_reply_nobody_waits_for(
    *, ends_when_disconnected: bool, made: list[int]
) -> None:
    timers, done = ManualTimers(), list[int]()
    pending = stepping(timers).run(count(done), ends_when_disconnected=ends_when_disconnected)
    assert isinstance(pending, Pending)
    timers.next.pop(0)()
    pending.give_up()
    timers.run_soon()
    assert done == made


def test_a_step_that_fails_ends_in_an_error_for_its_waiter(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail() -> Steps[None]:
        yield
        raise ValueError("a step")

    timers = ManualTimers()
    pending = stepping(timers).run(fail())
    assert isinstance(pending, Pending)
    timers.run_soon()
    with pytest.raises(ValueError, match="a step"):
        reply_of(pending.outcome)
    assert "waiting reply failed" in caplog.text


def test_a_turn_makes_one_step_of_one_piece_of_work_and_then_of_the_other() -> None:
    timers, first, second = ManualTimers(), list[int](), list[int]()
    both = stepping(timers)
    both.run(count(first))
    both.run(count(second))
    for turn in range(1, 5):
        (step,) = timers.next
        timers.next.clear()
        step()
        assert (len(first), len(second)) == (1 + (turn + 1) // 2, turn // 2)


def test_so_much_work_begins_in_a_turn_as_fits_into_a_slice_of_it() -> None:
    """Each takes half a slice: hundreds of connections may ask at the same time."""
    timers, done = ManualTimers(), list[int]()

    def blocking(number: int) -> Steps[int]:
        yield from ()
        done.append(number)
        return number

    work = stepping(timers, lambda: len(done) * SLICE_SECONDS / 2)
    replies = [work.run(blocking(number)) for number in range(7)]
    assert replies[:2] == done == [0, 1]
    for turn in range(1, 6):
        timers.run_turn()
        assert done == list(range(2 + turn))
    timers.run_soon()
    assert work.run(blocking(7)) == 7


def test_a_reply_may_be_one_that_is_not_there_yet() -> None:
    def wait_for(other: Pending) -> Steps[Pending]:
        yield
        return other

    for at_once in (True, False):
        timers, other = ManualTimers(), Pending()
        outer = stepping(timers, (lambda: 0.0) if at_once else None).run(wait_for(other))
        timers.run_soon()
        assert isinstance(outer, Pending)
        assert not outer.is_done
        other.complete("over")
        assert outer.outcome == "over"


def test_what_is_there_already_is_not_waited_for() -> None:
    def use(*found: Pending) -> Steps[list[object]]:
        given: list[object] = []
        for one in found:
            outcome = yield one
            given.append(outcome)
        return given

    timers = ManualTimers()
    assert stepping(timers, lambda: 0.0).run(use(there(1), there(2))) == [1, 2]
    late = Pending()
    outcome = stepping(timers, lambda: 0.0).run(use(there(1), late, there(3)))
    late.complete(2)
    timers.run_soon()
    assert isinstance(outcome, Pending)
    assert outcome.outcome == [1, 2, 3]


def test_what_is_waited_for_and_fails_is_raised_in_the_step() -> None:
    def use(found: Pending) -> Steps[str]:
        try:
            yield found
        except ValueError as error:
            return str(error)
        return "nothing"

    for at_once in (True, False):
        timers, found = ManualTimers(), Pending()
        if at_once:
            found.fail(ValueError("it failed"))
        outcome = stepping(timers, lambda: 0.0).run(use(found))
        found.fail(ValueError("it failed"))
        timers.run_soon()
        assert (outcome.outcome if isinstance(outcome, Pending) else outcome) == "it failed"


def test_work_that_comes_up_in_a_step_waits_for_its_turn() -> None:
    timers, done = ManualTimers(), list[int]()
    all_work = stepping(timers)

    def begin_more() -> Steps[object]:
        yield
        return all_work.run(count(done))

    outer = all_work.run(begin_more())
    assert isinstance(outer, Pending)
    timers.next.pop(0)()
    assert done == [0]
    assert not outer.is_done
    timers.run_soon()
    assert outer.outcome == "over"


def test_each_makes_a_step_of_each_and_one_of_nothing() -> None:
    def all_of(steps: Steps[list[int]]) -> tuple[int, list[int]]:
        for number in counter():
            try:
                next(steps)
            except StopIteration as end:
                return number, end.value
        raise AssertionError("it ends")

    assert all_of(each([1, 2], lambda one: 2 * one)) == (3, [2, 4])
    assert all_of(each([], lambda one: 2 * one)) == (1, [])


WRITER = ReplyWriter(ApiKey.DESCRIBE_TRANSACTIONS, 0)


def described(name: str) -> TransactionState:
    return TransactionState(
        error_code=0, transactional_id=name, transaction_state="", transaction_timeout_ms=0,
        transaction_start_time_ms=0, producer_id=0, producer_epoch=0, topics=[],
    )  # fmt: skip


def describe(names: list[str], few: int = 16) -> Steps[DescribeTransactionsResponse]:
    states = yield from grown(names, described, few)
    return DescribeTransactionsResponse(transaction_states=states)


def test_an_array_of_few_stays_a_list() -> None:
    reply = stepping(ManualTimers(), lambda: 0.0).run(describe(["a"] * 16), writer=WRITER)
    assert isinstance(reply, DescribeTransactionsResponse)
    assert reply.transaction_states == [described("a")] * 16


def test_an_array_of_many_is_written_while_it_grows() -> None:
    names = [str(number) for number in range(100)]
    timers = ManualTimers()
    pending: object = stepping(timers).run(describe(names), writer=WRITER)
    assert isinstance(pending, Pending)
    timers.run_soon()
    reply = pending.outcome
    assert isinstance(reply, LongReply)
    _, printed = decode_response(ApiKey.DESCRIBE_TRANSACTIONS, 0, reply.framed(7).joined()[4:])
    assert printed == DescribeTransactionsResponse(transaction_states=[*map(described, names)])


def test_a_reply_that_becomes_too_long_ends_its_work() -> None:
    names = ["n" * 30_000] * 2000
    with pytest.raises(LocalProtocolError, match=r"DESCRIBE_TRANSACTIONS 0: .* 32505856 bytes"):
        stepping(ManualTimers(), lambda: 0.0).run(describe(names), writer=WRITER)


def test_long_replies_wait_for_room_and_come_one_by_one() -> None:
    timers = ManualTimers()
    all_work = stepping(timers)
    names = ["n" * 30_000] * (MOST_GROWING_BYTES // 30_000)
    pending = [
        all_work.run(describe(names), writer=WRITER, ends_when_disconnected=True) for _ in range(3)
    ]
    order: list[object] = []
    for one in pending:
        assert isinstance(one, Pending)
        one.on_done(order.append)
    timers.run_soon()
    assert [type(reply) for reply in order] == [LongReply] * 3


def test_a_long_reply_that_nobody_waits_for_makes_room() -> None:
    timers = ManualTimers()
    all_work = stepping(timers)
    names = ["n" * 30_000] * 1000
    first = all_work.run(describe(names), writer=WRITER, ends_when_disconnected=True)
    second = all_work.run(describe(names), writer=WRITER, ends_when_disconnected=True)
    for _ in range(1900):
        timers.run_turn()
    assert isinstance(first, Pending)
    assert isinstance(second, Pending)
    assert not second.is_done
    first.give_up()
    timers.run_soon()
    assert isinstance(second.outcome, LongReply)
