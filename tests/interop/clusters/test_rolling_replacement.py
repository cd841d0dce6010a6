"""Each broker of a Kafka cluster is replaced by one of ours on its logs, and back, while a topic is written."""

from collections.abc import Iterator

import pytest

from tests.interop.mixed_cluster import (
    Generation,
    MixedCluster,
    OurMember,
    RealMember,
    mixed_cluster,
)
from tests.interop.peers.generations import KAFKA_0_11, KAFKA_1, KAFKA_2_8, KAFKA_3_9

pytestmark = [pytest.mark.interop, pytest.mark.java, pytest.mark.long]

BROKERS = (1, 2, 3)
A_STEP = 200
GENERATIONS = {
    "0.11": Generation(KAFKA_0_11, "0.11.0", "0.11.0"),
    "1.1": Generation(KAFKA_1, "1.1", "1.1"),
    "2.8": Generation(KAFKA_2_8, "2.8", "2.8"),
    "3.9": Generation(KAFKA_3_9, "3.9", "3.9"),
}


@pytest.fixture(params=GENERATIONS)
def generation(request: pytest.FixtureRequest) -> Generation:
    found: Generation = GENERATIONS[request.param]
    return found


@pytest.fixture
def cluster(generation: Generation) -> Iterator[MixedCluster]:
    with mixed_cluster(generation, None, BROKERS) as found:
        for one in BROKERS:
            found.members[one].start()
            found.wait_for_node(f"/brokers/ids/{one}")
        yield found


def test_nothing_is_lost_while_each_broker_is_replaced_and_comes_back(
    cluster: MixedCluster, generation: Generation
) -> None:
    _, release, protocol = generation
    cluster.create("dogs", [[*BROKERS]], **{"min.insync.replicas": "2"})
    cluster.wait_for_isr("dogs", *BROKERS)
    written = 0

    def write() -> None:
        nonlocal written
        cluster.produce("dogs", written, A_STEP)
        written += A_STEP

    write()
    replaced: dict[int, RealMember] = {}
    for one in BROKERS:
        theirs = cluster.members[one]
        assert isinstance(theirs, RealMember)
        replaced[one] = theirs
        theirs.stop()
        write()
        cluster.members[one] = OurMember(protocol, release, cluster.keeper, one, instead_of=theirs)
        cluster.members[one].start()
        cluster.wait_for_isr("dogs", *BROKERS)
        write()
    for one in BROKERS:
        ours = cluster.members[one]
        ours.stop()
        write()
        ours.end()
        cluster.members[one] = replaced[one]
        replaced[one].start()
        cluster.wait_for_isr("dogs", *BROKERS)
        write()
    assert sorted(cluster.consume("dogs", written)) == list(range(written))
    assert len({cluster.log_bytes(one, "dogs") for one in BROKERS}) == 1
