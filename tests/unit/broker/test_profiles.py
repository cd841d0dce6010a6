"""What a broker offers as a release of Kafka: over raw connections."""

from pathlib import Path
from struct import pack

import pytest

from barnabas import Admin, NewTopic, Producer, Resource
from barnabas.broker.dispatch import SERVED
from barnabas.broker.profiles import EVERYTHING, of_member, profile_of
from barnabas.config.releases import RELEASES
from barnabas.errors import ErrorCode
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.api_versions import ApiVersionsRequest, ApiVersionsResponse
from barnabas.protocol.delete_topics import DeleteTopicsRequest, DeleteTopicsResponse
from barnabas.protocol.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResponse,
)
from barnabas.protocol.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse
from barnabas.protocol.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from barnabas.protocol.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from barnabas.protocol.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from barnabas.protocol.releases import apis_of
from barnabas.testing import EmbeddedBroker
from barnabas.versions import VersionRange
from tests.message_sets import message
from tests.unit.broker.batches import batch
from tests.unit.broker.raw_client import RawClient

QUESTION = ApiVersionsRequest(client_software_name="t", client_software_version="1")


def offered(client: RawClient, version: int) -> dict[int, tuple[int, int]]:
    answer = client.ask(QUESTION, version, ApiVersionsResponse)
    assert answer.error_code == 0
    return {row.api_key: (row.min_version, row.max_version) for row in answer.api_keys}


def test_a_profile_serves_what_both_have_and_tells_what_it_lacks() -> None:
    for release in RELEASES:
        profile, has = profile_of(release), apis_of(release)
        for key, versions in profile.served.items():
            assert versions == has[key].intersection(SERVED[key])
            assert (key in profile.lacking) == (versions != has[key])
        assert profile.served.keys() | profile.lacking.keys() == has.keys()
    assert profile_of("") is EVERYTHING


def test_kafka_4_advertises_produce_from_0_on_and_does_not_serve_it() -> None:
    profile = profile_of("4.0")
    assert profile.advertised[ApiKey.PRODUCE] == VersionRange(0, 12)
    assert profile.served[ApiKey.PRODUCE] == VersionRange(3, 12)
    with EmbeddedBroker(profile="4.0") as broker, RawClient(broker.port) as client:
        assert offered(client, 4)[ApiKey.PRODUCE] == (0, 12)
        client.send(client.frame(ProduceRequest(acks=1, timeout_ms=1, topic_data=[]), 2))
        assert client.is_closed_by_the_other_side()


@pytest.mark.parametrize("profile", ["0.8.0", "0.8.2.2"])
def test_in_0_8_there_is_no_api_versions(profile: str) -> None:
    with EmbeddedBroker(profile=profile) as broker, RawClient(broker.port) as client:
        assert client.ask(MetadataRequest(topics=[]), 0, MetadataResponse).topics == []
        client.send(client.frame(QUESTION, 0))
        assert client.is_closed_by_the_other_side()


@pytest.mark.parametrize(
    ("profile", "rows"), [("0.10.0", {}), ("2.3", {}), ("2.4", {18: (0, 3)}), ("3.9", {18: (0, 4)})]
)
def test_an_unknown_version_of_api_versions_is_answered_in_version_0(
    profile: str, rows: dict[int, tuple[int, int]]
) -> None:
    with EmbeddedBroker(profile=profile) as broker, RawClient(broker.port) as client:
        client.send(client.frame(QUESTION, 5, answered_in=0))
        answer = client.receive(ApiVersionsResponse)
        assert answer.error_code == ErrorCode.UNSUPPORTED_VERSION
        assert {row.api_key: (row.min_version, row.max_version) for row in answer.api_keys} == rows
        assert offered(client, 0)[ApiKey.PRODUCE] == (
            0,
            profile_of(profile).served[ApiKey.PRODUCE].last,
        )


def test_a_version_the_release_lacks_ends_the_connection() -> None:
    with EmbeddedBroker(profile="0.10.2") as broker, RawClient(broker.port) as client:
        assert offered(client, 0)[ApiKey.METADATA] == (0, 2)
        assert client.ask(MetadataRequest(topics=[]), 2, MetadataResponse).topics == []
        client.send(client.frame(MetadataRequest(topics=[]), 3))
        assert client.is_closed_by_the_other_side()
        with RawClient(broker.port) as another:
            another.send(another.frame(ProduceRequest(acks=1, timeout_ms=1, topic_data=[]), 3))
            assert another.is_closed_by_the_other_side()


