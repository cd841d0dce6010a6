"""Faults: each does to a client what its name says, and only to those that are meant."""

import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from barnabas import Consumer, Producer
from barnabas.errors import ErrorCode, InvalidArgument
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.api_versions import ApiVersionsRequest, ApiVersionsResponse
from barnabas.protocol.create_topics import (
    CreatableTopic,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from barnabas.protocol.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic
from barnabas.protocol.heartbeat import HeartbeatRequest, HeartbeatResponse
from barnabas.protocol.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from barnabas.protocol.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from barnabas.testing import EmbeddedBroker
from tests.unit.broker.batches import batch
from tests.unit.broker.raw_client import RawClient

REFUSED = ErrorCode.NOT_ENOUGH_REPLICAS


@pytest.fixture
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker() as broker:
        broker.create_topic("dogs")
        broker.create_topic("cats")
        yield broker


@pytest.fixture
def client(broker: EmbeddedBroker) -> Iterator[RawClient]:
    with RawClient(broker.port) as client:
        yield client


def produce(*topics: str) -> ProduceRequest:
    rows = [
        TopicProduceData(
            name=topic, partition_data=[PartitionProduceData(index=0, records=batch(b"barks"))]
        )
        for topic in topics
    ]
    return ProduceRequest(acks=-1, timeout_ms=1000, topic_data=rows)


def outcome(client: RawClient, *topics: str) -> dict[str, tuple[int, int]]:
    """Produce one record for each topic: its error and offset."""
    response = client.ask(produce(*topics), 9, ProduceResponse)
    return {
        topic.name: (one.error_code, one.base_offset)
        for topic in response.responses
        for one in topic.partition_responses
    }


def end_of(broker: EmbeddedBroker, topic: str = "dogs") -> int:
    with Consumer(bootstrap_servers=broker.bootstrap_servers) as consumer:
        (end,) = consumer.end_offsets([(topic, 0)]).values()
        return end


def test_a_request_is_refused_so_often_and_not_done(
    broker: EmbeddedBroker, client: RawClient
) -> None:
    fault = broker.faults.fail("Produce", error="NOT_ENOUGH_REPLICAS", topic="dogs", times=2)
    assert [outcome(client, "dogs")["dogs"] for _ in range(3)] == [
        (REFUSED, -1),
        (REFUSED, -1),
        (0, 0),
    ]
    assert fault.hits == 2
    assert outcome(client, "dogs") == {"dogs": (0, 1)}


def test_only_one_topic_of_a_request_is_refused(broker: EmbeddedBroker, client: RawClient) -> None:
    with broker.faults.fail("Produce", error=REFUSED, topic="dogs") as fault:
        assert outcome(client, "dogs", "cats") == {"dogs": (REFUSED, -1), "cats": (0, 0)}
        assert outcome(client, "cats") == {"cats": (0, 1)}
    assert fault.hits == 1
    assert outcome(client, "dogs", "cats") == {"dogs": (0, 0), "cats": (0, 2)}


def test_what_is_repeated_is_hit_too(broker: EmbeddedBroker, client: RawClient) -> None:
    """A connection that sends the same again is answered without being read, but not past a fault."""
    for number in range(4):
        assert outcome(client, "dogs") == {"dogs": (0, number)}
    with broker.faults.fail("Produce", error=REFUSED) as fault:
        assert outcome(client, "dogs") == {"dogs": (REFUSED, -1)}
    assert fault.hits == 1
    assert outcome(client, "dogs") == {"dogs": (0, 4)}
    assert [one.version for one in broker.requests.of("Produce")] == [9] * 6


def test_clients_and_groups_are_distinguished(broker: EmbeddedBroker, client: RawClient) -> None:
    def beat(group: str) -> int:
        asked = HeartbeatRequest(group_id=group, generation_id=1, member_id="m")
        return client.ask(asked, 4, HeartbeatResponse).error_code

    fenced = ErrorCode.FENCED_INSTANCE_ID
    broker.faults.fail("Heartbeat", error="FENCED_INSTANCE_ID", group="a")
    other = broker.faults.fail("Heartbeat", error=REFUSED, client_id="somebody")
    assert (beat("a"), beat("b")) == (fenced, ErrorCode.UNKNOWN_MEMBER_ID)
    broker.faults.fail("Heartbeat", error=REFUSED, client_id="raw")
    assert (beat("a"), beat("b")) == (fenced, REFUSED)
    assert other.hits == 0
    broker.faults.stop()
    assert beat("a") == ErrorCode.UNKNOWN_MEMBER_ID


def test_a_function_may_decide(broker: EmbeddedBroker, client: RawClient) -> None:
    def is_large(asked: object) -> bool:
        return len(asked.message.topic_data) > 1  # type: ignore[attr-defined]

    broker.faults.fail("Produce", error=REFUSED, where=is_large)
    assert outcome(client, "dogs") == {"dogs": (0, 0)}
    assert outcome(client, "dogs", "cats") == {"dogs": (REFUSED, -1), "cats": (REFUSED, -1)}


def fetch(topic_id: bytes, session: int = 0, epoch: int = 0) -> FetchRequest:
    partition = FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=1000)
    topics = [FetchTopic(topic_id=topic_id, partitions=[partition])] if topic_id else []
    return FetchRequest(
        max_wait_ms=0, min_bytes=0, session_id=session, session_epoch=epoch, topics=topics
    )


