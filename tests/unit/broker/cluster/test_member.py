"""Two and three brokers of ours under our controller: copies, ISRs, acks, a leader that goes and comes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from barnabas import Consumer, Producer
from tests.local_cluster import LocalCluster

pytestmark = pytest.mark.kernels


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[LocalCluster]:
    found = LocalCluster(tmp_path)
    try:
        yield found
    finally:
        found.close()


def produce(cluster: LocalCluster, first: int, count: int) -> None:
    """Records with acks=all; each is acknowledged."""
    with Producer(bootstrap_servers=cluster.bootstrap_servers, acks="all") as producer:
        sent = [
            producer.send("dogs", str(number).encode(), partition=0)
            for number in range(first, first + count)
        ]
        producer.flush()
        for one in sent:
            one.result()


def consume(cluster: LocalCluster, count: int) -> list[int]:
    with Consumer(bootstrap_servers=cluster.bootstrap_servers) as consumer:
        consumer.assign([("dogs", 0)])
        consumer.seek_to_beginning(("dogs", 0))
        found: list[int] = []
        while len(found) < count:
            found += [int(record.value or b"") for record in consumer.poll(5.0)]
        return found


def test_a_follower_has_what_acks_all_acknowledged_and_leads_when_the_leader_goes(
    cluster: LocalCluster,
) -> None:
    cluster.create("dogs", 1, 2)
    cluster.wait_for_isr("dogs", 1, 2)
    produce(cluster, 0, 100)
    assert cluster.log_bytes(1, "dogs") == cluster.log_bytes(2, "dogs")
    cluster.stop(1)
    assert cluster.wait_for_isr("dogs", 2).leader == 2
    assert consume(cluster, 100) == list(range(100))
    produce(cluster, 100, 100)
    cluster.start(1)
    cluster.wait_for_isr("dogs", 1, 2)
    produce(cluster, 200, 100)
    assert consume(cluster, 300) == list(range(300))
    assert cluster.log_bytes(1, "dogs") == cluster.log_bytes(2, "dogs")
