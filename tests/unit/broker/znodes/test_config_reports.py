"""Properties and quotas that are changed at one broker hold on all of a cluster, at once."""

from collections.abc import Iterator, Mapping

import pytest

from barnabas import Admin, NewTopic, Producer, Resource
from barnabas.errors import BrokerError, ErrorCode, RequestTimeout
from barnabas.protocol.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasResponse,
    AlteredEntity,
    EntityData,
    OpData,
)
from barnabas.protocol.describe_client_quotas import (
    DescribeClientQuotasRequest,
    DescribeClientQuotasResponse,
)
from barnabas.protocol.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from barnabas.testing import EmbeddedCluster
from tests.unit.broker.raw_client import RawClient
from tests.waiting import wait

SECONDS = 30.0


@pytest.fixture
def cluster() -> Iterator[EmbeddedCluster]:
    with EmbeddedCluster(3) as made:
        yield made


def test_a_topics_property_holds_at_each_leader(cluster: EmbeddedCluster) -> None:
    with Admin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        admin.create_topics([NewTopic("dogs", 3)])
        assert sorted(cluster.leader("dogs", index) for index in range(3)) == [1, 2, 3]
        admin.alter_configs(Resource.TOPIC, "dogs", {"max.message.bytes": "500"})

    def is_refused(partition: int) -> bool:
        with Producer(
            {"max.request.size": 10_000}, bootstrap_servers=cluster.bootstrap_servers
        ) as producer:
            try:
                producer.send("dogs", b"x" * 2000, partition=partition).result(SECONDS)
            except BrokerError as error:
                return error.code == ErrorCode.MESSAGE_TOO_LARGE
        return False

    for index in range(3):
        wait(lambda index=index: is_refused(index))  # type: ignore[misc]


def test_a_property_of_all_brokers_holds_on_each(cluster: EmbeddedCluster) -> None:
    with Admin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        admin.alter_configs(Resource.BROKER, "", {"message.max.bytes": "12345"})

        def value(broker: int) -> str | None:
            return admin.describe_configs(Resource.BROKER, str(broker))["message.max.bytes"].value

        for broker in cluster.running:
            wait(lambda broker=broker: value(broker) == "12345")  # type: ignore[misc]


def test_a_quota_that_one_broker_was_given_is_known_to_all(cluster: EmbeddedCluster) -> None:
    entry = AlteredEntity(
        entity=[EntityData(entity_type="client-id", entity_name="rex")],
        ops=[OpData(key="producer_byte_rate", value=1000.0, remove=False)],
    )
    with RawClient(cluster.port(1)) as client:
        request = AlterClientQuotasRequest(entries=[entry], validate_only=False)
        answer = client.ask(request, 0, AlterClientQuotasResponse)
        assert [one.error_code for one in answer.entries] == [0]

    def quotas(broker: int) -> list[float]:
        with RawClient(cluster.port(broker)) as client:
            found = client.ask(
                DescribeClientQuotasRequest(components=[], strict=False),
                0,
                DescribeClientQuotasResponse,
            )
        return [value.value for one in found.entries or () for value in one.values]

    for broker in cluster.running:
        wait(lambda broker=broker: quotas(broker) == [1000.0])  # type: ignore[misc]


@pytest.mark.parametrize("whose", ["topic", "brokers"])
def test_a_topic_whose_replicas_in_sync_are_gone_is_led_again_once_that_is_allowed(
    cluster: EmbeddedCluster, whose: str
) -> None:
    with Admin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        admin.create_topics([NewTopic("dogs", 1, 2)])
        (leader,) = [one for one in cluster.running if cluster.leader("dogs") == one]
        (follower,) = {*cluster.in_sync("dogs")} - {leader}
        cluster.kill(follower)
        wait(lambda: cluster.in_sync("dogs") == [leader])
        cluster.kill(leader)
        cluster.start(follower)
        with pytest.raises(RequestTimeout, match="has no leader"):
            cluster.leader("dogs", timeout_s=0.2)
        kind, name = (Resource.TOPIC, "dogs") if whose == "topic" else (Resource.BROKER, "")
        admin.alter_configs(kind, name, {"unclean.leader.election.enable": "true"})
        assert cluster.leader("dogs") == follower


def test_a_topic_that_is_deleted_while_its_properties_are_written_leaves_none_behind(
    cluster: EmbeddedCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = cluster.controller()
    with Admin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        admin.create_topics([NewTopic("dogs", 1)])
        broker = cluster._open._running[asked].node._server.broker
        wait(lambda: broker.topics.get("dogs") is not None)
        write = broker.topics.write_configs
        session = cluster._open.session()

        def delete_first(configs: Mapping[str, Mapping[str, str]]) -> set[str]:
            session.delete("/brokers/topics/dogs", "/config/topics/dogs")
            return write(configs)

        with monkeypatch.context() as patch:
            patch.setattr(broker.topics, "write_configs", delete_first)
            option = AlterableConfig(name="max.message.bytes", config_operation=0, value="5")
            resource = AlterConfigsResource(
                resource_type=Resource.TOPIC, resource_name="dogs", configs=[option]
            )
            request = IncrementalAlterConfigsRequest(resources=[resource], validate_only=False)
            with RawClient(cluster.port(asked)) as client:
                answer = client.ask(request, 0, IncrementalAlterConfigsResponse)
        assert [one.error_code for one in answer.responses] == [
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        ]
        assert session.get("/config/topics/dogs") is None
        session.close()
