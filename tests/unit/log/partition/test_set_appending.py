"""What topics of an older record format store, and what their readers get."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResponse,
)
from barnabas.protocol.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic
from barnabas.protocol.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
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
from tests.unit.broker.raw_client import RawClient

pytestmark = pytest.mark.kernels

TIME = 1_700_000_000_000
KEEP = {"log.retention.ms": -1, "message.max.bytes": 10_000}
OFFSETS = range(3)


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(KEEP) as embedded:
        for version in ("0.9.0", "0.10.2-IV0", "0.11.0"):
            embedded.create_topic(version, 1, {"message.format.version": version})
        yield embedded


@pytest.fixture
def client(broker: EmbeddedBroker) -> Iterator[RawClient]:
    with RawClient(broker.port) as raw:
        yield raw


def new(broker: EmbeddedBroker, name: str, **config: str) -> str:
    broker.create_topic(name, 1, {key.replace("_", "."): value for key, value in config.items()})
    return name


def produce(
    client: RawClient, topic: str, records: bytes, version: int
) -> PartitionProduceResponse:
    part = PartitionProduceData(index=0, records=records)
    data = [TopicProduceData(name=topic, partition_data=[part])]
    request = ProduceRequest(acks=1, timeout_ms=1000, topic_data=data)
    return client.ask(request, version, ProduceResponse).responses[0].partition_responses[0]


def fetch(client: RawClient, topic: str, version: int, offset: int = 0) -> tuple[int, bytes]:
    part = FetchPartition(partition=0, fetch_offset=offset, partition_max_bytes=1 << 20)
    topics = [FetchTopic(topic=topic, partitions=[part])]
    request = FetchRequest(max_wait_ms=0, min_bytes=1, topics=topics)
    (answer,) = client.ask(request, version, FetchResponse).responses[0].partitions
    assert isinstance(answer.records, bytes | bytearray | memoryview)
    return answer.error_code, bytes(answer.records)


def stored(broker: EmbeddedBroker, topic: str) -> bytes:
    (file,) = Path(broker.data_dir, f"{topic}-0").glob("*.log")
    return file.read_bytes()


def modern(codec: Codec = Codec.NONE, *, headers: tuple[tuple[str, bytes], ...] = ()) -> bytes:
    builder = BatchBuilder(codec, 1 << 20)
    for at in OFFSETS:
        builder.append(TIME + at, b"k", b"v%d" % at, headers)
    return bytes(builder.build())


OLD = b"".join(message(at, b"k", b"v%d" % at) for at in OFFSETS)
TIMED = b"".join(message(at, b"k", b"v%d" % at, timestamp=TIME + at) for at in OFFSETS)


@pytest.mark.parametrize(
    ("sent", "version"), [(OLD, 0), (TIMED, 2), (modern(), 7)], ids=["magic 0", "1", "2"]
)
@pytest.mark.parametrize(("form", "kept"), [("0.9.0", OLD), ("0.10.0", TIMED)])
def test_whatever_is_sent_is_stored_in_the_topics_format(
    broker: EmbeddedBroker, client: RawClient, sent: bytes, version: int, form: str, kept: bytes
) -> None:
    topic = new(broker, f"{form}-of-{version}", message_format_version=form)
    assert produce(client, topic, sent, version).base_offset == 0
    if version == 0 and form == "0.10.0":
        kept = b"".join(message(at, b"k", b"v%d" % at, timestamp=-1) for at in OFFSETS)
    assert stored(broker, topic) == kept
    assert fetch(client, topic, 4) == fetch(client, topic, 11) == (0, kept)
    assert fetch(client, topic, 0) == (0, OLD)
    again = produce(client, topic, sent, version)
    assert (again.error_code, again.base_offset) == (0, 3)


def test_a_fetch_begins_with_the_very_message(client: RawClient) -> None:
    for start in (0, 3):
        assert produce(client, "0.9.0", OLD, 1).base_offset == start
    third = b"".join(message(at, b"k", b"v%d" % (at % 3)) for at in range(2, 6))
    assert fetch(client, "0.9.0", 1, offset=2) == fetch(client, "0.9.0", 4, offset=2) == (0, third)


def test_compressed_messages_get_their_offsets_inside(
    broker: EmbeddedBroker, client: RawClient
) -> None:
    topic = new(broker, "zipped", message_format_version="0.9.0")
    unnumbered = [message(0, b"k", b"v%d" % at) for at in OFFSETS]
    sent = wrapper(0, unnumbered, Codec.GZIP)
    for base in (0, 3):
        assert produce(client, topic, sent, 0).base_offset == base
    code, got = fetch(client, topic, 0, offset=4)
    assert code == 0
    (header,) = walk(got)
    assert (header.base_offset, header.codec) == (5, Codec.GZIP)
    found = [(each.offset, each.value) for each in decode_records(got, "t", 0)[0]]
    assert found == [(at, b"v%d" % (at % 3)) for at in range(3, 6)]


def test_append_time_is_in_messages_of_magic_1(broker: EmbeddedBroker, client: RawClient) -> None:
    topic = new(
        broker, "stamped", message_format_version="0.10.0", message_timestamp_type="LogAppendTime"
    )
    answer = produce(client, topic, TIMED, 2)
    now = answer.log_append_time_ms
    assert now > TIME
    expected = [
        message(at, b"k", b"v%d" % at, timestamp=now, attributes=LOG_APPEND_TIME) for at in OFFSETS
    ]
    assert fetch(client, topic, 2) == (0, b"".join(expected))


@pytest.mark.parametrize(
    ("records", "code"),
    [
        (modern(headers=(("h", b"x"),)), ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT),
        (modern(Codec.ZSTD), ErrorCode.UNSUPPORTED_COMPRESSION_TYPE),
        (message(0, None, bytes(20_000), timestamp=TIME), ErrorCode.MESSAGE_TOO_LARGE),
        (message(0, None, b"v", timestamp=1 << 50), ErrorCode.INVALID_TIMESTAMP),
    ],
    ids=["headers", "zstd", "size", "time"],
)
def test_what_the_format_or_the_topic_cannot_hold_is_refused(
    client: RawClient, records: bytes, code: ErrorCode
) -> None:
    version = 7 if records[16] == 2 else 2
    assert produce(client, "0.10.2-IV0", records, version).error_code == code
    assert fetch(client, "0.10.2-IV0", 4) == (0, b"")


def test_zstd_and_an_old_format_do_not_go_together(broker: EmbeddedBroker) -> None:
    with pytest.raises(BrokerError, match="zstd"):
        new(broker, "neither", message_format_version="0.10.0", compression_type="zstd")


def test_a_key_is_needed_where_a_topic_is_compacted(
    broker: EmbeddedBroker, client: RawClient
) -> None:
    topic = new(broker, "keyed", message_format_version="0.9.0", cleanup_policy="compact")
    refused = produce(client, topic, message(0, None, b"v"), 0)
    assert refused.error_code == ErrorCode.INVALID_RECORD
    assert produce(client, topic, OLD, 0).error_code == 0


def test_times_cannot_be_asked_for_where_there_are_none(client: RawClient) -> None:
    for topic, code in (("0.9.0", ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT), ("0.11.0", 0)):
        part = ListOffsetsPartition(partition_index=0, timestamp=TIME)
        topics = [ListOffsetsTopic(name=topic, partitions=[part])]
        request = ListOffsetsRequest(replica_id=-1, topics=topics)
        (answer,) = client.ask(request, 1, ListOffsetsResponse).topics[0].partitions
        assert answer.error_code == code


def test_readers_of_an_older_format_can_be_refused(
    broker: EmbeddedBroker, client: RawClient
) -> None:
    topic = new(broker, "as-it-is", message_downconversion_enable="false")
    assert produce(client, topic, modern(), 7).error_code == 0
    assert fetch(client, topic, 3) == (ErrorCode.UNSUPPORTED_VERSION, b"")
    assert fetch(client, topic, 4)[0] == 0


def test_the_log_opens_again_and_goes_on(tmp_path: Path) -> None:
    with EmbeddedBroker(KEEP, data_dir=tmp_path, profile="0.8.2") as broker:
        broker.create_topic("dogs")
        with RawClient(broker.port) as client:
            assert produce(client, "dogs", OLD, 0).base_offset == 0
    with EmbeddedBroker(KEEP, data_dir=tmp_path) as broker, RawClient(broker.port) as client:
        assert produce(client, "dogs", modern(), 7).base_offset == 3
        code, got = fetch(client, "dogs", 11)
        assert (code, got[: len(OLD)], got[len(OLD) + 16]) == (0, OLD, 2)
        assert fetch(client, "dogs", 0)[1][: len(OLD)] == OLD


@pytest.mark.parametrize(
    ("profile", "stored_as"),
    [("0.8.0", 0), ("0.9.0", 0), ("0.10.0", 1), ("0.10.2", 1), ("0.11.0", 2), ("3.9", 2)],
)
def test_a_release_has_its_own_format(profile: str, stored_as: int) -> None:
    with EmbeddedBroker(KEEP, profile=profile) as broker, RawClient(broker.port) as client:
        broker.create_topic("dogs")
        assert produce(client, "dogs", OLD, 0).error_code == 0
        assert stored(broker, "dogs")[16] == stored_as


@pytest.mark.parametrize(
    ("profile", "reported"), [("", {}), ("2.8", {"2.8-IV1", "true"}), ("3.9", {"3.0-IV1", "true"})]
)
def test_only_releases_that_have_the_properties_describe_them(
    profile: str, reported: set[str]
) -> None:
    with EmbeddedBroker(profile=profile) as broker, RawClient(broker.port) as client:
        broker.create_topic("dogs")
        asked = ["message.format.version", "message.downconversion.enable"]
        resource = DescribeConfigsResource(
            resource_type=2, resource_name="dogs", configuration_keys=asked
        )
        request = DescribeConfigsRequest(resources=[resource])
        (answer,) = client.ask(request, 1, DescribeConfigsResponse).results
        assert {row.value for row in answer.configs} == set(reported)
        assert all(row.is_default or row.config_source == 5 for row in answer.configs)


def test_what_would_not_go_into_a_segment_is_refused_as_it_would_be_stored(
    broker: EmbeddedBroker, client: RawClient
) -> None:
    builder = BatchBuilder(Codec.GZIP, 1 << 21)
    for _ in range(300):
        builder.append(TIME, b"k", bytes(4000), ())
    small = bytes(builder.build())
    assert len(small) < 10_000
    limits = {"segment_bytes": "1048576", "max_message_bytes": "2000000"}
    for form in ("0.10.0", "3.0"):
        name = f"segments-of-{form}"
        stored_as = new(
            broker, name, message_format_version=form, compression_type="uncompressed", **limits
        )
        answer = produce(client, stored_as, small, 7)
        assert answer.error_code == ErrorCode.RECORD_LIST_TOO_LARGE, form
        assert fetch(client, stored_as, 4) == (0, b"")
