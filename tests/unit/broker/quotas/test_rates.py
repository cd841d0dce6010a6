import pytest

from barnabas.broker.quotas.rates import Bucket, Rate, seconds_over


def test_a_rate_is_measured_over_all_samples_but_the_one_begun() -> None:
    rate = Rate(11, 1.0)
    rate.record(500, 100.0)
    assert rate.window(100.0) == 10.0
    assert rate.measure(100.0) == 50.0
    rate.record(500, 105.5)
    assert rate.window(105.5) == 5.5 + 5
    assert rate.measure(105.5) == pytest.approx(1000 / 10.5)


def test_what_is_older_than_the_window_counts_no_more() -> None:
    rate = Rate(11, 1.0)
    rate.record(500, 0.0)
    rate.record(100, 9.0)
    assert rate.measure(10.9) == pytest.approx(600 / 10.9)
    assert rate.measure(11.0) == 100 / 10
    assert not rate.is_idle(19.9)
    assert rate.is_idle(20.0)


def test_what_was_counted_can_be_taken_back() -> None:
    rate = Rate(2, 1.0)
    rate.record(10, 0.0)
    rate.record(90, 0.1)
    rate.record(-90, 0.1)
    assert rate.measure(0.1) == pytest.approx(10 / 1.1)


def test_a_client_waits_until_its_rate_is_at_the_bound() -> None:
    # Kafka's example: half as much again over ten seconds is five seconds of silence.
    assert seconds_over(150, 100, 10) == 5
    assert seconds_over(100, 100, 10) == 0


def test_tokens_may_be_owed_and_come_back_steadily() -> None:
    bucket = Bucket(rate=2.0, seconds=11, now=0.0)
    bucket.take(22, 0.0)
    assert bucket.seconds_owed(0.0) == 0
    bucket.take(10, 0.0)
    assert bucket.seconds_owed(0.0) == 5
    assert bucket.seconds_owed(3.0) == 2
    bucket.take(22, 1000.0)
    assert bucket.seconds_owed(1000.0) == 0
