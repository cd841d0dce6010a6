"""A request that would take more memory than one may is refused, by the name of its API and field."""

import tracemalloc

import pytest

from barnabas.broker.dispatch import SERVED
from barnabas.dialects.kafka.requests import KafkaDialect, MessageCodecs
from barnabas.errors import DecodeError
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.create_topics import (
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from barnabas.protocol.fetch import FetchPartition, FetchRequest, FetchTopic
from barnabas.protocol.headers import RequestHeader, encode_request
from barnabas.protocol.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from barnabas.protocol.metadata import MetadataRequest, MetadataRequestTopic
from barnabas.protocol.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from barnabas.protocol.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
)
from barnabas.protocol.produce import ProduceRequest
from barnabas.wire.charges import MOST_REQUEST_BYTES

pytestmark = pytest.mark.kernels

TOPICS, EACH = 10_000, 10
"""100,000 partitions, as a large estate has them."""


def frame(key: ApiKey, version: int, message: object) -> memoryview:
    header = RequestHeader(key, version, 7, "client")
    return memoryview(bytearray(encode_request(header, message).joined()[4:]))


def fetch(version: int) -> tuple[ApiKey, int, object]:
    parts = [
        FetchPartition(partition=index, fetch_offset=1 << 40, partition_max_bytes=1 << 20)
        for index in range(EACH)
    ]
    topics = [FetchTopic(topic=f"topic-{number}", partitions=parts) for number in range(TOPICS)]
    request = FetchRequest(max_wait_ms=0, min_bytes=0, topics=topics, forgotten_topics_data=[])
    return ApiKey.FETCH, version, request


def offset_commit(version: int) -> tuple[ApiKey, int, object]:
    parts = [
        OffsetCommitRequestPartition(
            partition_index=index, committed_offset=1 << 40, committed_metadata="a host, a thread"
        )
        for index in range(EACH)
    ]
    topics = [
        OffsetCommitRequestTopic(name=f"topic-{number}", partitions=parts)
        for number in range(TOPICS)
    ]
    return ApiKey.OFFSET_COMMIT, version, OffsetCommitRequest(group_id="g", topics=topics)


def offset_fetch(version: int) -> tuple[ApiKey, int, object]:
    topics = [
        OffsetFetchRequestTopics(name=f"topic-{number}", partition_indexes=list(range(EACH)))
        for number in range(TOPICS)
    ]
    group = OffsetFetchRequestGroup(group_id="g", topics=topics)
    return ApiKey.OFFSET_FETCH, version, OffsetFetchRequest(groups=[group])


def create_topics(version: int) -> tuple[ApiKey, int, object]:
    configs = [CreatableTopicConfig(name=f"property.{n}", value="a value") for n in range(5)]
    topics = [
        CreatableTopic(
            name=f"topic-{number}",
            num_partitions=1,
            replication_factor=1,
            assignments=[],
            configs=configs,
        )
        for number in range(TOPICS)
    ]
    return ApiKey.CREATE_TOPICS, version, CreateTopicsRequest(topics=topics, timeout_ms=0)


@pytest.mark.parametrize(
    "asked",
    [fetch(4), fetch(12), offset_commit(2), offset_commit(8), offset_fetch(8), create_topics(7)],
    ids=lambda asked: f"{asked[0].name}-{asked[1]}",
)
def test_what_large_estates_ask_is_read(asked: tuple[ApiKey, int, object]) -> None:
    key, version, message = asked
    request = KafkaDialect(MessageCodecs(SERVED)).read_request(frame(key, version, message))
    assert (request.api_key, request.correlation_id) == (key, 7)


def a_million_entries() -> tuple[ApiKey, int, object]:
    entries = [AlterableConfig(name=f"n{n}", config_operation=0, value="") for n in range(1 << 20)]
    one = AlterConfigsResource(resource_type=2, resource_name="t", configs=entries)
    message = IncrementalAlterConfigsRequest(resources=[one], validate_only=False)
    return ApiKey.INCREMENTAL_ALTER_CONFIGS, 1, message


def wide_names() -> tuple[ApiKey, int, object]:
    names = [MetadataRequestTopic(name="\U0001f600" + "x" * 32_000) for _ in range(400)]
    return ApiKey.METADATA, 9, MetadataRequest(topics=names)


@pytest.mark.parametrize(
    ("asked", "where"),
    [
        (a_million_entries(), "INCREMENTAL_ALTER_CONFIGS 1: resources[].configs"),
        (wide_names(), "METADATA 9: topics[].name"),
    ],
    ids=["elements", "texts"],
)
def test_what_would_take_more_is_refused_before_it_is_taken(
    asked: tuple[ApiKey, int, object], where: str
) -> None:
    dialect, hostile = KafkaDialect(MessageCodecs(SERVED)), frame(*asked)
    tracemalloc.start()
    try:
        with pytest.raises(DecodeError) as caught:
            dialect.read_request(hostile)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert caught.value.where.startswith(where)
    assert f"socket.request.max.memory.bytes={MOST_REQUEST_BYTES}" in str(caught.value)
    assert peak < 1.3 * MOST_REQUEST_BYTES


def test_the_property_says_how_much() -> None:
    few = MetadataRequest(topics=[MetadataRequestTopic(name="t")] * 10)
    asked = frame(ApiKey.METADATA, 9, few)
    assert KafkaDialect(MessageCodecs(SERVED, 10_000)).read_request(asked).body == few
    for _ in range(2):
        with pytest.raises(DecodeError, match=r"METADATA 9: topics .*memory\.bytes=1000"):
            KafkaDialect(MessageCodecs(SERVED, 1000)).read_request(asked)


def test_only_a_request_with_records_may_be_larger_than_that() -> None:
    dialect = KafkaDialect(MessageCodecs(SERVED))
    dialect.check_large(
        frame(ApiKey.PRODUCE, 7, ProduceRequest(acks=1, timeout_ms=0, topic_data=[]))[:4], 1
    )
    with pytest.raises(
        DecodeError, match=r"METADATA 9: frame .*memory\.bytes without records, not 5"
    ):
        dialect.check_large(frame(ApiKey.METADATA, 9, MetadataRequest(topics=[]))[:4], 5)
    with pytest.raises(DecodeError, match="API 999"):
        dialect.check_large(memoryview(b"\x03\xe7\0\0"), 5)
