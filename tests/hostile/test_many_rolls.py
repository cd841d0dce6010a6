"""A Produce of thousands of batches, each of which begins a segment: others are served meanwhile."""

import select
from collections.abc import Iterator
from pathlib import Path

import pytest

from barnabas.broker.purgatory.stepping import at_once
from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.broker.replicas.slow_rolls import ROLLS_IN_STEP
from barnabas.errors import ErrorCode
from barnabas.log.segments.log_config import LogConfig
from barnabas.protocol.api_versions import ApiVersionsRequest, ApiVersionsResponse
from barnabas.protocol.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from barnabas.testing import EmbeddedBroker
from tests.record_batches import make_batch
from tests.unit.broker.raw_client import RawClient
from tests.unit.broker.replicas.test_replica_manager import a_request, codes_of, replicas_of

EVERY_BATCH_ROLLS = {"segment.index.bytes": "8", "index.interval.bytes": "0"}
BATCHES = 2_000


@pytest.fixture
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker() as running:
        yield running


def batches(count: int) -> ProduceRequest:
    """A batch each, all for one partition."""
    rows = [PartitionProduceData(index=0, records=bytes(make_batch(1))) for _ in range(count)]
    return ProduceRequest(
        acks=-1, timeout_ms=30_000,
        topic_data=[TopicProduceData(name="tiny", partition_data=rows)],
    )  # fmt: skip


def answers(response: ProduceResponse) -> list[tuple[int, int]]:
    """Code and base offset of each."""
    (topic,) = response.responses
    return [(one.error_code, one.base_offset) for one in topic.partition_responses]


def test_others_are_served_while_segments_begin(broker: EmbeddedBroker) -> None:
    """10,000 of them held up all others for 8 s."""
    broker.create_topic("tiny", config=EVERY_BATCH_ROLLS)
    with RawClient(broker.port) as attacker, RawClient(broker.port) as other:
        attacker.send(attacker.frame(batches(BATCHES), 7))
        for _ in range(20):
            other.ask(ApiVersionsRequest(), 0, ApiVersionsResponse)
        assert not select.select([attacker._socket], [], [], 0)[0], "it was done in one turn"
        response = attacker.receive(ProduceResponse)
        # Nothing is lost, and all is in its order.
        assert answers(response) == [(ErrorCode.NONE, offset) for offset in range(BATCHES)]
        assert attacker.ask(batches(3), 7, ProduceResponse).responses


def test_what_waits_is_bounded() -> None:
    """The copy of what waits counts for client.state.max.bytes; the rest comes again."""
    with EmbeddedBroker({"client.state.max.bytes": "100000"}) as broker:
        broker.create_topic("tiny", config=EVERY_BATCH_ROLLS)
        with RawClient(broker.port) as client:
            found = answers(client.ask(batches(BATCHES), 7, ProduceResponse))
    appended = [offset for code, offset in found if code == ErrorCode.NONE]
    assert appended == list(range(ROLLS_IN_STEP + 1))
    assert {code for code, _ in found[len(appended) :]} == {ErrorCode.NOT_ENOUGH_REPLICAS}


def test_a_step_begins_few_segments(tmp_path: Path) -> None:
    replicas: ReplicaManager = replicas_of(tmp_path, "tiny")
    (partition,) = replicas.partitions()
    partition.configure(LogConfig(segment_index_bytes=8, index_interval_bytes=0))
    now_ms = replicas._clock.time_ms()
    count = 5 * ROLLS_IN_STEP
    rows = [("tiny", 0, memoryview(make_batch(1, timestamp=now_ms))) for _ in range(count)]
    steps = replicas.append(a_request(*rows))
    most = before = len(partition.log.segments)
    seen = [next(steps)]
    response: ProduceResponse | None = None
    try:
        while True:
            most = max(most, len(partition.log.segments) - before)
            before = len(partition.log.segments)
            seen.append(steps.send(None))
    except StopIteration as end:
        response = end.value
    assert response is not None
    assert codes_of(response) == [0] * count
    assert most == ROLLS_IN_STEP
    assert seen == sorted(seen)
    assert len(seen) >= count // ROLLS_IN_STEP - 1
    later = a_request(("tiny", 0, memoryview(make_batch(1, timestamp=now_ms))))
    assert codes_of(at_once(replicas.append(later))) == [0]
