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
from tests.interop.peers.kafka_tools import run_class
from tests.interop.peers.maven import MavenPeer

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


def dumped(release: MavenPeer, cluster: MixedCluster, node_id: int) -> list[str]:
    """The records of a broker's log as Kafka's own tool reads them."""
    (directory,) = cluster.members[node_id].directories
    files = ",".join(str(one) for one in sorted((directory / "dogs-0").glob("*.log")))
    options = "--print-data-log", "--deep-iteration", "--files", files
    printed = run_class(release, "kafka.tools.DumpLogSegments", *options)
    return [line.replace(str(directory), "") for line in printed.splitlines()]


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
    assert len({cluster.log_bytes(one, "dogs") for one in BROKERS}) == 1
    dumps = {one: dumped(generation.peer, cluster, one) for one in BROKERS}
    assert dumps[1] == dumps[2] == dumps[3]
    assert sum("payload: " in line for line in dumps[1]) == written
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
