"""Replies that name many things, which our broker writes while they grow, read by clients of others."""

from functools import partial

import pytest
from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import AdminClient, ConfigResource
from kafka.admin import KafkaAdminClient

from tests.interop.brokers import InteropBroker, wait_for

pytestmark = pytest.mark.interop

SECONDS = 40
MANY = 50


def test_groups_and_their_offsets(broker: InteropBroker) -> None:
    topic = broker.new_topic(partitions=MANY)
    admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
    groups = [f"{topic}-{number:02d}" for number in range(MANY)]
    offsets = [TopicPartition(topic, index, index) for index in range(MANY)]

    def committed(group: str) -> bool:
        asked = ConsumerGroupTopicPartitions(group, offsets)
        reported = admin.alter_consumer_group_offsets([asked])[group].result(SECONDS)
        # Kafka loads its coordinator for the first one.
        return all(one.error is None for one in reported.topic_partitions)

    for group in groups:
        wait_for(partial(committed, group))

    def listed() -> list[str]:
        found = admin.list_consumer_groups().result(SECONDS).valid
        return sorted(one.group_id for one in found if one.group_id.startswith(f"{topic}-"))

    wait_for(lambda: listed() == groups)
    described = admin.describe_consumer_groups(groups)
    assert [described[group].result(SECONDS).group_id for group in groups] == groups
    asked = ConsumerGroupTopicPartitions(groups[7])
    reported = (
        admin.list_consumer_group_offsets([asked])[groups[7]].result(SECONDS).topic_partitions
    )
    assert sorted((one.partition, one.offset) for one in reported) == [
        (each,) * 2 for each in range(MANY)
    ]


def test_properties_of_many_topics(broker: InteropBroker) -> None:
    topics = [broker.new_topic({"retention.ms": str(1000 + number)}) for number in range(20)]
    admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
    asked = [ConfigResource(ConfigResource.Type.TOPIC, topic) for topic in topics]
    described = admin.describe_configs(asked)
    reported = {one.name: described[one].result(SECONDS)["retention.ms"].value for one in asked}
    assert reported == {topic: str(1000 + number) for number, topic in enumerate(topics)}


def test_log_directories_of_many_partitions(broker: InteropBroker) -> None:
    topic = broker.new_topic(partitions=MANY)
    admin = KafkaAdminClient(bootstrap_servers=broker.bootstrap_servers)
    try:
        (answer,) = admin.describe_log_dirs()
    finally:
        admin.close()
    found = {one["name"]: one["partitions"] for one in answer["log_dirs"][0]["topics"]}
    assert sorted(one["partition_index"] for one in found[topic]) == [*range(MANY)]
