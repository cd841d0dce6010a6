"""A whole broker over raw connections: produce, fetch, long poll, order, and what it refuses."""

import logging
from collections.abc import Iterator
from struct import pack
from threading import Event, Timer

import pytest

from barnabas.errors import ErrorCode, StorageError
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.api_versions import ApiVersionsRequest, ApiVersionsResponse
from barnabas.protocol.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    ForgottenTopic,
)
from barnabas.protocol.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from barnabas.protocol.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from barnabas.protocol.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from barnabas.records.batches.batch import walk
from barnabas.runtime.files import open_files, sync_threads
from barnabas.testing import EmbeddedBroker
from tests.unit.broker.batches import batch
from tests.unit.broker.raw_client import RawClient

pytestmark = pytest.mark.kernels


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    settings = {"socket.request.max.bytes": 1_000_000, "message.max.bytes": 200_000}
    with EmbeddedBroker(settings) as embedded:
        yield embedded


@pytest.fixture
def client(broker: EmbeddedBroker) -> Iterator[RawClient]:
    with RawClient(broker.port) as raw:
        yield raw


@pytest.fixture
def topic(broker: EmbeddedBroker, request: pytest.FixtureRequest) -> str:
    name = f"topic-{abs(hash(request.node.nodeid))}"
    broker.create_topic(name, 2)
    return name


def produce(topic: str, *records: bytes | None, acks: int = 1) -> ProduceRequest:
    parts = [PartitionProduceData(index=n, records=one) for n, one in enumerate(records)]
    data = [TopicProduceData(name=topic, partition_data=parts)]
    return ProduceRequest(acks=acks, timeout_ms=1000, topic_data=data)


def fetch(topic: str, offset: int, **fields: int) -> FetchRequest:
    part = FetchPartition(partition=0, fetch_offset=offset, partition_max_bytes=1 << 20)
    topics = [FetchTopic(topic=topic, partitions=[part])]
    request = FetchRequest(max_wait_ms=0, min_bytes=1, session_epoch=-1, topics=topics)
    for name, value in fields.items():
        setattr(request, name, value)
    return request


def appended(answer: ProduceResponse) -> list[PartitionProduceResponse]:
    return [part for topic in answer.responses for part in topic.partition_responses]


def values_in(answer: FetchResponse) -> list[tuple[int, int]]:
    """First offset and count of each batch in the answer."""
    found = []
    for topic in answer.responses:
        for part in topic.partitions:
            assert part.error_code == 0
            data = part.records
            assert isinstance(data, bytes | bytearray | memoryview)
            found += [(header.base_offset, header.count) for header in walk(data)]
    return found


@pytest.mark.parametrize("version", [3, 5, 8, 9, 12])
def test_what_was_produced_is_fetched(client: RawClient, topic: str, version: int) -> None:
    sent = [batch(b"one", b"two"), batch(b"three")]
    answers = appended(client.ask(produce(topic, *sent), version, ProduceResponse))
    assert [(part.error_code, part.base_offset) for part in answers] == [(0, 0), (0, 0)]
    again = appended(client.ask(produce(topic, batch(b"four")), version, ProduceResponse))
    assert [(part.error_code, part.base_offset) for part in again] == [(0, 2)]
    assert values_in(client.ask(fetch(topic, 0), 4, FetchResponse)) == [(0, 2), (2, 1)]


