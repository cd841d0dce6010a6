"""The first versions of administrative requests, which AdminClients of 0.11 and their like send."""

from collections.abc import Iterator

import pytest

from barnabas.errors import ErrorCode
from barnabas.protocol.create_topics import (
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from barnabas.protocol.delete_topics import DeleteTopicsRequest, DeleteTopicsResponse
from barnabas.protocol.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResponse,
)
from barnabas.protocol.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)
from barnabas.testing import EmbeddedBroker
from tests.unit.broker.raw_client import RawClient


@pytest.fixture
def client() -> Iterator[RawClient]:
    with EmbeddedBroker() as broker, RawClient(broker.port) as connected:
        yield connected


def create(client: RawClient, version: int, *, validate_only: bool = False) -> int:
    topic = CreatableTopic(
        name="dogs",
        num_partitions=2,
        replication_factor=1,
        assignments=[],
        configs=[CreatableTopicConfig(name="retention.ms", value="5000")],
    )
    request = CreateTopicsRequest(topics=[topic], timeout_ms=1000, validate_only=validate_only)
    (made,) = client.ask(request, version, CreateTopicsResponse).topics
    return made.error_code


def delete(client: RawClient) -> int:
    request = DeleteTopicsRequest(topic_names=["dogs"], timeout_ms=1000)
    (gone,) = client.ask(request, 0, DeleteTopicsResponse).responses
    return gone.error_code


def test_a_topic_is_made_once_and_removed_once(client: RawClient) -> None:
    assert create(client, 1, validate_only=True) == ErrorCode.NONE
    assert create(client, 0) == ErrorCode.NONE
    assert create(client, 0) == ErrorCode.TOPIC_ALREADY_EXISTS
    assert delete(client) == ErrorCode.NONE
    assert delete(client) == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_a_property_is_marked_where_it_has_its_default(client: RawClient) -> None:
    create(client, 0)
    names = ["retention.ms", "segment.bytes"]
    resource = DescribeConfigsResource(
        resource_type=2, resource_name="dogs", configuration_keys=names
    )
    answer = client.ask(DescribeConfigsRequest(resources=[resource]), 0, DescribeConfigsResponse)
    reported = {one.name: (one.value, one.is_default) for one in answer.results[0].configs}
    assert reported == {"retention.ms": ("5000", False), "segment.bytes": ("1073741824", True)}


@pytest.mark.parametrize(("version", "epoch"), [(0, -1), (1, 0)])
def test_the_end_of_an_epoch(client: RawClient, version: int, epoch: int) -> None:
    create(client, 0)
    asked = OffsetForLeaderPartition(partition=0, leader_epoch=0)
    request = OffsetForLeaderEpochRequest(
        topics=[OffsetForLeaderTopic(topic="dogs", partitions=[asked])]
    )
    answer = client.ask(request, version, OffsetForLeaderEpochResponse)
    (end,) = answer.topics[0].partitions
    assert (end.error_code, end.leader_epoch, end.end_offset) == (0, epoch, 0)
