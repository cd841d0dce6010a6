"""Our admin client: topics from creation to deletion, offsets, properties."""

from collections.abc import Iterator

import pytest

from barnabas.client.core.admin.descriptions import (
    EARLIEST,
    LATEST,
    MAX_TIMESTAMP,
    ConfigSource,
    NewTopic,
    Resource,
)
from barnabas.client.sync.admin import Admin
from barnabas.errors import BrokerError, ErrorCode
from barnabas.types import TopicPartition
from tests.interop import samples
from tests.interop.brokers import InteropBroker, wait_for
from tests.interop.clients.confluent import Confluent

pytestmark = pytest.mark.interop


@pytest.fixture
def admin(broker: InteropBroker) -> Iterator[Admin]:
    with Admin({"bootstrap.servers": broker.bootstrap_servers}) as made:
        yield made


def test_a_topic_from_creation_to_deletion(broker: InteropBroker, admin: Admin) -> None:
    topic = f"{broker.new_topic()}-by-us"
    admin.create_topics([NewTopic(topic, 2, 1, {"retention.ms": "12345"})])
    wait_for(lambda: topic in admin.list_topics())
    admin.create_partitions({topic: 3})
    wait_for(lambda: len(admin.describe_topics([topic])[topic].partitions) == 3)
    view = admin.describe_topics([topic])[topic]
    assert [each.partition for each in view.partitions] == [0, 1, 2]
    entries = admin.describe_configs(Resource.TOPIC, topic)
    assert entries["retention.ms"].value == "12345"
    admin.delete_topics([topic])
    wait_for(lambda: topic not in admin.list_topics())


def test_offsets_by_every_kind_of_time(broker: InteropBroker, admin: Admin) -> None:
    topic = broker.new_topic()
    Confluent().write(broker.bootstrap_servers, topic, samples.many(100))
    place = TopicPartition(topic, 0)
    asked = {EARLIEST: 0, LATEST: 100, MAX_TIMESTAMP: 99, samples.START_MS + 42: 42}
    for when, offset in asked.items():
        assert admin.list_offsets({place: when})[place].offset == offset
    assert admin.list_offsets({place: samples.START_MS + 5000})[place].offset == -1


def test_refusals_carry_the_brokers_code(broker: InteropBroker, admin: Admin) -> None:
    topic = broker.new_topic()
    with pytest.raises(BrokerError) as raised:
        admin.create_topics([NewTopic(topic, 1, 1)])
    assert raised.value.code == ErrorCode.TOPIC_ALREADY_EXISTS
    with pytest.raises(BrokerError) as raised:
        admin.delete_topics(["never-was"])
    assert raised.value.code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_the_cluster(broker: InteropBroker, admin: Admin) -> None:
    cluster = admin.describe_cluster()
    (node,) = cluster.brokers
    assert node.host in {"127.0.0.1", "localhost"}
    assert broker.bootstrap_servers.endswith(f":{node.port}")
    assert cluster.controller == node.node_id


def test_log_directories_tell_what_logs_take(broker: InteropBroker, admin: Admin) -> None:
    topic = broker.new_topic(partitions=2)
    (directories,) = admin.describe_log_dirs().values()
    sizes = {where: size for one in directories for where, size in one.sizes.items()}
    assert sizes[TopicPartition(topic, 0)] == sizes[TopicPartition(topic, 1)] == 0
    assert all(0 < one.usable_bytes < one.total_bytes for one in directories)
    (directories,) = admin.describe_log_dirs([(topic, 1)]).values()
    assert [list(one.sizes) for one in directories] == [[TopicPartition(topic, 1)]]


def test_a_broker_that_is_alone_elects_nobody(broker: InteropBroker, admin: Admin) -> None:
    topic = broker.new_topic()
    assert admin.elect_leaders([(topic, 0)]) == []
    assert admin.elect_leaders() == []
    with pytest.raises(BrokerError) as raised:
        admin.elect_leaders([("never-was", 0)], timeout_s=5)
    assert raised.value.code is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_quotas_are_set_described_and_taken_away(broker: InteropBroker, admin: Admin) -> None:
    who = {"user": broker.new_topic(), "client-id": None}
    admin.alter_client_quotas(who, {"producer_byte_rate": 1e9, "request_percentage": 99.5})

    def reported() -> list[dict[str, float]]:
        return [dict(one.quotas) for one in admin.describe_client_quotas(who, strict=True)]

    wait_for(lambda: reported() == [{"producer_byte_rate": 1e9, "request_percentage": 99.5}])
    admin.alter_client_quotas(who, {"producer_byte_rate": None, "request_percentage": None})
    wait_for(lambda: reported() == [])
    with pytest.raises(BrokerError) as raised:
        admin.alter_client_quotas(who, {"no_such_rate": 1})
    assert raised.value.code is ErrorCode.INVALID_REQUEST


def test_properties_of_all_brokers_are_changed(broker: InteropBroker, admin: Admin) -> None:
    def background() -> tuple[str | None, ConfigSource]:
        entry = admin.describe_configs(Resource.BROKER, "1")["background.threads"]
        return entry.value, entry.source

    admin.alter_configs(Resource.BROKER, "", {"background.threads": "11"})
    wait_for(lambda: background() == ("11", ConfigSource.ALL_BROKERS_DYNAMIC))
    admin.alter_configs(Resource.BROKER, "", {"background.threads": None})
    wait_for(lambda: background() == ("10", ConfigSource.DEFAULT))