def test_a_fetch_of_a_session_is_refused_when_it_names_its_partitions_again(
    broker: EmbeddedBroker, client: RawClient
) -> None:
    asked = MetadataRequest(topics=[MetadataRequestTopic(name="dogs")])
    topic_id = client.ask(asked, 12, MetadataResponse).topics[0].topic_id
    begun = client.ask(fetch(topic_id), 13, FetchResponse)
    assert begun.session_id
    with broker.faults.fail("Fetch", error="OFFSET_OUT_OF_RANGE", topic="dogs", times=1) as fault:
        # The session does not say what it reads, so it has to begin anew.
        again = client.ask(fetch(b"", begun.session_id, 1), 13, FetchResponse)
        assert again.error_code in {0, ErrorCode.FETCH_SESSION_ID_NOT_FOUND}
        refused = client.ask(fetch(topic_id), 13, FetchResponse)
        assert refused.responses[0].partitions[0].error_code == ErrorCode.OFFSET_OUT_OF_RANGE
    assert fault.hits == 1
    assert client.ask(fetch(topic_id), 13, FetchResponse).session_id


def test_metadata_of_one_topic_fails_and_of_the_others_does_not(
    broker: EmbeddedBroker, client: RawClient
) -> None:
    with broker.faults.fail("Metadata", error="LEADER_NOT_AVAILABLE", topic="dogs"):
        asked = MetadataRequest(
            topics=[MetadataRequestTopic(name="dogs"), MetadataRequestTopic(name="cats")]
        )
        response = client.ask(asked, 9, MetadataResponse)
    assert {one.name: (one.error_code, len(one.partitions)) for one in response.topics} == {
        "dogs": (ErrorCode.LEADER_NOT_AVAILABLE, 0),
        "cats": (0, 1),
    }
    assert response.brokers
    response = client.ask(asked, 9, MetadataResponse)
    assert [len(one.partitions) for one in response.topics] == [1, 1]


def test_a_delayed_response_comes_later_and_in_order(
    broker: EmbeddedBroker, client: RawClient
) -> None:
    with broker.faults.delay("Produce", seconds=0.2, times=1) as fault:
        began = time.monotonic()
        client.send(client.frame(produce("dogs"), 9) + client.frame(ApiVersionsRequest(), 0))
        response = client.receive(ProduceResponse)
        assert time.monotonic() - began >= 0.2
        assert client.receive(ApiVersionsResponse).error_code == 0
    assert response.responses[0].partition_responses[0].error_code == 0
    assert fault.hits == 1


def test_a_delay_that_is_stopped_ends_at_once(broker: EmbeddedBroker, client: RawClient) -> None:
    fault = broker.faults.delay("Produce", seconds=3600)
    client.send(client.frame(produce("dogs"), 9))
    broker.requests.wait_for("Produce")
    assert end_of(broker) == 1  # It is done, though not answered.
    fault.stop()
    assert client.receive(ProduceResponse).responses[0].partition_responses[0].base_offset == 0