def test_topics_are_named_by_id_too(client: RawClient, topic: str) -> None:
    question = MetadataRequest(topics=[MetadataRequestTopic(name=topic)])
    topic_id = client.ask(question, 12, MetadataResponse).topics[0].topic_id
    part = PartitionProduceData(index=0, records=batch(b"x"))
    by_id = ProduceRequest(
        acks=-1,
        timeout_ms=1000,
        topic_data=[TopicProduceData(topic_id=topic_id, partition_data=[part])],
    )
    assert appended(client.ask(by_id, 13, ProduceResponse))[0].error_code == 0
    read = fetch("", 0)
    read.topics[0].topic_id = topic_id
    assert values_in(client.ask(read, 17, FetchResponse)) == [(0, 1)]
    part.index = read.topics[0].partitions[0].partition = 99
    answer = client.ask(read, 17, FetchResponse)
    assert answer.responses[0].partitions[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    refused = appended(client.ask(by_id, 13, ProduceResponse))
    assert refused[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    read.topics[0].topic_id = by_id.topic_data[0].topic_id = b"?" * 16
    answer = client.ask(read, 17, FetchResponse)
    assert answer.responses[0].partitions[0].error_code == ErrorCode.UNKNOWN_TOPIC_ID
    refused = appended(client.ask(by_id, 13, ProduceResponse))
    assert refused[0].error_code == ErrorCode.UNKNOWN_TOPIC_ID


def test_replies_keep_the_order_of_requests(client: RawClient, topic: str) -> None:
    waiting = fetch(topic, 0, max_wait_ms=100)
    stream = client.frame(produce(topic, None, batch(b"x")), 7)
    stream += client.frame(waiting, 4)
    stream += client.frame(produce(topic, batch(b"fire and forget"), acks=0), 7, expect_reply=False)
    stream += client.frame(fetch(topic, 0), 4)
    client.send(stream)
    first = appended(client.receive(ProduceResponse))
    assert [part.error_code for part in first] == [ErrorCode.INVALID_RECORD, 0]
    assert values_in(client.receive(FetchResponse)) == []
    assert values_in(client.receive(FetchResponse)) == [(0, 1)]


def test_a_failure_that_gets_no_reply_closes_the_connection_behind_the_replies_owed(
    broker: EmbeddedBroker, topic: str
) -> None:
    with RawClient(broker.port) as client:
        stream = client.frame(produce(topic, batch(b"x")), 7)
        refused = produce(topic, b"no batch", acks=0)
        stream += client.frame(refused, 7, expect_reply=False)
        client.send(stream)
        assert appended(client.receive(ProduceResponse))[0].error_code == 0
        assert client.is_closed_by_the_other_side()


def test_requests_that_begin_differently_are_not_taken_for_each_other(
    broker: EmbeddedBroker, client: RawClient, topic: str
) -> None:
    other = topic + "2"
    broker.create_topic(other, 2)
    for version in (7, 9):
        for name, parts in [(topic, 1), (other, 1), (other, 1), (topic, 2), (other, 2)]:
            asked = produce(name, *[batch(b"x")] * parts)
            answer = client.ask(asked, version, ProduceResponse)
            assert [each.name for each in answer.responses] == [name]
            assert [part.error_code for part in appended(answer)] == [0] * parts
    offsets = [appended(client.ask(produce(name, batch(b"x"), batch(b"x")), 7, ProduceResponse))
               for name in (topic, other)]  # fmt: skip
    assert [[part.base_offset for part in parts] for parts in offsets] == [[4, 2], [6, 2]]


def test_a_long_poll_ends_with_the_write_it_waits_for(
    broker: EmbeddedBroker, client: RawClient, topic: str
) -> None:
    def write() -> None:
        with RawClient(broker.port) as other:
            other.ask(produce(topic, batch(b"here")), 7, ProduceResponse)

    later = Timer(0.05, write)
    later.start()
    seconds, answer = client.seconds_of(fetch(topic, 0, max_wait_ms=15_000), 11, FetchResponse)
    later.join()
    assert values_in(answer) == [(0, 1)]
    assert seconds < 10


def test_a_long_poll_ends_in_time_and_at_once_on_errors(client: RawClient, topic: str) -> None:
    seconds, answer = client.seconds_of(fetch(topic, 0, max_wait_ms=60), 11, FetchResponse)
    assert values_in(answer) == []
    assert seconds >= 0.05
    seconds, answer = client.seconds_of(fetch(topic, 99, max_wait_ms=15_000), 11, FetchResponse)
    assert answer.responses[0].partitions[0].error_code == ErrorCode.OFFSET_OUT_OF_RANGE
    assert seconds < 10


def test_the_first_batch_comes_whole_however_small_the_limit(client: RawClient, topic: str) -> None:
    large = batch(b"x" * 50_000)
    client.ask(produce(topic, large), 7, ProduceResponse)
    client.ask(produce(topic, large), 7, ProduceResponse)
    assert values_in(client.ask(fetch(topic, 0, max_bytes=10), 4, FetchResponse)) == [(0, 1)]


def test_a_session_tells_only_news(client: RawClient, topic: str) -> None:
    client.ask(produce(topic, batch(b"a")), 7, ProduceResponse)
    full = client.ask(fetch(topic, 0, session_epoch=0), 12, FetchResponse)
    assert full.session_id > 0
    nothing = FetchRequest(
        max_wait_ms=0, min_bytes=0, topics=[], session_id=full.session_id, session_epoch=1
    )
    again = client.ask(nothing, 12, FetchResponse)
    assert [part.records is not None for one in again.responses for part in one.partitions] == [
        True
    ]
    moved = fetch(topic, 1, session_id=full.session_id, session_epoch=2)
    assert client.ask(moved, 12, FetchResponse).responses == []
    stale = client.ask(moved, 12, FetchResponse)
    assert stale.error_code == ErrorCode.INVALID_FETCH_SESSION_EPOCH
    nothing.session_epoch = 3
    nothing.forgotten_topics_data = [ForgottenTopic(topic=topic, partitions=[0])]
    assert client.ask(nothing, 12, FetchResponse).session_id == 0


def test_offsets_by_time_and_at_the_ends(client: RawClient, topic: str) -> None:
    for time in (1000, 3000, 2000):
        client.ask(produce(topic, batch(b"x", timestamp=time)), 7, ProduceResponse)

    def offset_at(timestamp: int) -> tuple[int, int]:
        part = ListOffsetsPartition(partition_index=0, timestamp=timestamp)
        question = ListOffsetsRequest(
            replica_id=-1, topics=[ListOffsetsTopic(name=topic, partitions=[part])]
        )
        found = client.ask(question, 8, ListOffsetsResponse).topics[0].partitions[0]
        assert found.error_code == 0
        return found.offset, found.timestamp

    assert offset_at(-2) == (0, -1)
    assert offset_at(-1) == (3, -1)
    assert offset_at(-3) == (1, 3000)
    assert offset_at(1500) == (1, 3000)
    assert offset_at(4000) == (-1, -1)


@pytest.mark.parametrize(("version", "lowest"), [(1, -2), (7, -3), (8, -4), (9, -5), (11, -6)])
def test_special_times_are_known_from_a_version_on(
    client: RawClient, topic: str, version: int, lowest: int
) -> None:
    parts = [ListOffsetsPartition(partition_index=0, timestamp=-time) for time in range(1, 8)]
    question = ListOffsetsRequest(
        replica_id=-1, topics=[ListOffsetsTopic(name=topic, partitions=parts)]
    )
    found = client.ask(question, version, ListOffsetsResponse).topics[0].partitions
    known = [-time for time, one in enumerate(found, 1) if not one.error_code]
    assert known == list(range(-1, lowest - 1, -1))
    assert {one.error_code for one in found} == {0, ErrorCode.UNSUPPORTED_VERSION}


@pytest.mark.parametrize(
    ("epoch", "code"),
    [(-1, ErrorCode.NONE), (0, ErrorCode.NONE), (5, ErrorCode.UNKNOWN_LEADER_EPOCH)],
)
def test_leader_epochs_are_checked(
    client: RawClient, topic: str, epoch: int, code: ErrorCode
) -> None:
    read = fetch(topic, 0)
    read.topics[0].partitions[0].current_leader_epoch = epoch
    answer = client.ask(read, 11, FetchResponse)
    assert answer.responses[0].partitions[0].error_code == code


def spoiled(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


@pytest.mark.parametrize(
    ("records", "code"),
    [
        (None, ErrorCode.INVALID_RECORD),
        (spoiled(batch(b"x"), 65), ErrorCode.CORRUPT_MESSAGE),
        (batch(b"x")[:-3], ErrorCode.INVALID_RECORD),
        (batch(b"x") * 2, ErrorCode.INVALID_RECORD),
        (batch(b"x" * 200_000), ErrorCode.MESSAGE_TOO_LARGE),
        (batch(b"x", timestamp=1 << 50), ErrorCode.INVALID_TIMESTAMP),
        (batch(b"x", attributes=4), ErrorCode.UNSUPPORTED_COMPRESSION_TYPE),
        (batch(b"x", attributes=0x10), ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED),
    ],
    ids=["null", "crc", "cut", "two batches", "large", "future", "zstd before 7", "transactional"],
)
def test_bad_records_are_refused_and_the_others_taken(
    client: RawClient, topic: str, records: bytes | None, code: ErrorCode
) -> None:
    answers = appended(client.ask(produce(topic, records, batch(b"fine")), 6, ProduceResponse))
    assert [(part.error_code, part.base_offset) for part in answers] == [(code, -1), (0, 0)]


def test_unknown_places_and_acks_have_their_codes(client: RawClient, topic: str) -> None:
    answer = client.ask(produce("nowhere", batch(b"x")), 8, ProduceResponse)
    assert appended(answer)[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    refused = appended(client.ask(produce(topic, batch(b"x"), acks=2), 8, ProduceResponse))[0]
    assert refused.error_code == ErrorCode.INVALID_REQUIRED_ACKS
    assert refused.error_message is not None
    assert "acks" in refused.error_message


def test_unknown_versions_of_api_versions_are_answered(client: RawClient) -> None:
    client.send(pack(">ihhihsx", 12, ApiKey.API_VERSIONS, 99, 1, 1, b"x"))
    client._waiting.append((1, ApiKey.API_VERSIONS, 0))
    answer = client.receive(ApiVersionsResponse)
    assert answer.error_code == ErrorCode.UNSUPPORTED_VERSION
    assert [(row.api_key, row.min_version, row.max_version) for row in answer.api_keys] == [
        (18, 0, 5)
    ]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (pack(">i", -5), "-5"),
        (pack(">i", 1_000_001), "1000001"),
        (pack(">i", 2) + b"\0\0", "header"),
        (pack(">ihhih", 10, 999, 0, 1, -1), "999"),
        (pack(">ihhihx", 11, ApiKey.PRODUCE, 99, 1, -1), "PRODUCE"),
        (pack(">ihhih", 10, ApiKey.OFFSET_FETCH, -1, 1, -1), "OFFSET_FETCH"),
        (pack(">ihhihhh", 14, ApiKey.PRODUCE, 7, 1, -1, -1, 1), "byte"),
        (pack(">ihhihi", 14, ApiKey.METADATA, 4, 1, -1, 2**31 - 1), "topics"),
    ],
    ids=["negative", "large", "short", "api", "version", "negative version", "cut", "array"],
)
def test_a_bad_frame_closes_its_connection_says_why_and_hurts_no_other(
    broker: EmbeddedBroker,
    client: RawClient,
    caplog: pytest.LogCaptureFixture,
    data: bytes,
    words: str,
) -> None:
    with caplog.at_level(logging.INFO), RawClient(broker.port) as bad:
        bad.send(data)
        assert bad.is_closed_by_the_other_side()
    closed = [record.__dict__ for record in caplog.records if record.message == "connection closed"]
    # Those of other tests may end now, too.
    (given,) = [one for one in closed if one["peer"] == bad.name]
    assert words in str(given["reason"])
    question = ApiVersionsRequest(client_software_name="t", client_software_version="1")
    assert client.ask(question, 3, ApiVersionsResponse).error_code == 0


def test_a_stop_answers_who_waits(topic: str) -> None:
    with EmbeddedBroker() as other:
        other.create_topic(topic)
        with RawClient(other.port) as waiting:
            waiting.send(waiting.frame(fetch(topic, 0, max_wait_ms=60_000), 11))
            with RawClient(other.port) as probe:
                # Its answer shows that the broker has been around its loop since.
                probe.ask(MetadataRequest(topics=[]), 4, MetadataResponse)
            other.stop()
            assert values_in(waiting.receive(FetchResponse)) == []
            assert waiting.is_closed_by_the_other_side()


def test_a_sync_before_the_answer_holds_up_nobody_else(
    broker: EmbeddedBroker, client: RawClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker.create_topic("synced", 1, {"flush.messages": "1"})
    go_on = Event()
    sync = open_files.sync_descriptor

    def slow(descriptor: int, path: str) -> None:
        assert go_on.wait(20)
        sync(descriptor, path)

    monkeypatch.setattr(sync_threads, "sync_descriptor", slow)
    two = client.frame(produce("synced", batch(b"one")), 7)
    two += client.frame(fetch("synced", 0), 4)
    client.send(two)
    with RawClient(broker.port) as other:
        # Served while the sync of the first one lasts; and nothing is to be seen of it.
        assert values_in(other.ask(fetch("synced", 0), 4, FetchResponse)) == []
        go_on.set()
    (answer,) = appended(client.receive(ProduceResponse))
    assert (answer.error_code, answer.base_offset) == (0, 0)
    client.receive(FetchResponse)
    assert values_in(client.ask(fetch("synced", 0), 4, FetchResponse)) == [(0, 1)]


def test_a_sync_that_fails_before_the_answer_is_the_answer(
    broker: EmbeddedBroker, client: RawClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker.create_topic("unsynced", 1, {"flush.messages": "1"})

    def fails(descriptor: int, path: str) -> None:
        raise StorageError("the disk is gone")

    with monkeypatch.context() as failing:
        failing.setattr(sync_threads, "sync_descriptor", fails)
        (answer,) = appended(client.ask(produce("unsynced", batch(b"one")), 7, ProduceResponse))
    assert answer.error_code == ErrorCode.KAFKA_STORAGE_ERROR
    (answer,) = appended(client.ask(produce("unsynced", batch(b"two")), 7, ProduceResponse))
    assert answer.error_code == ErrorCode.KAFKA_STORAGE_ERROR
