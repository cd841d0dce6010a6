"""A broker of ours beside two of Kafka, one of them the controller: it follows, leads, loses nothing."""

from collections.abc import Iterator

import pytest

from barnabas import Resource
from barnabas.errors import ErrorCode
from barnabas.protocol.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from barnabas.protocol.delete_topics import DeleteTopicsRequest, DeleteTopicsResponse
from barnabas.protocol.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from barnabas.protocol.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from barnabas.records.batches.batch import walk
from tests.interop.mixed_cluster import Generation, MixedCluster, mixed_cluster
from tests.interop.peers.generations import KAFKA_0_11, KAFKA_1, KAFKA_2_8, KAFKA_3_9
from tests.unit.broker.raw_client import RawClient

pytestmark = [pytest.mark.interop, pytest.mark.java, pytest.mark.long]

KAFKA, OURS, CONTROLLER = 1, 2, 3
CREATE_VERSION = 2
METADATA_VERSION = 5
OLD_TOPICS = ("birds", "cats", "dogs")
TODAY = 2
"""The magic of Kafka 0.11 and later."""


GENERATIONS = {
    "2.8, ISRs by znode": Generation(KAFKA_2_8, "2.8", "2.6"),
    "2.8, ISRs by AlterPartition": Generation(KAFKA_2_8, "2.8", "2.8"),
    "3.9": Generation(KAFKA_3_9, "3.9", "3.9"),
}
OLDER = {
    "0.11": Generation(KAFKA_0_11, "0.11.0", "0.11.0"),
    "1.1": Generation(KAFKA_1, "1.1", "1.1"),
}
"""For tests of what they have."""
EVERY = {**OLDER, **GENERATIONS}


@pytest.fixture(params=GENERATIONS)
def cluster(request: pytest.FixtureRequest) -> Iterator[MixedCluster]:
    with mixed_cluster(EVERY[request.param], OURS, [KAFKA, CONTROLLER]) as found:
        found.members[CONTROLLER].start()
        found.wait_for_node("/controller")
        found.members[KAFKA].start()
        found.members[OURS].start()
        found.wait_for_node(f"/brokers/ids/{KAFKA}")
        yield found


@pytest.mark.parametrize("cluster", EVERY, indirect=True)
def test_we_follow_lead_and_follow_again(cluster: MixedCluster) -> None:
    kafka = cluster.members[KAFKA]
    cluster.create("dogs", [[KAFKA, OURS]], **{"min.insync.replicas": "1"})
    cluster.wait_for_state("dogs", KAFKA, KAFKA, OURS)
    cluster.produce("dogs", 0, 500)
    assert cluster.log_bytes(KAFKA, "dogs") == cluster.log_bytes(OURS, "dogs")

    # The leader is killed: what was acknowledged is here.
    kafka.kill()
    cluster.wait_for_state("dogs", OURS, OURS)
    assert cluster.consume("dogs", 500) == list(range(500))
    cluster.produce("dogs", 500, 500)

    # It comes back, and follows until it is in sync.
    kafka.start()
    cluster.wait_for_state("dogs", OURS, KAFKA, OURS)
    cluster.produce("dogs", 1000, 500)
    assert cluster.consume("dogs", 1500) == list(range(1500))
    assert cluster.log_bytes(KAFKA, "dogs") == cluster.log_bytes(OURS, "dogs")