def test_a_delay_that_is_stopped_before_the_response_is_there_holds_it_back_no_more(
    broker: EmbeddedBroker, client: RawClient
) -> None:
    (topic,) = client.ask(
        MetadataRequest(topics=[MetadataRequestTopic(name="dogs")]), 12, MetadataResponse
    ).topics
    waits = fetch(topic.topic_id)
    waits.max_wait_ms, waits.min_bytes = 500, 1
    fault = broker.faults.delay("Fetch", seconds=3600)
    client.send(client.frame(waits, 13))
    broker.requests.wait_for("Fetch")
    fault.stop()
    assert client.receive(FetchResponse).error_code == 0
    assert fault.hits == 1


def test_a_dropped_response_leaves_the_connection_silent(
    broker: EmbeddedBroker, client: RawClient
) -> None:
    fault = broker.faults.drop("Produce", times=1)
    client.send(client.frame(produce("dogs"), 9) + client.frame(ApiVersionsRequest(), 0))
    broker.requests.wait_for("Produce")
    assert end_of(broker) == 1
    assert fault.hits == 1
    fault.stop()
    assert client.is_closed_by_the_other_side()


def test_a_broker_stops_at_once_though_responses_are_held_back(broker: EmbeddedBroker) -> None:
    with ExitStack() as clients:
        for kind in ("delay", "drop"):
            client = clients.enter_context(RawClient(broker.port))
            if kind == "delay":
                broker.faults.delay("Produce", seconds=3600, times=1)
            else:
                broker.faults.drop("Produce", times=1)
            client.send(client.frame(produce("dogs"), 9))
            broker.requests.wait_for("Produce", count=1 + (kind == "drop"))
        began = time.monotonic()
        broker.stop()
        # A client that takes no response is waited for five seconds.
        assert time.monotonic() - began < 4


def test_half_a_response_comes_and_then_the_end(broker: EmbeddedBroker, client: RawClient) -> None:
    broker.faults.cut("Produce", times=1)
    client.send(client.frame(ApiVersionsRequest(), 0) + client.frame(produce("dogs"), 9))
    assert client.receive(ApiVersionsResponse).error_code == 0
    data = client.rest()
    size = int.from_bytes(data[:4])
    assert len(data) == (4 + size) // 2
    assert end_of(broker) == 1


@pytest.mark.parametrize("after", [False, True])
def test_a_connection_is_closed_before_or_after_the_request_is_done(
    broker: EmbeddedBroker,
    client: RawClient,
    after: bool,  # noqa: FBT001 - a parameter
) -> None:
    fault = broker.faults.disconnect("Produce", after=after, times=1)
    client.send(client.frame(ApiVersionsRequest(), 0) + client.frame(produce("dogs"), 9))
    assert client.receive(ApiVersionsResponse).error_code == 0
    assert client.is_closed_by_the_other_side()
    assert end_of(broker) == int(after)
    assert fault.hits == 1


def test_a_throttled_client_gets_its_time_and_is_not_served_meanwhile(
    broker: EmbeddedBroker, client: RawClient
) -> None:
    with broker.faults.throttle("Produce", ms=200, times=1):
        began = time.monotonic()
        client.send(client.frame(produce("dogs"), 9) + client.frame(ApiVersionsRequest(), 0))
        assert client.receive(ProduceResponse).throttle_time_ms == 200
        assert client.receive(ApiVersionsResponse).error_code == 0
        assert time.monotonic() - began >= 0.2
    assert client.ask(produce("dogs"), 9, ProduceResponse).throttle_time_ms == 0


def test_a_leader_has_moved_until_the_client_asks(broker: EmbeddedBroker) -> None:
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        producer.send("dogs", "one").result()
        with broker.faults.move_leader("dogs") as fault:
            broker.requests.clear()
            assert producer.send("dogs", "two").result().offset == 1
    assert fault.hits >= 1
    apis = [one.api for one in broker.requests.of("Produce", "Metadata")]
    assert apis[0] == "Produce"
    assert "Metadata" in apis[1:]
    assert apis[-1] == "Produce"


def test_a_leader_has_moved_for_a_new_client_too(broker: EmbeddedBroker) -> None:
    with (
        broker.faults.move_leader("dogs") as fault,
        Producer(bootstrap_servers=broker.bootstrap_servers) as producer,
    ):
        producer.send("dogs", "one").result()
    assert fault.hits >= 1


