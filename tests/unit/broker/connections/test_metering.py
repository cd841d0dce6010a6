"""Quotas over raw connections: throttle times, and that clients continue afterwards."""

from collections.abc import Iterator

import pytest

from barnabas.protocol.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasResponse,
    AlteredEntity,
    EntityData,
    OpData,
)
from barnabas.protocol.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic
from barnabas.protocol.metadata import MetadataRequest, MetadataResponse
from barnabas.protocol.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from barnabas.testing import EmbeddedBroker
from tests.unit.broker.batches import batch
from tests.unit.broker.raw_client import RawClient

pytestmark = pytest.mark.kernels

WINDOW = {"quota.window.num": 2}
"""A second: what is too fast by a hundredth waits for a hundredth of a second."""


@pytest.fixture
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(WINDOW) as embedded:
        embedded.create_topic("t", 1)
        yield embedded


@pytest.fixture
def client(broker: EmbeddedBroker) -> Iterator[RawClient]:
    with RawClient(broker.port) as raw:
        yield raw


def limit(client: RawClient, **quotas: float | None) -> None:
    ops = [OpData(key=key, value=v or 0, remove=v is None) for key, v in quotas.items()]
    entity = [EntityData(entity_type="client-id", entity_name="raw")]
    request = AlterClientQuotasRequest(
        entries=[AlteredEntity(entity=entity, ops=ops)], validate_only=False
    )
    (entry,) = client.ask(request, 1, AlterClientQuotasResponse).entries
    assert entry.error_code == 0


def produce(*, acks: int = 1, size: int = 1000) -> ProduceRequest:
    parts = [PartitionProduceData(index=0, records=batch(b"x" * size))]
    data = [TopicProduceData(name="t", partition_data=parts)]
    return ProduceRequest(acks=acks, timeout_ms=1000, topic_data=data)


def fetch(*, session_epoch: int = -1, min_bytes: int = 1) -> FetchRequest:
    """For more than one byte it waits."""
    part = FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=1 << 20)
    topics = [FetchTopic(topic="t", partitions=[part])]
    return FetchRequest(
        max_wait_ms=20_000 if min_bytes > 1 else 0,
        min_bytes=min_bytes,
        session_epoch=session_epoch,
        topics=topics,
    )


@pytest.mark.parametrize("version", [1, 3, 8, 9, 12])
def test_a_producer_that_was_too_fast_gets_its_throttle_time(
    client: RawClient, version: int
) -> None:
    size = len(client.frame(produce(), version, expect_reply=False)) - 4
    limit(client, producer_byte_rate=int(size / 1.05))
    for _ in range(2):
        response = client.ask(produce(), version, ProduceResponse)
        assert response.throttle_time_ms > 0
        assert response.responses[0].partition_responses[0].error_code == 0
    limit(client, producer_byte_rate=None)
    assert client.ask(produce(), version, ProduceResponse).throttle_time_ms == 0


def test_a_producer_below_its_quota_is_not_held_up(client: RawClient) -> None:
    limit(client, producer_byte_rate=1e9, request_percentage=1e6)
    assert client.ask(produce(), 9, ProduceResponse).throttle_time_ms == 0


def test_requests_that_came_together_are_answered_in_order(client: RawClient) -> None:
    size = len(client.frame(produce(), 9, expect_reply=False)) - 4
    limit(client, producer_byte_rate=int(2.05 * size))
    client.send(b"".join(client.frame(produce(), 9) for _ in range(3)))
    waits = [client.receive(ProduceResponse).throttle_time_ms for _ in range(3)]
    assert waits[:2] == [0, 0]
    assert waits[2] > 0


def test_who_wants_no_answer_waits_as_well(client: RawClient) -> None:
    size = len(client.frame(produce(), 9, expect_reply=False)) - 4
    limit(client, producer_byte_rate=int(size / 1.05))
    client.send(client.frame(produce(acks=0), 9, expect_reply=False))
    assert client.ask(produce(), 9, ProduceResponse).throttle_time_ms > 0


@pytest.mark.parametrize("reset", [False, True])
def test_what_wants_no_answer_is_stored_though_its_client_has_left(
    broker: EmbeddedBroker, client: RawClient, *, reset: bool
) -> None:
    with RawClient(broker.port) as leaving:
        frame = leaving.frame(produce(acks=0), 9, expect_reply=False)
        limit(client, producer_byte_rate=int((len(frame) - 4) / 1.05))
        leaving.send(2 * frame)
        if reset:
            leaving.reset()
    size = 2 * len(batch(b"x" * 1000))
    (topic,) = client.ask(fetch(min_bytes=size), 4, FetchResponse).responses
    assert len(topic.partitions[0].records or b"") == size


@pytest.mark.parametrize("version", [4, 12])
def test_a_consumer_gets_nothing_until_it_has_waited(version: int) -> None:
    # Ten seconds, so that the second fetch surely comes while the first one counts.
    with EmbeddedBroker({"quota.window.num": 11}) as broker, RawClient(broker.port) as client:
        broker.create_topic("t", 1)
        client.ask(produce(size=1000), 9, ProduceResponse)
        limit(client, consumer_byte_rate=115)
        first = client.ask(fetch(), version, FetchResponse)
        second = client.ask(fetch(session_epoch=0), version, FetchResponse)
    assert first.throttle_time_ms == 0
    assert (second.error_code, second.session_id, second.responses) == (0, 0, [])
    assert second.throttle_time_ms > 0


def test_an_answer_is_no_larger_than_the_quota_of_the_window(client: RawClient) -> None:
    for _ in range(4):
        client.ask(produce(size=1000), 9, ProduceResponse)
    limit(client, consumer_byte_rate=2500)
    response = client.ask(fetch(), 12, FetchResponse)
    records = response.responses[0].partitions[0].records
    assert records is not None
    assert 1000 < len(records) <= 2500


def test_any_request_counts_for_the_time_of_the_broker(client: RawClient) -> None:
    limit(client, request_percentage=1e-6)
    response = client.ask(MetadataRequest(topics=[]), 12, MetadataResponse)
    assert response.throttle_time_ms == 1000


def test_a_broker_that_stops_does_not_wait_for_a_silent_client(
    broker: EmbeddedBroker, caplog: pytest.LogCaptureFixture
) -> None:
    with RawClient(broker.port) as client:
        limit(client, producer_byte_rate=1)
        assert client.ask(produce(), 9, ProduceResponse).throttle_time_ms > 100_000
        broker.stop()
    assert "connections cut off" not in caplog.text