def test_0_8_reads_any_version_of_data_as_its_own_and_closes_on_the_rest() -> None:
    with EmbeddedBroker(profile="0.8.2") as broker, RawClient(broker.port) as client:
        client.send(client.frame(MetadataRequest(topics=[]), 5, answered_in=0))
        assert client.receive(MetadataResponse).topics == []
        client.send(pack(">ihhih", 10, 120, 0, 1, -1))
        assert client.is_closed_by_the_other_side()


def test_0_9_leaves_what_it_does_not_know_unanswered_and_goes_on() -> None:
    with EmbeddedBroker(profile="0.9.0") as broker, RawClient(broker.port) as client:
        client.send(client.frame(QUESTION, 0, expect_reply=False))
        client.send(pack(">ihhih", 10, 120, 0, 1, -1))
        client.send(client.frame(MetadataRequest(topics=[]), 7, answered_in=0))
        assert client.receive(MetadataResponse).topics == []


@pytest.mark.parametrize(
    ("profile", "version"), [("0.8.2", 0), ("0.9.0", 0), ("0.11.0", 1), ("2.8", 3), ("4.3", 3)]
)
def test_every_release_has_the_topics_of_its_coordinators(profile: str, version: int) -> None:
    few = {"offsets.topic.num.partitions": "1", "transaction.state.log.num.partitions": "1"}
    with EmbeddedBroker(few, profile=profile) as broker, RawClient(broker.port) as client:
        for kind in (0, 1) if version else (0,):
            request = FindCoordinatorRequest(key="kennel", key_type=kind)
            assert client.ask(request, version, FindCoordinatorResponse).error_code == 0


@pytest.mark.kernels
@pytest.mark.parametrize(
    ("profile", "version", "acks", "code"),
    [
        ("", 0, 2, 0),
        ("", 0, -3, 0),
        ("", 1, 2, 21),
        ("", 1, -3, 21),
        ("", 2, 2, 21),
        ("", 2, -3, 21),
        ("0.8.2", 0, 2, 7),
        ("0.8.1", 0, 2, 0),
        ("0.8.0", 0, -3, 0),
        ("0.9.0", 0, 2, 21),
        ("0.9.0", 1, -3, 21),
        ("3.9", 0, 2, 21),
    ],
)
def test_acks_beyond_one_are_not_waited_for_but_by_0_8_2_and_refused_later(
    profile: str, version: int, acks: int, code: int
) -> None:
    with EmbeddedBroker(profile=profile) as broker, RawClient(broker.port) as client:
        broker.create_topic("dogs")
        part = PartitionProduceData(index=0, records=message(0, None, b"x"))
        topics = [TopicProduceData(name="dogs", partition_data=[part])]
        request = ProduceRequest(acks=acks, timeout_ms=10, topic_data=topics)
        answer = client.ask(request, version, ProduceResponse).responses[0].partition_responses[0]
        assert answer.error_code == code
        assert answer.base_offset == (-1 if code == 21 else 0)


@pytest.mark.kernels
@pytest.mark.parametrize(
    ("profile", "version", "code"),
    [("0.10.2", 0, 2), ("2.3", 7, 2), ("2.4", 7, 87), ("3.9", 8, 87)],
)
def test_records_without_a_key_are_corrupt_before_2_4(
    profile: str, version: int, code: int
) -> None:
    records = message(0, None, b"v") if version == 0 else bytes(batch(b"v"))
    with EmbeddedBroker(profile=profile) as broker, RawClient(broker.port) as client:
        broker.create_topic("dogs", config={"cleanup.policy": "compact"})
        part = PartitionProduceData(index=0, records=records)
        topics = [TopicProduceData(name="dogs", partition_data=[part])]
        request = ProduceRequest(acks=1, timeout_ms=10, topic_data=topics)
        answer = client.ask(request, version, ProduceResponse).responses[0].partition_responses[0]
        assert answer.error_code == code
        assert bool(answer.record_errors) == (version == 8)


