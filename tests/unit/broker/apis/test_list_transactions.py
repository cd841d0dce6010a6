import sys
from itertools import count
from types import SimpleNamespace
from typing import cast

import pytest

from barnabas.broker.apis.list_transactions import handle
from barnabas.broker.broker import Broker
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.purgatory import Purgatory
from barnabas.broker.purgatory.stepping import Stepping, Steps
from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.coordinators.transaction.transaction import ProducerIdAndEpoch, Transaction
from barnabas.coordinators.transaction.transaction_states import TransactionState
from barnabas.errors import ErrorCode
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.list_transactions import ListTransactionsRequest, ListTransactionsResponse
from barnabas.protocol.long_replies import LongReply
from barnabas.runtime.clock import SystemClock
from tests.unit.broker.in_memory import asked
from tests.unit.broker.some_memory import some_memory
from tests.unit.runtime.manual_timers import ManualTimers

NONE, NO_PATTERN = ErrorCode.NONE, ErrorCode.INVALID_REGULAR_EXPRESSION


def asks(
    pattern: str | None, *names: str
) -> tuple[ManualTimers, ListTransactionsResponse | Pending]:
    known = [
        Transaction(
            transactional_id=name,
            producer=ProducerIdAndEpoch(1, 0),
            timeout_ms=1000,
            state=TransactionState.EMPTY,
            updated_ms=0,
        )
        for name in names or ("cats", "dogs")
    ]
    timers = ManualTimers()
    broker = SimpleNamespace(
        clock=SimpleNamespace(time_ms=lambda: 0),
        stepping=Stepping(
            ReplicaManager(SystemClock(), Purgatory(timers, lambda: 0.0, some_memory())).write,
            timers,
            count().__next__,
        ),
        transactions=SimpleNamespace(
            all=lambda: after_a_step(known), find={one.transactional_id: one for one in known}.get
        ),
    )
    request = ListTransactionsRequest(
        state_filters=[],
        producer_id_filters=[],
        duration_filter=-1,
        transactional_id_pattern=pattern,
    )
    return timers, handle(cast("Broker", broker), asked(2, ApiKey.LIST_TRANSACTIONS), request)


def after_a_step(known: list[Transaction]) -> Steps[list[Transaction]]:
    yield
    return known


def listed(pattern: str | None, *names: str) -> tuple[int, list[str]]:
    timers, answer = asks(pattern, *names)
    if isinstance(answer, Pending):
        timers.run_soon()
        outcome = answer.outcome
        assert isinstance(outcome, LongReply | ListTransactionsResponse)
        answer = outcome.message if isinstance(outcome, LongReply) else outcome
    return answer.error_code, [one.transactional_id for one in answer.transaction_states]


def test_names_are_matched_as_a_whole() -> None:
    assert listed("d.*") == (NONE, ["dogs"])
    assert listed("dog") == (NONE, [])
    assert listed("") == listed(None) == (NONE, ["cats", "dogs"])


def test_what_takes_long_is_matched_in_steps() -> None:
    names = [f"x{number}" for number in range(60)]
    assert listed("(?:.?){1000}5", *names) == (NONE, ["x15", "x25", "x35", "x45", "x5", "x55"])
    timers, later = asks("x.*", *names)
    assert isinstance(later, Pending)
    for _ in names[1:]:
        assert not later.is_done
        timers.next.pop(0)()
    timers.run_soon()
    assert later.is_done


@pytest.mark.parametrize("pattern", ["(", "(?=d).*", r"(.)\1*"])
def test_what_could_take_for_ever_is_no_pattern(pattern: str) -> None:
    assert listed(pattern) == (NO_PATTERN, [])


def test_without_re2_no_pattern_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    assert listed("never.asked.before") == (NO_PATTERN, [])
    assert listed(None) == (NONE, ["cats", "dogs"])
