"""Percentiles of request times: exact to a few hundredths, of the newest alone, also of odd times."""

import random

import pytest

from barnabas.kernels.connections.request_times import RequestTimes

pytestmark = pytest.mark.kernels

PARTS = [0.5, 0.99, 1.0]


def test_percentiles_are_exact_to_a_few_hundredths() -> None:
    drawn = random.Random(23)
    seconds = sorted(drawn.lognormvariate(-7, 2) for _ in range(10_000))
    times = RequestTimes()
    for one in seconds:
        times.add(one, 1)
    expected = [seconds[5_000], seconds[9_900], seconds[-1]]
    assert times.percentiles(PARTS) == pytest.approx(expected, rel=0.04)


def test_some_may_be_added_at_once() -> None:
    times = RequestTimes()
    times.add(0.001, 99)
    times.add(1.0, 1)
    assert times.percentiles([0.5, 0.99, 1.0]) == pytest.approx([0.001, 0.001, 1.0], rel=0.04)


def test_times_before_the_last_turn_but_one_are_forgotten() -> None:
    times = RequestTimes()
    times.add(10.0, 5)
    times.turn()
    times.add(0.001, 1)
    assert times.percentiles([0.5]) == pytest.approx([10.0], rel=0.04)
    times.turn()
    assert times.percentiles([0.5]) == pytest.approx([0.001], rel=0.04)
    times.turn()
    assert times.percentiles(PARTS) == []


@pytest.mark.parametrize("odd", [-1.0, 0.0, 1e-9, 1e300, float("inf"), float("nan")])
def test_times_that_no_clock_measures_have_the_first_or_last_bucket(odd: float) -> None:
    times = RequestTimes()
    times.add(odd, 1)
    (found,) = times.percentiles([0.5])
    assert 0 < found < 4_300
