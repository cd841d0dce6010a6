"""The rows of ROUTES; Produce 0-2, Fetch 0-3, ListOffsets 0: what each gives and refuses."""

from collections.abc import Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from barnabas.broker import apis
from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.dispatch import BETWEEN_BROKERS, HANDLERS, ROUTES
from barnabas.broker.requests import forwarding
from barnabas.errors import ErrorCode
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic
from barnabas.protocol.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from barnabas.protocol.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
)
from barnabas.protocol.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from barnabas.records.batches.batch import walk
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.reading import decode_records
from barnabas.testing import EmbeddedBroker
from tests.message_sets import LOG_APPEND_TIME, message, wrapper
from tests.unit.broker.batches import batch
from tests.unit.broker.raw_client import RawClient

pytestmark = pytest.mark.kernels

EVERY_ROUTE = {**ROUTES, **BETWEEN_BROKERS}
TIME = 1_700_000_000_000
KEEP = {"log.retention.ms": -1, "message.max.bytes": 10_000}


def test_each_handler_has_a_row_and_each_row_a_handler() -> None:
    there = {file.stem for file in Path(apis.__path__[0]).glob("*.py")} - {"__init__"}
    assert there == {key.name.lower() for key in EVERY_ROUTE}


@pytest.mark.parametrize("key", EVERY_ROUTE, ids=lambda key: key.name.lower())
def test_a_row_asks_the_handler_of_its_api(key: ApiKey) -> None:
    name = key.name.lower()
    handler = import_module(f"barnabas.broker.apis.{name}").handle
    handle = EVERY_ROUTE[key].handle
    assert handle is handler or (isinstance(handle, partial) and handle.args == (name,))


def test_a_broker_that_is_alone_leaves_forwarding_to_the_members_of_its_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    key = ApiKey.LIST_PARTITION_REASSIGNMENTS
    request = ListPartitionReassignmentsRequest(timeout_ms=1, topics=[])
    with EmbeddedBroker(KEEP) as alone, RawClient(alone.port) as client:
        response = client.ask(request, 0, ListPartitionReassignmentsResponse)
    assert response.error_code == ErrorCode.NONE

    forwarded: list[object] = []
    monkeypatch.setattr(forwarding, "forward", lambda *asked: forwarded.append(asked))
    controller = SimpleNamespace(is_active=False)
    member = SimpleNamespace(member=SimpleNamespace(controller=controller))
    context = RequestContext(key, 0, "c", "PLAINTEXT", "here:1", 1, "/here")
    HANDLERS[key](cast("Broker", member), context, request)
    assert forwarded == [(member.member, context, request)]


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(KEEP) as embedded:
        yield embedded


@pytest.fixture
def client(broker: EmbeddedBroker) -> Iterator[RawClient]:
    with RawClient(broker.port) as raw:
        yield raw


@pytest.fixture
def topic(broker: EmbeddedBroker, request: pytest.FixtureRequest) -> str:
    name = f"topic-{abs(hash(request.node.nodeid))}"
    broker.create_topic(name, 1)
    return name


def produce(
    client: RawClient, topic: str, records: bytes, version: int, acks: int = 1
) -> PartitionProduceResponse:
    part = PartitionProduceData(index=0, records=records)
    data = [TopicProduceData(name=topic, partition_data=[part])]
    request = ProduceRequest(acks=acks, timeout_ms=1000, topic_data=data)
    return client.ask(request, version, ProduceResponse).responses[0].partition_responses[0]


def fetch(
    client: RawClient, topic: str, version: int, offset: int = 0, most: int = 1 << 20
) -> tuple[int, bytes]:
    part = FetchPartition(partition=0, fetch_offset=offset, partition_max_bytes=most)
    topics = [FetchTopic(topic=topic, partitions=[part])]
    request = FetchRequest(max_wait_ms=0, min_bytes=1, topics=topics)
    (answer,) = client.ask(request, version, FetchResponse).responses[0].partitions
    assert isinstance(answer.records, bytes | bytearray | memoryview)
    return answer.error_code, bytes(answer.records)


def modern(codec: Codec, *values: bytes) -> bytes:
    builder = BatchBuilder(codec, 1 << 20)
    for value in values:
        builder.append(TIME, b"k", value, (("h", b"lost"),))
    return bytes(builder.build())


def test_sets_of_several_messages_become_a_batch(client: RawClient, topic: str) -> None:
    for version, timestamp in ((0, None), (1, None), (2, TIME)):
        sent = [message(at, b"k", b"%d" % at, timestamp=timestamp) for at in (0, 1)]
        answer = produce(client, topic, b"".join(sent), version)
        assert (answer.error_code, answer.base_offset) == (0, 4 * version)
        inside = [message(at, None, b"in", timestamp=timestamp) for at in (0, 1)]
        packed = wrapper(1, inside, Codec.GZIP, timestamp=timestamp)
        answer = produce(client, topic, packed, version, acks=-1)
        assert (answer.error_code, answer.base_offset) == (0, 4 * version + 2)
    error, data = fetch(client, topic, 4)
    assert not error
    assert [(each.magic, each.codec, each.count) for each in walk(data)] == [
        (2, Codec.NONE, 2),
        (2, Codec.GZIP, 2),
    ] * 3
    records, _ = decode_records(data, topic, 0)
    assert [one.value for one in records] == [b"0", b"1", b"in", b"in"] * 3
    assert [one.timestamp for one in records] == [-1] * 8 + [TIME] * 4


