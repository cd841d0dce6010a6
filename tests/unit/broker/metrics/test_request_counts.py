"""Repeated Produce requests that wait for other replicas are counted, and timed with the wait."""

import time
import urllib.request
from collections.abc import Iterator
from functools import partial

import pytest
from prometheus_client.parser import text_string_to_metric_families

from barnabas import Admin, NewTopic
from barnabas.broker.cluster.member import ClusterMember
from barnabas.broker.connections import repeated_requests
from barnabas.broker.server.local_cluster import LocalCluster
from barnabas.errors import ErrorCode
from barnabas.protocol.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from barnabas.testing import EmbeddedCluster, embedded_cluster
from tests.unit.broker.batches import batch
from tests.unit.broker.raw_client import RawClient
from tests.waiting import wait

pytestmark = pytest.mark.kernels

VERSION = 9
LONG_MS, SHORT_MS = 30_000, 100
WAIT_SECONDS = 0.3


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddedCluster]:
    metered = partial(LocalCluster, metrics=lambda _node_id: ("127.0.0.1", 0))
    monkeypatch.setattr(embedded_cluster, "LocalCluster", metered)
    monkeypatch.setattr(repeated_requests, "_UNTIMED", 0)  # All are timed, not a sample.
    with EmbeddedCluster(2) as made:
        with Admin(bootstrap_servers=made.bootstrap_servers) as admin:
            admin.create_topics([NewTopic("dogs", assignments=[[1, 2]])])
        wait(lambda: sorted(made.in_sync("dogs", 0)) == [1, 2])
        wait(lambda: made.leader("dogs", 0) == 1)
        yield made


def member(cluster: EmbeddedCluster, node_id: int) -> ClusterMember:
    found = cluster._open._running[node_id].node._server.broker.member
    assert found is not None
    return found


def cut(cluster: EmbeddedCluster) -> None:
    """Broker 2 copies nothing."""
    fetchers = member(cluster, 2)._fetchers
    cluster._open._running[2].node.call(lambda: fetchers.know_brokers({}))


def heal(cluster: EmbeddedCluster) -> None:
    """It copies again."""
    other = member(cluster, 2)
    cluster._open._running[2].node.call(lambda: other._roles.know_brokers(other.image.brokers))


def produce(timeout_ms: int) -> ProduceRequest:
    data = [PartitionProduceData(index=0, records=batch(b"rex"))]
    topic = TopicProduceData(name="dogs", partition_data=data)
    return ProduceRequest(acks=-1, timeout_ms=timeout_ms, topic_data=[topic])


def send(client: RawClient, timeout_ms: int, count: int) -> None:
    client.send(b"".join(client.frame(produce(timeout_ms), VERSION) for _ in range(count)))


def codes(client: RawClient, count: int) -> list[int]:
    replies = [client.receive(ProduceResponse) for _ in range(count)]
    return [one.responses[0].partition_responses[0].error_code for one in replies]


def scrape(cluster: EmbeddedCluster, name: str, *labels: str) -> float:
    """A sample of the leader, by the values of its labels in the order of their names."""
    url = f"http://127.0.0.1:{cluster._open.metrics_ports[1]}/metrics"
    with urllib.request.urlopen(url, timeout=30) as response:
        text = response.read().decode()
    (found,) = (
        sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == name and tuple(v for _, v in sorted(sample.labels.items())) == labels
    )
    return float(found)


def test_a_repeat_takes_as_long_as_it_waits_for_replicas(cluster: EmbeddedCluster) -> None:
    with RawClient(cluster.port(1)) as client:
        for _ in range(2):
            send(client, LONG_MS, 1)
            assert codes(client, 1) == [ErrorCode.NONE]
        cut(cluster)
        send(client, LONG_MS, 3)
        time.sleep(WAIT_SECONDS)
        heal(cluster)
        assert codes(client, 3) == [ErrorCode.NONE] * 3
    requests = scrape(cluster, "kafka_network_requestmetrics_requests_total", "Produce")
    topic = scrape(cluster, "kafka_server_brokertopicmetrics_totalproducerequests_total", "dogs")
    assert (requests, topic) == (5, 5)
    longest = scrape(cluster, "kafka_network_requestmetrics_totaltimems", "0.99", "Produce")
    assert longest >= 1000 * WAIT_SECONDS
    assert (
        scrape(cluster, "kafka_server_brokertopicmetrics_failedproducerequests_total", "dogs") == 0
    )


def test_repeats_that_replicas_do_not_take_in_time_have_failed(cluster: EmbeddedCluster) -> None:
    with RawClient(cluster.port(1)) as client:
        for _ in range(2):
            send(client, SHORT_MS, 1)
            codes(client, 1)
        before = scrape(
            cluster, "kafka_server_brokertopicmetrics_failedproducerequests_total", "dogs"
        )
        cut(cluster)
        send(client, SHORT_MS, 3)
        assert codes(client, 3) == [ErrorCode.REQUEST_TIMED_OUT] * 3
        heal(cluster)
    name = "kafka_server_brokertopicmetrics_failedproducerequests_total"
    assert scrape(cluster, name, "dogs") == before + 3
