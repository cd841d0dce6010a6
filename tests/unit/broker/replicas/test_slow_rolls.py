"""Segments of partitions with many producers: each begins with a snapshot of them all."""

from pathlib import Path

import pytest

from barnabas.broker.purgatory.stepping import at_once
from barnabas.broker.replicas.partition import Partition
from barnabas.broker.replicas.role import OFFLINE
from barnabas.broker.replicas.slow_rolls import MANY_PRODUCERS, may_append_slowly, rolled_slowly
from barnabas.log.recovery.opening import open_log
from barnabas.log.segments.log_config import LogConfig
from barnabas.records.codecs.compression import Codec
from barnabas.types import TopicPartition
from tests.memory_disk import MemoryDisk
from tests.record_batches import make_batch
from tests.unit.broker.replicas.test_replica_manager import a_request, codes_of, replicas_of

pytestmark = pytest.mark.kernels
SEGMENT_BYTES = 1 << 20


def partition_with(producers: int) -> Partition:
    config = LogConfig(segment_bytes=SEGMENT_BYTES, message_timestamp_before_max_ms=2**63 - 1)
    log = open_log(MemoryDisk(), TopicPartition("dogs", 0), "/dogs-0", config)
    partition = Partition(log, 0, OFFLINE)
    for number in range(producers):
        partition.append(memoryview(make_batch(1, producer=(number, 0, 0))), 0)
        partition.write()
    return partition


@pytest.mark.parametrize("producers", [MANY_PRODUCERS - 1, MANY_PRODUCERS])
def test_a_batch_that_begins_a_segment_of_many_producers_is_slow(producers: int) -> None:
    partition = partition_with(producers)
    many = producers >= MANY_PRODUCERS
    assert may_append_slowly([partition_with(1), partition]) == many
    found, began = [], []
    for _ in range(4):
        before = len(partition.log.segments)
        answer = partition.append(memoryview(make_batch(1, size=SEGMENT_BYTES // 2)), 0)
        partition.write()
        assert not answer.error_code
        began.append(len(partition.log.segments) > before)
        found.append(rolled_slowly(partition, answer))
    assert sorted(set(began)) == [False, True]
    assert found == [many and one for one in began]


@pytest.mark.parametrize(
    "tiny", [{"segment_index_bytes": 8}, {"segment_ms": 1}, {"segment_bytes": 200}]
)
def test_each_segment_that_is_tiny_is_slow(tmp_path: Path, tiny: dict[str, int]) -> None:
    """200 connections with 8 batches each that began a segment held up all others for 1.6 s."""
    replicas = replicas_of(tmp_path, "dogs")
    turns: list[str] = []
    replicas.on_slow = lambda: turns.append("over")
    (partition,) = replicas.partitions()
    assert not may_append_slowly([partition])
    partition.configure(LogConfig(index_interval_bytes=0, **tiny))  # type: ignore[arg-type]
    assert may_append_slowly([partition])
    now = replicas._clock.time_ms()
    for number in range(4):
        records = memoryview(make_batch(1, size=100, timestamp=now + 10 * number))
        assert replicas.append_one(partition, records, highest_codec=Codec.NONE) is None
        assert codes_of(at_once(replicas.append(a_request(("dogs", 0, records))))) == [0]
        replicas.write()
    assert len(turns) == len(partition.log.segments) - 1 > 1


def test_the_next_turn_is_for_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty connections whose batches each began a segment held up all others for 0.9 s."""
    monkeypatch.setattr("barnabas.broker.replicas.slow_rolls.MANY_PRODUCERS", 2)
    replicas = replicas_of(tmp_path, "dogs")
    turns: list[str] = []
    replicas.on_slow = lambda: turns.append("over")
    now = replicas._clock.time_ms()
    for number in range(3):
        records = memoryview(make_batch(1, timestamp=now, producer=(number, 0, 0)))
        assert codes_of(at_once(replicas.append(a_request(("dogs", 0, records))))) == [0]
        replicas.write()
    assert not turns
    (partition,) = replicas.partitions()
    partition.log.roll(now)
    records = memoryview(make_batch(1, timestamp=now))
    assert codes_of(at_once(replicas.append(a_request(("dogs", 0, records))))) == [0]
    assert turns == ["over"]
