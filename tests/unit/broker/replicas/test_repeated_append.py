"""A Produce request that repeats: the partition has gone, the disk fails and has room again."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from barnabas.broker.purgatory.purgatory import Purgatory
from barnabas.broker.purgatory.stepping import at_once
from barnabas.broker.replicas.repeated_append import AppendTraits, RepeatedAppend, repeated_append
from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.errors import ErrorCode
from barnabas.log.recovery.opening import open_log
from barnabas.log.segments.log_config import LogConfig
from barnabas.protocol.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    TopicProduceData,
)
from barnabas.records.codecs.compression import HIGHEST_CODEC
from barnabas.runtime.clock import SystemClock
from barnabas.types import TopicPartition
from tests.memory_disk import MemoryDisk
from tests.unit.broker.batches import batch
from tests.unit.broker.some_memory import some_memory
from tests.unit.runtime.manual_timers import ManualTimers

pytestmark = pytest.mark.kernels


class Place:
    """A partition in memory, and a request that was appended to it once."""

    def __init__(self) -> None:
        self.disk = MemoryDisk()
        directory = str(Path("/data/dogs-0"))
        self.disk.make_directory(directory)
        self.replicas = ReplicaManager(
            SystemClock(), Purgatory(ManualTimers(), lambda: 0.0, some_memory())
        )
        self.log = open_log(self.disk, TopicPartition("dogs", 0), directory, LogConfig())
        self.partition = self.replicas.lead(self.log, 0)
        records = self.records()
        data = PartitionProduceData(index=0, records=records)
        topic = TopicProduceData(name="dogs", partition_data=[data])
        request = ProduceRequest(acks=1, timeout_ms=1000, topic_data=[topic])
        response = at_once(self.replicas.append(request))
        self.replicas.write()
        traits = AppendTraits(1, HIGHEST_CODEC, len(records))
        outcome = repeated_append(self.replicas, topic, response, response, traits)
        assert isinstance(outcome, RepeatedAppend)
        self.again = outcome.again

    @staticmethod
    def records() -> memoryview:
        return memoryview(bytearray(batch(b"woof")))

    def append(self) -> tuple[ErrorCode, list[int]] | None:
        """What the same request comes to, with other records."""
        records = self.records()
        done = self.again(records, [0, len(records)])
        if done is None:
            return None
        self.replicas.write()
        answer, bases, waits = done
        assert isinstance(answer, PartitionProduceResponse)
        assert not waits
        return ErrorCode(answer.error_code), bases


@pytest.fixture
def place() -> Iterator[Place]:
    made = Place()
    yield made
    made.log.close(clean=False)


def test_nothing_is_appended_to_a_partition_that_the_broker_has_no_more(place: Place) -> None:
    assert place.append() == (ErrorCode.NONE, [1])
    assert place.replicas.leave("dogs") == [place.log]
    assert place.append() is None
    assert place.log.end_offset == 2


def test_after_a_full_disk_the_next_ones_are_no_errors(place: Place) -> None:
    place.disk.is_full = True
    assert place.append() == (ErrorCode.KAFKA_STORAGE_ERROR, [1])
    assert place.append() is None
    place.disk.is_full = False
    place.log.refusal = None
    assert place.append() == (ErrorCode.NONE, [1])
