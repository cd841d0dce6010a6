"""What of a share partition a member gets at once; Kafka 4.3 is asked in tests/interop/differential."""

import pytest

from barnabas.coordinators.share_partition.acquiring import AcquireLimits, AcquireMaximum, LogBatch
from barnabas.coordinators.share_partition.partition import (
    Acknowledge,
    Acknowledged,
    SharePartition,
)
from barnabas.coordinators.share_partition.restoring import restored
from barnabas.coordinators.share_partition.spans import DeliveryState, Span

Row = tuple[int, int, int]
ALL = AcquireMaximum(1000, strict=False, lot=1000)
TEN = LogBatch(0, 9)


def limits(deliveries: int = 5, records: int = 1000) -> AcquireLimits:
    return AcquireLimits(records, deliveries, lock_ms=100)


def acquired(
    state: SharePartition, *batches: LogBatch, most: AcquireMaximum = ALL, deliveries: int = 5
) -> list[Row]:
    unread = [one for one in batches if one.last >= state.next_offset()]
    got = state.acquire("a", unread, most, limits(deliveries), 0)
    return [(one.first, one.last, one.count) for one in got]


def say(state: SharePartition, rows: list[Row], kind: Acknowledge, deliveries: int = 5) -> None:
    given = [Acknowledged(first, last, [kind]) for first, last, _ in rows]
    assert not state.acknowledge("a", given, limits(deliveries), 0)


def reads(state: SharePartition, batch: LogBatch, spoiled: set[int], deliveries: int) -> list[Row]:
    """What is delivered to readers that die of some records; the offsets that they are done with."""
    rows: list[Row] = []
    while got := acquired(state, batch, deliveries=deliveries):
        rows += got
        dies = any(first <= one <= last for first, last, _ in got for one in spoiled)
        say(state, got, Acknowledge.RELEASE if dies else Acknowledge.ACCEPT, deliveries)
    assert state.start == batch.last + 1
    return rows


@pytest.mark.parametrize(
    ("deliveries", "rows"),
    [
        (2, [(0, 9, 1), (0, 9, 2)]),
        (3, [(0, 9, 1), (0, 9, 2), *((each, each, 3) for each in range(10))]),
        (
            5,
            [
                *((0, 9, count) for count in (1, 2, 3)),
                (0, 4, 4),
                *((each, each, 5) for each in range(5)),
                (5, 9, 4),
            ],
        ),
        (
            8,
            [
                *((0, 9, count) for count in (1, 2, 3, 4)),
                *((0, 4, 5), (0, 1, 6), (2, 3, 6)),
                *((4, 4, 6), (5, 5, 5), (4, 4, 7), (4, 4, 8)),
                *((5, 5, 6), (6, 6, 5), (7, 9, 5)),
            ],
        ),
    ],
)
def test_what_nobody_can_process_is_looked_for_in_ever_smaller_portions(
    deliveries: int, rows: list[Row]
) -> None:
    assert reads(SharePartition(0, 0), TEN, {4}, deliveries) == rows


def test_a_suspect_lot_comes_with_no_other() -> None:
    lots = AcquireMaximum(1000, strict=False, lot=5)
    state, batches = SharePartition(0, 0), (LogBatch(0, 4), LogBatch(5, 9), LogBatch(10, 14))
    for count in (1, 2, 3):
        rows = acquired(state, *batches[:2], most=lots)
        assert rows == [(0, 4, count), (5, 9, count)]
        say(state, rows, Acknowledge.RELEASE)
    got = [acquired(state, *batches, most=lots) for _ in range(6)]
    assert got == [[(0, 1, 4)], [(2, 3, 4)], [(4, 4, 4)], [(5, 6, 4)], [(7, 8, 4)], [(9, 9, 4)]]
    assert acquired(state, *batches, most=lots) == [(10, 14, 1)]


def test_what_is_new_comes_in_lots_of_whole_batches_that_have_the_size_that_is_wished() -> None:
    state = SharePartition(0, 0)
    batches = [
        TEN,
        LogBatch(10, 10),
        LogBatch(11, 12),
        LogBatch(13, 15),
        LogBatch(18, 19),
        LogBatch(20, 29),
    ]
    most = AcquireMaximum(14, strict=False, lot=3)
    # A gap belongs to what is before it.
    assert acquired(state, *batches, most=most) == [(0, 9, 1), (10, 12, 1), (13, 15, 1)]
    assert state.end == 16, "what was read and not delivered is not known"
    assert acquired(state, *batches, most=most) == [(16, 19, 1), (20, 29, 1)]


def test_strictly_one_lot_is_begun_and_its_rest_comes_later() -> None:
    state, batches = SharePartition(0, 0), (TEN, LogBatch(10, 19), LogBatch(20, 29))
    most = AcquireMaximum(15, strict=True, lot=1)
    assert acquired(state, *batches, most=most) == [(0, 14, 1)]
    assert acquired(state, *batches, most=most) == [(15, 19, 1), (20, 29, 1)]


def test_after_a_restart_what_was_kept_as_one_is_a_lot() -> None:
    state = SharePartition(0, 0)
    for count in (1, 2, 3, 4):
        rows = acquired(state, TEN)
        assert rows == [(0, 9 if count < 4 else 4, count)]
        say(state, rows, Acknowledge.RELEASE)
    again = restored(state.start, state.kept())
    assert [acquired(again, TEN) for _ in range(6)] == [
        *([(each, each, 5)] for each in range(5)),
        [(5, 6, 4)],
    ]


def test_after_a_restart_what_nobody_had_is_new() -> None:
    kept = [Span(20, 29, DeliveryState.ACKNOWLEDGED, 1)]
    state, batches = restored(0, kept), (TEN, LogBatch(10, 19), LogBatch(20, 29), LogBatch(30, 39))
    few = AcquireMaximum(1, strict=False, lot=1)
    assert acquired(state, *batches, most=few) == [(0, 9, 1)]
    assert acquired(restored(state.start, state.kept()), *batches, most=few) == [(0, 9, 1)]
    assert acquired(state, *batches) == [(10, 19, 1), (30, 39, 1)]