@pytest.mark.parametrize(
    ("profile", "version", "code"),
    [("0.10.2", 0, 7), ("0.11.0", 1, 7), ("1.0", 1, 42), ("2.1", 3, 73)],
)
def test_deletion_that_is_disabled_is_not_done_in_time_before_1_0(
    profile: str, version: int, code: int
) -> None:
    config = {"delete.topic.enable": "false"}
    with EmbeddedBroker(config, profile=profile) as broker, RawClient(broker.port) as client:
        broker.create_topic("dogs")
        request = DeleteTopicsRequest(topic_names=["dogs"], timeout_ms=10)
        (answer,) = client.ask(request, version, DeleteTopicsResponse).responses
        assert answer.error_code == code


@pytest.mark.parametrize(
    ("profile", "code"),
    [
        ("0.8.0", ErrorCode.LEADER_NOT_AVAILABLE),
        ("3.2", ErrorCode.LEADER_NOT_AVAILABLE),
        ("3.3", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (None, ErrorCode.NONE),
    ],
)
def test_who_asks_first_for_a_new_topic_finds_it_when_asking_again(
    profile: str | None, code: ErrorCode
) -> None:
    asked = MetadataRequest(topics=[MetadataRequestTopic(name="new")])
    with EmbeddedBroker(profile=profile) as broker, RawClient(broker.port) as client:
        first, second = (client.ask(asked, 0, MetadataResponse).topics[0] for _ in range(2))
    assert (first.error_code, len(first.partitions)) == (code, 0 if code else 1)
    assert (second.error_code, len(second.partitions)) == (0, 1)


@pytest.mark.parametrize(
    ("profile", "kind", "names"),
    [
        ("3.6", 16, None),
        ("3.7", 16, {"interval.ms", "match", "metrics"}),
        ("3.9", 32, None),
        (
            "4.0",
            32,
            {
                "consumer.heartbeat.interval.ms", "consumer.session.timeout.ms",
                "share.auto.offset.reset", "share.heartbeat.interval.ms",
                "share.record.lock.duration.ms", "share.session.timeout.ms",
            },
        ),
    ],
)  # fmt: skip
def test_groups_and_metrics_have_the_properties_of_the_release(
    profile: str, kind: int, names: set[str] | None
) -> None:
    one = DescribeConfigsResource(resource_type=kind, resource_name="g", configuration_keys=None)
    later = AlterableConfig(
        name="share.isolation.level", config_operation=0, value="read_committed"
    )
    changed = AlterConfigsResource(resource_type=kind, resource_name="g", configs=[later])
    with EmbeddedBroker(profile=profile) as broker, RawClient(broker.port) as client:
        asked = DescribeConfigsRequest(resources=[one])
        (reported,) = client.ask(asked, 4, DescribeConfigsResponse).results
        alter = IncrementalAlterConfigsRequest(resources=[changed], validate_only=False)
        (refused,) = client.ask(alter, 1, IncrementalAlterConfigsResponse).responses
    if names is None:
        assert reported.error_code == refused.error_code == ErrorCode.INVALID_REQUEST
    else:
        assert {each.name for each in reported.configs} == names
        assert refused.error_code in (ErrorCode.INVALID_REQUEST, ErrorCode.INVALID_CONFIG)


def test_a_topic_of_a_release_before_4_keeps_its_small_segments_without_a_profile(
    tmp_path: Path,
) -> None:
    own = {"segment.bytes": "500"}
    for profile in ("3.9", None, "4.3"):
        with (
            EmbeddedBroker(data_dir=tmp_path, profile=profile) as broker,
            Admin(bootstrap_servers=broker.bootstrap_servers) as admin,
            Producer(bootstrap_servers=broker.bootstrap_servers) as producer,
        ):
            if "dogs" not in admin.list_topics():
                admin.create_topics([NewTopic("dogs", 1, 1, own)])
            assert admin.describe_configs(Resource.TOPIC, "dogs")["segment.bytes"].value == "500"
            for _ in range(2):
                producer.send("dogs", bytes(400)).result(30)
    assert len(list(tmp_path.glob("dogs-0/*.log"))) == 6


@pytest.mark.parametrize(("protocol", "listed"), [("3.9", False), ("4.0", True)])
def test_a_member_lists_what_only_kraft_has_where_no_broker_of_kafka_takes_part(
    protocol: str, *, listed: bool
) -> None:
    member = of_member(profile_of(""), protocol)
    for key in (ApiKey.DESCRIBE_TOPIC_PARTITIONS, ApiKey.LIST_CONFIG_RESOURCES):
        assert (key in member.advertised, key in member.served) == (listed, listed)
