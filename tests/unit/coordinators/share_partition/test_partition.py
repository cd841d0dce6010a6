"""A share partition step by step; what holds of all of them is in tests/property."""

import pytest

from barnabas.coordinators.share_partition.acquiring import AcquireLimits, AcquireMaximum, LogBatch
from barnabas.coordinators.share_partition.partition import (
    Acknowledge,
    Acknowledged,
    SharePartition,
)
from barnabas.coordinators.share_partition.spans import Span
from barnabas.errors import ErrorCode

LIMITS = AcquireLimits(records=10, deliveries=6, lock_ms=100)
ENOUGH = AcquireMaximum(100, strict=False, lot=1)
FIRST, SECOND, THIRD = LogBatch(0, 2), LogBatch(3, 5), LogBatch(6, 8)


def acquired(state: SharePartition, who: str, *batches: LogBatch) -> list[tuple[int, int]]:
    spans: list[Span] = state.acquire(who, batches, ENOUGH, LIMITS, 0)
    return [(one.first, one.last) for one in spans]


def test_what_was_compacted_away_holds_nobody_up() -> None:
    state = SharePartition(0, 0)
    assert acquired(state, "a", FIRST, SECOND) == [(0, 2), (3, 5)]
    state.release("a", LIMITS)
    assert acquired(state, "a", SECOND) == [(3, 5)]
    assert (state.start, state.next_offset()) == (3, 6)
    assert acquired(state, "b", THIRD) == [(6, 8)]


def test_what_was_compacted_away_between_two_holds_nobody_up() -> None:
    state = SharePartition(0, 0)
    acquired(state, "a", FIRST, SECOND, THIRD)
    state.release("a", LIMITS)
    assert acquired(state, "b", FIRST, THIRD) == [(0, 2), (6, 8)]
    state.release("b", LIMITS)
    assert acquired(state, "c", FIRST, THIRD) == [(0, 2), (6, 8)]
    assert state.next_offset() == 9


@pytest.mark.parametrize(
    ("offsets", "code"),
    [
        (((0, 3), (2, 5)), ErrorCode.INVALID_RECORD_STATE),
        (((0, 2), (1, 1)), ErrorCode.INVALID_RECORD_STATE),
        (((3, 5), (0, 2)), ErrorCode.INVALID_REQUEST),
        (((0, 6),), ErrorCode.INVALID_REQUEST),
        (((-2, -1),), ErrorCode.INVALID_REQUEST),
    ],
)
def test_what_is_acknowledged_is_there_and_in_order(
    offsets: tuple[tuple[int, int], ...], code: ErrorCode
) -> None:
    state = SharePartition(0, 0)
    acquired(state, "a", FIRST, SECOND)
    given = [Acknowledged(first, last, [Acknowledge.ACCEPT]) for first, last in offsets]
    assert state.acknowledge("a", given, LIMITS, 0) is code
    assert [(one.first, one.last, one.member) for one in state.spans] == [
        (0, 2, "a"),
        (3, 5, "a"),
    ]
    given = [Acknowledged(first, last, [Acknowledge.ACCEPT]) for first, last, _ in (FIRST, SECOND)]
    assert state.acknowledge("a", given, LIMITS, 0) is ErrorCode.NONE
    assert state.start == 6


def test_what_there_is_no_memory_for_is_not_acknowledged() -> None:
    state = SharePartition(0, 0)
    acquired(state, "a", FIRST, SECOND, THIRD)
    before = list(state.spans)
    asked: list[int] = []

    def fits(more: int) -> bool:
        asked.append(more)
        return more <= 0

    every_other = [Acknowledged(each, each, [Acknowledge.RELEASE]) for each in (1, 3, 5, 7)]
    code = state.acknowledge("a", every_other, LIMITS, 0, fits)
    assert (code, list(state.spans)) == (ErrorCode.COORDINATOR_NOT_AVAILABLE, before)
    every = [Acknowledged(each, each, [Acknowledge.ACCEPT]) for each in range(9)]
    assert state.acknowledge("a", every, LIMITS, 0, fits) is ErrorCode.NONE
    assert state.start == 9
    assert asked == [6, 0]


def test_what_was_aborted_is_done_with_and_counts_for_nobody() -> None:
    state = SharePartition(0, 0)
    gone = LogBatch(0, 2, aborted=True), LogBatch(6, 8, aborted=True)
    assert acquired(state, "a", gone[0], SECOND, gone[1]) == [(3, 5)]
    assert (state.start, state.next_offset(), state.done()) == (3, 9, 3)
    state.release("a", LIMITS)
    assert acquired(state, "b", SECOND, gone[1]) == [(3, 5)]
    assert state.acquire("b", [LogBatch(9, 11, aborted=True)], ENOUGH, LIMITS, 0) == []


def test_a_transaction_is_aborted_whether_it_was_shared_before_or_not() -> None:
    state = SharePartition(0, 0)
    acquired(state, "a", FIRST)
    state.release("a", LIMITS)
    assert state.acquire("b", [FIRST._replace(aborted=True)], ENOUGH, LIMITS, 0) == []
    assert (state.start, state.next_offset()) == (3, 3)
