"""A broker of ours beside two of Kafka, one of them the controller: it follows, leads, loses nothing."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from barnabas.errors import ErrorCode
from barnabas.protocol.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from barnabas.protocol.delete_topics import DeleteTopicsRequest, DeleteTopicsResponse
from barnabas.protocol.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from tests.interop.mixed_cluster import MixedCluster, OurMember, RealMember
from tests.interop.peers.generations import KAFKA_2_8, KAFKA_3_9
from tests.interop.peers.maven import MavenPeer, class_path
from tests.interop.peers.missing import PeerMissing, give_up
from tests.interop.peers.zookeeper import ZooKeeper
from tests.unit.broker.raw_client import RawClient

pytestmark = [pytest.mark.interop, pytest.mark.java, pytest.mark.long]

KAFKA, OURS, CONTROLLER = 1, 2, 3
CREATE_VERSION = 2
METADATA_VERSION = 5


class Generation(NamedTuple):
    """A release of Kafka, and what its brokers send each other."""

    peer: MavenPeer
    release: str
    protocol: str


GENERATIONS = {
    "2.8, ISRs by znode": Generation(KAFKA_2_8, "2.8", "2.6"),
    "2.8, ISRs by AlterPartition": Generation(KAFKA_2_8, "2.8", "2.8"),
    "3.9": Generation(KAFKA_3_9, "3.9", "3.9"),
}


@pytest.fixture(params=GENERATIONS)
def cluster(request: pytest.FixtureRequest) -> Iterator[MixedCluster]:
    peer, release, protocol = GENERATIONS[request.param]
    folder = Path(tempfile.mkdtemp(prefix="mixed-"))
    try:
        class_path(peer)
        with ZooKeeper() as keeper:
            controller = RealMember(peer, protocol, keeper.address, CONTROLLER, folder)
            kafka = RealMember(peer, protocol, keeper.address, KAFKA, folder)
            ours = OurMember(protocol, release, keeper.address, OURS)
            found = MixedCluster(keeper.address, kafka, ours, controller)
            try:
                controller.start()
                found.wait_for_node("/controller")
                kafka.start()
                ours.start()
                found.wait_for_node(f"/brokers/ids/{KAFKA}")
                yield found
            finally:
                found.close()
    except PeerMissing as missing:
        give_up(missing)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


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
    cluster.wait(lambda: not (ours.data_dir / "cats-0").exists(), lambda: "our log is there")