def test_a_coordinator_has_moved_for_a_new_client_too(broker: EmbeddedBroker) -> None:
    with (
        broker.faults.move_coordinator("pack") as fault,
        Consumer(bootstrap_servers=broker.bootstrap_servers, group_id="pack") as consumer,
    ):
        consumer.assign([("dogs", 0)])
        consumer.commit({("dogs", 0): 0})
    assert fault.hits >= 1


def test_a_coordinator_has_moved_until_the_client_asks(broker: EmbeddedBroker) -> None:
    with Consumer(bootstrap_servers=broker.bootstrap_servers, group_id="pack") as consumer:
        consumer.assign([("dogs", 0)])
        consumer.commit({("dogs", 0): 0})
        with broker.faults.move_coordinator("pack") as fault:
            broker.requests.clear()
            consumer.commit({("dogs", 0): 0})
        assert fault.hits >= 1
        assert broker.requests.of("FindCoordinator")


def test_a_full_disk_refuses_records_and_serves_those_there_are(broker: EmbeddedBroker) -> None:
    with RawClient(broker.port) as client:
        assert outcome(client, "dogs") == {"dogs": (0, 0)}
        with broker.faults.fill_disk() as fault:
            assert outcome(client, "dogs") == {"dogs": (ErrorCode.KAFKA_STORAGE_ERROR, -1)}
            assert fault.hits >= 1
            with pytest.raises(InvalidArgument, match="full already"):
                broker.faults.fill_disk()
            with Consumer(bootstrap_servers=broker.bootstrap_servers) as consumer:
                consumer.assign([("dogs", 0)])
                consumer.seek_to_beginning()
                assert len(consumer.poll(timeout_s=10)) == 1
            new = CreatableTopic(
                name="birds", num_partitions=1, replication_factor=1, assignments=[], configs=[]
            )
            asked = CreateTopicsRequest(topics=[new], timeout_ms=1000)
            (made,) = client.ask(asked, 5, CreateTopicsResponse).topics
            assert made.error_code == ErrorCode.KAFKA_STORAGE_ERROR
        # A log is served again by the next maintenance.
        until = time.monotonic() + 30
        while outcome(client, "dogs") != {"dogs": (0, 1)}:
            assert time.monotonic() < until, "there is room again"
            broker.clock.advance(1)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda faults: faults.fail("Produse", error=REFUSED),
            "no API 'Produse'; did you mean Produce",
        ),
        (lambda faults: faults.fail("Offsets", error=REFUSED), "did you mean .*ListOffsets"),
        (
            lambda faults: faults.fail("Produce", error="NOT_ENOUGH_REPLICA"),
            "no error 'NOT_ENOUGH_REPLICA'; did you mean NOT_ENOUGH_REPLICAS, NOT_ENOUGH",
        ),
        (lambda faults: faults.fail("Produce", error="xyzzy"), "expected a name as UNKNOWN"),
        (lambda faults: faults.fail("Produce", error="NONE"), "no error 'NONE'"),
        (lambda faults: faults.drop("Heartbeat", topic="dogs"), "Heartbeat request names no topic"),
        (lambda faults: faults.drop("Produce", group="a"), "a Produce request names no group"),
        (lambda faults: faults.cut("Produce", times=0), "times=0: expected 1 or more"),
        (lambda faults: faults.delay("Produce", seconds=0), "seconds=0: expected more than 0"),
        (lambda faults: faults.throttle(ms=-1), "ms=-1: expected 1 or more"),
    ],
)
def test_what_is_misspelt_is_refused(broker: EmbeddedBroker, call: object, words: str) -> None:
    with pytest.raises(InvalidArgument, match=words):
        call(broker.faults)  # type: ignore[operator]
    with RawClient(broker.port) as client:
        assert outcome(client, "dogs") == {"dogs": (0, 0)}


def test_names_may_be_written_in_any_way(broker: EmbeddedBroker, client: RawClient) -> None:
    for name in ("Produce", "PRODUCE", "produce", ApiKey.PRODUCE, ["Fetch", "Produce"], ()):
        with broker.faults.disconnect(name) as fault, RawClient(broker.port) as one:
            one.send(one.frame(produce("dogs"), 9))
            assert one.is_closed_by_the_other_side()
            assert fault.hits == 1
