"""ReplicationThrottle: copies for replicas out of sync are held up, and no others."""

import pytest

from barnabas.replication.throttle import ReplicationThrottle, throttled_partitions
from barnabas.types import NodeId, TopicPartition

DOGS, CATS = TopicPartition("dogs", 0), TopicPartition("cats", 0)


def throttle() -> ReplicationThrottle:
    found = ReplicationThrottle(samples=10, sample_ms=1000)
    found.throttle("dogs", frozenset({0}))
    found.rate = 1000
    return found


def test_who_is_too_fast_waits_until_the_window_has_gone_by() -> None:
    found = throttle()
    assert not found.must_wait(DOGS, 0, is_in_sync=False)
    found.record(DOGS, 3000, 0)
    assert found.must_wait(DOGS, 100, is_in_sync=False)
    assert found.must_wait(DOGS, 2999, is_in_sync=False)
    assert not found.must_wait(DOGS, 3000, is_in_sync=False)


def test_replicas_in_sync_and_other_partitions_never_wait() -> None:
    found = throttle()
    found.record(DOGS, 99_999, 0)
    assert not found.must_wait(DOGS, 1, is_in_sync=True)
    assert not found.must_wait(CATS, 1, is_in_sync=False)
    assert not found.must_wait(TopicPartition("dogs", 1), 1, is_in_sync=False)


def test_only_throttled_partitions_count() -> None:
    found = throttle()
    found.record(CATS, 99_999, 0)
    assert found.bytes_per_second(0) == 0
    found.throttle("cats", None)
    found.record(TopicPartition("cats", 7), 500, 0)
    assert found.bytes_per_second(0) == 500


def test_samples_are_few_and_old_ones_go() -> None:
    found = throttle()
    for now_ms in range(0, 60_000, 100):
        found.record(DOGS, 100, now_ms)
    assert len(found._bytes) <= 11
    assert found.bytes_per_second(60_000) == pytest.approx(1000, rel=0.15)
    assert found.bytes_per_second(90_000) == 0


def test_the_property_of_a_topic() -> None:
    one = NodeId(1)
    assert throttled_partitions("0:1,1:2, 2:1", one) == frozenset({0, 2})
    assert throttled_partitions("", one) == frozenset()
    assert throttled_partitions("*", one) is None
    for wrong in ("0", "0:x", "a:1", "0:1,:"):
        with pytest.raises(ValueError, match="partition:broker"):
            throttled_partitions(wrong, one)