GOOD = message(0, b"k", b"v")


@pytest.mark.parametrize(
    ("records", "code"),
    [
        (GOOD[:-1] + b"?", ErrorCode.CORRUPT_MESSAGE),
        (message(0, None, b"x" * 10_000), ErrorCode.MESSAGE_TOO_LARGE),
        (
            message(0, None, b"", timestamp=TIME, attributes=LOG_APPEND_TIME),
            ErrorCode.INVALID_TIMESTAMP,
        ),
        (message(0, None, b"", timestamp=1 << 50), ErrorCode.INVALID_TIMESTAMP),
        (modern(Codec.ZSTD, b"x" * 100), ErrorCode.UNSUPPORTED_COMPRESSION_TYPE),
        (GOOD[:-1], ErrorCode.NONE),
    ],
    ids=["crc", "large", "time of a broker", "future", "zstd", "cut"],
)
def test_bad_sets_are_refused_and_store_nothing(
    client: RawClient, topic: str, records: bytes, code: ErrorCode
) -> None:
    answer = produce(client, topic, records, 2)
    assert (answer.error_code, answer.base_offset) == (code, -1)
    assert produce(client, topic, GOOD, 0).base_offset == 0


def test_a_version_takes_the_formats_and_acks_that_kafka_takes(
    client: RawClient, topic: str
) -> None:
    assert produce(client, topic, GOOD, 3).error_code == ErrorCode.INVALID_RECORD
    assert produce(client, topic, GOOD, 2, acks=2).error_code == ErrorCode.INVALID_REQUIRED_ACKS
    assert produce(client, topic, batch(b"one"), 2).base_offset == 0


@pytest.mark.parametrize("version", [0, 1, 2, 3])
@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP, Codec.SNAPPY, Codec.LZ4])
def test_batches_are_given_in_the_format_of_the_version(
    client: RawClient, topic: str, version: int, codec: Codec
) -> None:
    produce(client, topic, modern(codec, b"a" * 50, b"b" * 50, b"c" * 50), 3)
    error, data = fetch(client, topic, version, offset=1)
    assert not error
    magic = 0 if version < 2 else 1
    assert {(each.magic, each.codec) for each in walk(data)} == {(magic, codec)}
    records, next_offset = decode_records(data, topic, 0, start=1)
    assert [(one.offset, one.value) for one in records] == [(1, b"b" * 50), (2, b"c" * 50)]
    assert {one.timestamp for one in records} == {TIME if magic else -1}
    assert next_offset == 3


def test_limits_cut_a_message_until_version_3_gives_the_first_whole(
    client: RawClient, topic: str
) -> None:
    produce(client, topic, modern(Codec.NONE, b"a" * 50, b"b" * 50, b"c" * 50), 3)
    _, data = fetch(client, topic, 0, most=100)
    assert len(data) == 100
    assert [each.base_offset for each in walk(data)] == [0]
    _, data = fetch(client, topic, 0, offset=2, most=10)
    assert len(data) == 10
    _, data = fetch(client, topic, 3, most=10)
    assert [each.base_offset for each in walk(data)] == [0, 1, 2]


def test_zstd_ends_what_an_old_client_reads(
    broker: EmbeddedBroker, client: RawClient, topic: str
) -> None:
    produce(client, topic, batch(b"one"), 7)
    produce(client, topic, modern(Codec.ZSTD, b"x" * 100), 7)
    error, data = fetch(client, topic, 3)
    assert (error, [each.base_offset for each in walk(data)]) == (0, [0])
    refused = (ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, b"")
    assert fetch(client, topic, 3, offset=1) == refused
    broker.create_topic(f"{topic}-z", 1, {"compression.type": "zstd"})
    produce(client, f"{topic}-z", batch(b"one"), 7)
    assert fetch(client, f"{topic}-z", 9) == refused
    assert fetch(client, f"{topic}-z", 10)[0] == 0


def test_offsets_of_segments(broker: EmbeddedBroker, client: RawClient, topic: str) -> None:
    name = f"{topic}-s"
    broker.create_topic(name, 1, {"segment.ms": "1"})
    for _ in range(3):
        produce(client, name, message(0, None, b"x"), 0)

    def asked(timestamp: int, most: int) -> list[int]:
        part = ListOffsetsPartition(partition_index=0, timestamp=timestamp, max_num_offsets=most)
        topics = [ListOffsetsTopic(name=name, partitions=[part])]
        question = ListOffsetsRequest(replica_id=-1, topics=topics)
        (answer,) = client.ask(question, 0, ListOffsetsResponse).topics[0].partitions
        assert not answer.error_code
        return list(answer.old_style_offsets)

    assert asked(-1, 1) == [3]
    assert asked(-2, 10) == [0]
    assert asked(-1, 10)[-1] == 0
    assert asked(1, 10) == []
    assert asked(1 << 60, 2)[0] == 3
    assert asked(-1, 0) == []
