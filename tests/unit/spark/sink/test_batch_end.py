"""How long the driver tries to abort, and whom it asks. What that does: in test_exactly_once."""

from contextlib import nullcontext

import pytest

from barnabas.errors import BrokerError, ConnectionFailed, ErrorCode, RequestTimeout
from barnabas.spark.sink import batch_end
from barnabas.spark.sink.batch_end import ABORT_S, abort
from barnabas.spark.sink.exactly_once import Prepared


class Coordinators:
    """In the place of an admin client: answers after 4 seconds each, or not at all."""

    def __init__(self, patch: pytest.MonkeyPatch, error: Exception | None = None) -> None:
        self.now = 0.0
        self.fenced: list[tuple[str, float]] = []
        self._error = error
        patch.setattr(batch_end, "kept_admin", lambda _kafka: nullcontext(self))
        patch.setattr(batch_end, "SystemClock", lambda: self)

    def monotonic(self) -> float:
        return self.now

    def end_transactions(self, _transactions: object, *, commit: bool, timeout_s: float) -> None:
        assert not commit
        assert timeout_s == ABORT_S
        self.now += 4

    def fence_producer(self, name: str, *, timeout_s: float) -> None:
        self.fenced.append((name, timeout_s))
        self.now += 4
        if self._error:
            raise self._error


def test_aborting_takes_no_longer_for_many_tasks_than_for_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slow = Coordinators(monkeypatch)
    abort({}, [None, Prepared("q", 1, None), None, None, None])
    assert slow.fenced == [("q-0", ABORT_S - 4), ("q-2", ABORT_S - 8)]


@pytest.mark.parametrize(
    ("error", "asked"),
    [
        (ConnectionFailed("gone"), ["q-0"]),
        (RequestTimeout("late"), ["q-0"]),
        (BrokerError(ErrorCode.INVALID_TXN_STATE, "no"), ["q-0", "q-1"]),
    ],
    ids=["gone", "late", "refused"],
)
def test_aborting_stops_at_the_first_coordinator_that_is_not_reached(
    monkeypatch: pytest.MonkeyPatch, error: Exception, asked: list[str]
) -> None:
    there = Coordinators(monkeypatch, error)
    abort({}, [None, None, None], "q")
    assert [name for name, _ in there.fenced] == asked


def test_aborting_leaves_alone_what_has_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    there = Coordinators(monkeypatch)
    abort({}, [None, None])
    assert not there.fenced
