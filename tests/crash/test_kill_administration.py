"""What was answered about topics and producer ids is so after `kill -9`."""

from collections.abc import Iterator
from typing import TypeVar

import pytest

from barnabas.protocol.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    AlterUserScramCredentialsResponse,
    ScramCredentialUpsertion,
)
from barnabas.protocol.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopic,
)
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
from barnabas.protocol.describe_user_scram_credentials import (
    DescribeUserScramCredentialsRequest,
    DescribeUserScramCredentialsResponse,
)
from barnabas.protocol.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from barnabas.protocol.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from barnabas.protocol.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataResponseTopic,
)
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.unit.broker.raw_client import RawClient

TOPIC = 2
Answer = TypeVar("Answer")


@pytest.fixture
def broker() -> Iterator[OurBroker]:
    with OurBroker() as running:
        yield running


def ask(broker: OurBroker, message: object, version: int, kind: type[Answer]) -> Answer:
    with RawClient(broker.port) as client:
        return client.ask(message, version, kind)


def kill_and_start(broker: OurBroker) -> None:
    broker.child.kill()
    broker.start()


def create(broker: OurBroker, name: str, **config: str) -> bytes:
    """Make a topic of two partitions; gives its id."""
    topic = CreatableTopic(
        name=name,
        num_partitions=2,
        replication_factor=1,
        assignments=[],
        configs=[
            CreatableTopicConfig(name=key.replace("_", "."), value=value)
            for key, value in config.items()
        ],
    )
    answer = ask(broker, CreateTopicsRequest(topics=[topic]), 7, CreateTopicsResponse).topics[0]
    assert answer.error_code == 0
    return answer.topic_id


def reported(broker: OurBroker, name: str) -> MetadataResponseTopic:
    asked = [MetadataRequestTopic(name=name)]
    request = MetadataRequest(topics=asked, allow_auto_topic_creation=False)
    return ask(broker, request, 12, MetadataResponse).topics[0]


def producer_ids(broker: OurBroker, count: int) -> set[int]:
    request = InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=1000)
    with RawClient(broker.port) as client:
        given = [client.ask(request, 4, InitProducerIdResponse) for _ in range(count)]
    assert all((one.error_code, one.producer_epoch) == (0, 0) for one in given)
    return {one.producer_id for one in given}


def test_no_producer_id_is_given_twice(broker: OurBroker) -> None:
    seen: set[int] = set()
    for _ in range(3):
        given = producer_ids(broker, 20)
        assert len(given) == 20
        assert not given & seen
        seen |= given
        kill_and_start(broker)


def test_topics_keep_their_ids_and_partitions(broker: OurBroker) -> None:
    topic_id = create(broker, "kept")
    grown = CreatePartitionsRequest(
        topics=[CreatePartitionsTopic(name="kept", count=5, assignments=None)],
        timeout_ms=1000,
        validate_only=False,
    )
    assert ask(broker, grown, 3, CreatePartitionsResponse).results[0].error_code == 0
    kill_and_start(broker)
    topic = reported(broker, "kept")
    assert (topic.error_code, topic.topic_id) == (0, topic_id)
    assert sorted(one.partition_index for one in topic.partitions) == [0, 1, 2, 3, 4]
    assert {one.leader_id for one in topic.partitions} == {1}


def test_altered_properties_stay(broker: OurBroker) -> None:
    create(broker, "altered", retention_ms="5000", segment_ms="7000")
    change = AlterConfigsResource(
        resource_type=TOPIC,
        resource_name="altered",
        configs=[
            AlterableConfig(name="retention.ms", config_operation=0, value="9000"),
            AlterableConfig(name="segment.ms", config_operation=1, value=None),
        ],
    )
    request = IncrementalAlterConfigsRequest(resources=[change], validate_only=False)
    done = ask(broker, request, 1, IncrementalAlterConfigsResponse)
    assert done.responses[0].error_code == 0
    kill_and_start(broker)
    resource = DescribeConfigsResource(
        resource_type=TOPIC,
        resource_name="altered",
        configuration_keys=["retention.ms", "segment.ms"],
    )
    asked = DescribeConfigsRequest(resources=[resource])
    found = ask(broker, asked, 4, DescribeConfigsResponse).results[0].configs
    assert {one.name: (one.value, one.config_source) for one in found} == {
        "retention.ms": ("9000", 1),
        "segment.ms": ("604800000", 5),
    }


def test_a_deleted_topic_stays_away_and_its_name_is_free(broker: OurBroker) -> None:
    first = create(broker, "gone")
    request = DeleteTopicsRequest(topic_names=["gone"], timeout_ms=1000)
    assert ask(broker, request, 5, DeleteTopicsResponse).responses[0].error_code == 0
    kill_and_start(broker)
    assert reported(broker, "gone").error_code == 3
    assert create(broker, "gone") != first
    kill_and_start(broker)
    assert reported(broker, "gone").topic_id != first


def test_passwords_stay(broker: OurBroker) -> None:
    wanted = ScramCredentialUpsertion(
        name="me", mechanism=1, iterations=4096, salt=b"salt", salted_password=b"salted"
    )
    request = AlterUserScramCredentialsRequest(deletions=[], upsertions=[wanted])
    (done,) = ask(broker, request, 0, AlterUserScramCredentialsResponse).results
    assert done.error_code == 0
    kill_and_start(broker)
    everybody = DescribeUserScramCredentialsRequest(users=None)
    (reported,) = ask(broker, everybody, 0, DescribeUserScramCredentialsResponse).results
    assert [(one.mechanism, one.iterations) for one in reported.credential_infos] == [(1, 4096)]