def test_the_controller_makes_a_topic_that_is_first_used_at_ours(cluster: MixedCluster) -> None:
    ours = cluster.members[OURS]
    with RawClient(ours.port) as client:
        names = [MetadataRequestTopic(name="birds")]
        first = client.ask(MetadataRequest(topics=names), METADATA_VERSION, MetadataResponse)
    assert first.topics[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    cluster.wait_for_node("/brokers/topics/birds/partitions/0/state")
    cluster.produce("birds", 0, 10)
    assert cluster.consume("birds", 10) == list(range(10))


def test_ours_passes_on_what_is_the_controllers_and_hands_over_when_it_stops(
    cluster: MixedCluster,
) -> None:
    ours = cluster.members[OURS]
    placed = CreatableReplicaAssignment(partition_index=0, broker_ids=[OURS, KAFKA])
    topic = CreatableTopic(
        name="cats", num_partitions=-1, replication_factor=-1, assignments=[placed], configs=[]
    )
    with RawClient(ours.port) as client:
        made = client.ask(CreateTopicsRequest(topics=[topic]), CREATE_VERSION, CreateTopicsResponse)
    assert [(one.name, one.error_code) for one in made.topics] == [("cats", 0)]
    cluster.wait_for_state("cats", OURS, KAFKA, OURS)
    cluster.produce("cats", 0, 300, **{"enable.idempotence": True})

    # It stops in order: the controller elects the other one first, and nobody waits for a session to end.
    ours.stop()
    assert cluster.state("cats")["leader"] == KAFKA
    assert cluster.consume("cats", 300) == list(range(300))
    cluster.produce("cats", 300, 300)
    ours.start()
    cluster.wait_for_state("cats", KAFKA, KAFKA, OURS)
    assert cluster.log_bytes(KAFKA, "cats") == cluster.log_bytes(OURS, "cats")

    # The topic goes, with our log.
    with RawClient(ours.port) as client:
        request = DeleteTopicsRequest(topic_names=["cats"], timeout_ms=60_000)
        gone = client.ask(request, CREATE_VERSION, DeleteTopicsResponse)
    assert [one.error_code for one in gone.responses] == [0]
    (directory,) = ours.directories
    cluster.wait(lambda: not (directory / "cats-0").exists(), lambda: "our log is there")


def test_consumers_read_in_their_rack_whoever_leads(cluster: MixedCluster) -> None:
    for topic, leader, near in (("cats", KAFKA, OURS), ("dogs", OURS, KAFKA)):
        cluster.create(topic, [[leader, near]])
        cluster.wait_for_state(topic, leader, leader, near)
        cluster.produce(topic, 0, 300)
        assert cluster.consume_near(topic, 300, near) == list(range(300))


def change(cluster: MixedCluster, member: int, topic: str, name: str, value: str) -> None:
    """Change a property of a topic at one broker."""
    option = AlterableConfig(name=name, config_operation=0, value=value)
    resource = AlterConfigsResource(
        resource_type=Resource.TOPIC, resource_name=topic, configs=[option]
    )
    request = IncrementalAlterConfigsRequest(resources=[resource], validate_only=False)
    with RawClient(cluster.members[member].port) as client:
        changed = client.ask(request, 0, IncrementalAlterConfigsResponse)
    assert [one.error_code for one in changed.responses] == [0]


def test_properties_that_are_changed_at_ours_hold_at_kafkas_leader_and_the_other_way_round(
    cluster: MixedCluster,
) -> None:
    for topic, leader, other in (("cats", KAFKA, OURS), ("dogs", OURS, KAFKA)):
        cluster.create(topic, [[leader]])
        for size in (500, 5000, 700):
            change(cluster, other, topic, "max.message.bytes", str(size))
            cluster.wait(
                lambda topic=topic, size=size: cluster.takes(topic, 3000) is (size > 3000),  # type: ignore[misc]
                lambda size=size: f"not taken up: {size}",  # type: ignore[misc]
            )


@pytest.mark.parametrize("cluster", ["2.8, ISRs by AlterPartition"], indirect=True)
def test_messages_of_old_formats_are_copied_both_ways(cluster: MixedCluster) -> None:
    for topic, leader, other, release in (
        ("birds", KAFKA, OURS, "0.9.0"),
        ("cats", KAFKA, OURS, "0.10.2"),
        ("dogs", OURS, KAFKA, "0.10.2"),
    ):
        cluster.create(topic, [[leader, other]], **{"message.format.version": release})
        cluster.wait_for_state(topic, leader, leader, other)
        cluster.produce(topic, 0, 200)
        cluster.produce(topic, 200, 200, **{"compression.type": "gzip"})

    # Each is killed, and the other one leads what it has copied.
    for number, (killed, leader) in enumerate(((KAFKA, OURS), (OURS, KAFKA))):
        cluster.members[killed].kill()
        for topic in OLD_TOPICS:
            cluster.wait_for_state(topic, leader, leader)
            cluster.produce(topic, 400 + number * 100, 100)
        cluster.members[killed].start()
        for topic in OLD_TOPICS:
            cluster.wait_for_state(topic, leader, KAFKA, OURS)
    for topic in OLD_TOPICS:
        assert {one.magic for one in walk(cluster.log_bytes(OURS, topic))} == {topic != "birds"}

    # In today's format from now on, in the same segment.
    change(cluster, KAFKA, "cats", "message.format.version", "2.8")
    count = 600
    while [*walk(cluster.log_bytes(KAFKA, "cats"))][-1].magic < TODAY:
        cluster.produce("cats", count, 1)
        count += 1
    cluster.produce("cats", count, 100)
    assert cluster.consume("cats", count + 100) == list(range(count + 100))
    for topic in OLD_TOPICS:
        assert cluster.log_bytes(KAFKA, topic) == cluster.log_bytes(OURS, topic)


@pytest.fixture(params=GENERATIONS)
def under_ours(request: pytest.FixtureRequest) -> Iterator[MixedCluster]:
    """The same three brokers; ours is there first, and so the controller."""
    with mixed_cluster(EVERY[request.param], OURS, [KAFKA, CONTROLLER]) as found:
        found.members[OURS].start()
        found.wait_for_controller(OURS)
        for one in (KAFKA, CONTROLLER):
            found.members[one].start()
            found.wait_for_node(f"/brokers/ids/{one}")
        yield found


@pytest.mark.parametrize("under_ours", EVERY, indirect=True)
def test_brokers_of_kafka_obey_our_controller_and_take_over_from_it_and_back(
    under_ours: MixedCluster,
) -> None:
    cluster = under_ours
    everybody = (KAFKA, OURS, CONTROLLER)
    cluster.create("dogs", [[KAFKA, OURS, CONTROLLER]])
    cluster.wait_for_state("dogs", KAFKA, *everybody)
    cluster.produce("dogs", 0, 300, **{"enable.idempotence": True})

    # A leader of Kafka's is killed, and comes back.
    cluster.members[KAFKA].kill()
    cluster.wait_for_state("dogs", OURS, OURS, CONTROLLER)
    cluster.produce("dogs", 300, 300)
    cluster.members[KAFKA].start()
    cluster.wait_for_state("dogs", OURS, *everybody)

    # Topics come, grow and go.
    cluster.create("cats", [[KAFKA], [CONTROLLER], [OURS]])
    cluster.produce("cats", 0, 10)
    cluster.delete("cats")
    cluster.wait(
        lambda: cluster.client.exists("/brokers/topics/cats") is None, lambda: "cats are there"
    )

    # Ours is killed: one of Kafka's is the controller, and ours obeys when it is back.
    cluster.members[OURS].kill()
    cluster.wait_for_controller(KAFKA, CONTROLLER)
    cluster.wait_for_isr("dogs", KAFKA, CONTROLLER)
    cluster.produce("dogs", 600, 300)
    cluster.members[OURS].start()
    cluster.wait_for_isr("dogs", *everybody)

    # Kafka's are killed: ours takes over what they led.
    for kafka in (KAFKA, CONTROLLER):
        cluster.members[kafka].kill()
    cluster.wait_for_controller(OURS)
    cluster.wait_for_state("dogs", OURS, OURS)
    cluster.produce("dogs", 900, 300)
    for kafka in (KAFKA, CONTROLLER):
        cluster.members[kafka].start()
    cluster.wait_for_state("dogs", OURS, *everybody)
    cluster.produce("dogs", 1200, 300, **{"enable.idempotence": True})
    assert sorted(cluster.consume("dogs", 1500)) == list(range(1500))
    logs = {cluster.log_bytes(one, "dogs") for one in everybody}
    assert len(logs) == 1
