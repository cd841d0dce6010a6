"""Topics made, described, grown and deleted by the admin clients of others."""

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicCollection
from confluent_kafka.admin import (
    AdminClient,
    ConfigResource,
    NewPartitions,
    NewTopic,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialDeletion,
    UserScramCredentialUpsertion,
)
from kafka.admin import KafkaAdminClient
from kafka.admin import NewPartitions as PyNewPartitions
from kafka.admin import NewTopic as PyNewTopic

from tests.interop.brokers import InteropBroker, wait_for

pytestmark = pytest.mark.interop

SECONDS = 40
LOOPBACK = {"127.0.0.1", "localhost"}


@pytest.fixture
def admin(broker: InteropBroker) -> AdminClient:
    return AdminClient({"bootstrap.servers": broker.bootstrap_servers})


def test_a_topic_from_creation_to_deletion(broker: InteropBroker, admin: AdminClient) -> None:
    topic = broker.new_topic({"retention.ms": "12345"}, partitions=3)
    described = admin.describe_topics(TopicCollection([topic]))[topic].result(SECONDS)
    assert [partition.id for partition in described.partitions] == [0, 1, 2]
    assert all(len(partition.isr) == 1 for partition in described.partitions)

    admin.create_partitions([NewPartitions(topic, 5)])[topic].result(SECONDS)
    wait_for(lambda: len(admin.list_topics(topic, timeout=SECONDS).topics[topic].partitions) == 5)

    admin.delete_topics([topic])[topic].result(SECONDS)
    wait_for(lambda: topic not in admin.list_topics(timeout=SECONDS).topics)


def test_what_is_asked_for_in_vain_gets_kafkas_own_code(
    broker: InteropBroker, admin: AdminClient
) -> None:
    topic = broker.new_topic()
    refused = [
        (NewTopic(topic, 1, 1), KafkaError.TOPIC_ALREADY_EXISTS),
        (NewTopic("no spaces", 1, 1), KafkaError.TOPIC_EXCEPTION),
        (NewTopic("too-many-copies", 1, 2), KafkaError.INVALID_REPLICATION_FACTOR),
        (NewTopic("no-partitions", 0, 1), KafkaError.INVALID_PARTITIONS),
        (
            NewTopic("odd-policy", 1, 1, config={"cleanup.policy": "burn"}),
            KafkaError.INVALID_CONFIG,
        ),
    ]
    for wanted, code in refused:
        with pytest.raises(KafkaException) as raised:
            admin.create_topics([wanted])[wanted.topic].result(SECONDS)
        assert raised.value.args[0].code() == code, wanted.topic
    with pytest.raises(KafkaException) as raised:
        admin.delete_topics(["never-was"])["never-was"].result(SECONDS)
    assert raised.value.args[0].code() == KafkaError.UNKNOWN_TOPIC_OR_PART
    with pytest.raises(KafkaException) as raised:
        admin.create_partitions([NewPartitions(topic, 1)])[topic].result(SECONDS)
    assert raised.value.args[0].code() == KafkaError.INVALID_PARTITIONS


def test_validation_alone_creates_nothing(broker: InteropBroker, admin: AdminClient) -> None:
    wanted = NewTopic("only-validated", 1, 1)
    admin.create_topics([wanted], validate_only=True)["only-validated"].result(SECONDS)
    assert "only-validated" not in admin.list_topics(timeout=SECONDS).topics


def test_configuration_is_reported_with_its_source(
    broker: InteropBroker, admin: AdminClient
) -> None:
    topic = broker.new_topic({"retention.ms": "12345", "segment.bytes": "1048576"})
    resource = ConfigResource(ConfigResource.Type.TOPIC, topic)
    entries = admin.describe_configs([resource])[resource].result(SECONDS)
    assert entries["retention.ms"].value == "12345"
    assert not entries["retention.ms"].is_default
    assert entries["cleanup.policy"].value == "delete"
    assert entries["cleanup.policy"].is_default
    assert entries["max.message.bytes"].value == "1048588"


def test_the_cluster_describes_itself(broker: InteropBroker, admin: AdminClient) -> None:
    cluster = admin.describe_cluster().result(SECONDS)
    (node,) = cluster.nodes
    assert node.host in LOOPBACK
    assert broker.bootstrap_servers.endswith(f":{node.port}")
    assert cluster.controller.id == node.id
    assert cluster.cluster_id


def test_kafka_python_administers_as_well(broker: InteropBroker) -> None:
    admin = KafkaAdminClient(bootstrap_servers=broker.bootstrap_servers)
    try:
        topic = f"{broker.new_topic()}-by-kafka-python"
        admin.create_topics([PyNewTopic(topic, 2, 1, topic_configs={"retention.ms": "54321"})])
        wait_for(lambda: topic in admin.list_topics())
        admin.create_partitions({topic: PyNewPartitions(4)})
        wait_for(lambda: len(admin.describe_topics([topic])[0]["partitions"]) == 4)
        admin.delete_topics([topic])
        wait_for(lambda: topic not in admin.list_topics())
    finally:
        admin.close()


def test_passwords_are_set_described_and_removed(admin: AdminClient) -> None:
    strong, weak = ScramMechanism.SCRAM_SHA_512, ScramMechanism.SCRAM_SHA_256
    wanted = [
        UserScramCredentialUpsertion("alice", ScramCredentialInfo(strong, 8192), b"secret"),
        UserScramCredentialUpsertion("bob", ScramCredentialInfo(weak, 1), b"secret"),
    ]
    done = admin.alter_user_scram_credentials(wanted)
    assert done["alice"].result(SECONDS) is None
    with pytest.raises(KafkaException) as raised:
        done["bob"].result(SECONDS)
    assert raised.value.args[0].code() == KafkaError.UNACCEPTABLE_CREDENTIAL
    wait_for(lambda: "alice" in admin.describe_user_scram_credentials().result(SECONDS))
    reported = admin.describe_user_scram_credentials().result(SECONDS)
    (info,) = reported["alice"].scram_credential_infos
    assert (info.mechanism, info.iterations) == (strong, 8192)
    gone = [UserScramCredentialDeletion("alice", strong)]
    assert admin.alter_user_scram_credentials(gone)["alice"].result(SECONDS) is None
    wait_for(lambda: "alice" not in admin.describe_user_scram_credentials().result(SECONDS))
