"""A broker of ours beside one of Kafka, under Kafka's controller: it follows, leads, and loses nothing."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.interop.mixed_cluster import MixedCluster, OurMember, RealMember
from tests.interop.peers.generations import KAFKA_2_8, KAFKA_3_9
from tests.interop.peers.maven import MavenPeer, class_path
from tests.interop.peers.missing import PeerMissing, give_up
from tests.interop.peers.zookeeper import ZooKeeper

pytestmark = [pytest.mark.interop, pytest.mark.java, pytest.mark.long]

KAFKA, OURS = 1, 2


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
            kafka = RealMember(peer, protocol, keeper.address, KAFKA, folder)
            ours = OurMember(protocol, release, keeper.address, OURS)
            found = MixedCluster(keeper.address, kafka, ours)
            kafka.start()
            found.wait(lambda: found.client.exists("/controller") is not None, lambda: "controller")
            ours.start()
            try:
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
