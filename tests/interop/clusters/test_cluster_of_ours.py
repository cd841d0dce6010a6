"""Java clients of Kafka 4.3 at a cluster of our brokers, each of which is killed in turn.

Kafka Streams with exactly-once uses transactions of version 2 (KIP-890), with offsets in them, and a streams
group (KIP-1071); the share consumer reads records of all leaders, whose states other brokers keep (KIP-932).
"""

from collections.abc import Iterator

import pytest
from confluent_kafka.admin import AdminClient, NewTopic

from barnabas.testing import EmbeddedCluster
from tests.interop.brokers import wait_for
from tests.interop.groups.test_share_groups import Sharer
from tests.interop.groups.test_streams_groups import (
    EXACTLY_ONCE,
    PARTITIONS,
    counted,
    runs_all,
    write,
)
from tests.interop.peers.kafka_tools import run_tool
from tests.interop.peers.maven import KAFKA_4
from tests.interop.peers.streams_app import StreamsApp

pytestmark = [pytest.mark.interop, pytest.mark.java, pytest.mark.long]

BROKERS = [1, 2, 3]
QUICK = {
    "group.streams.initial.rebalance.delay.ms": "0",
    "group.streams.heartbeat.interval.ms": "200",
    "group.streams.min.heartbeat.interval.ms": "200",
    "group.streams.assignment.interval.ms": "0",
    "group.share.heartbeat.interval.ms": "300",
    "group.share.min.heartbeat.interval.ms": "300",
    "group.share.assignment.interval.ms": "0",
}


@pytest.fixture(scope="module")
def cluster() -> Iterator[EmbeddedCluster]:
    with EmbeddedCluster(3, QUICK) as made:
        yield made


def make(cluster: EmbeddedCluster, *topics: str) -> None:
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    for future in admin.create_topics([NewTopic(one, PARTITIONS, 3) for one in topics]).values():
        future.result(30)


def restart(cluster: EmbeddedCluster, broker: int) -> None:
    """Start a broker that was killed, and wait until it has all again."""
    cluster.start(broker)
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    topics = admin.list_topics(timeout=30).topics
    places = [(name, index) for name, topic in topics.items() for index in topic.partitions]
    wait_for(lambda: all(cluster.in_sync(*place) == BROKERS for place in places))


def test_an_application_counts_each_word_once(cluster: EmbeddedCluster) -> None:
    make(cluster, "words", "counts")
    address = cluster.bootstrap_servers
    write(address, "words", "a b a c a b")
    with StreamsApp(address, "app", ("words", "counts"), EXACTLY_ONCE) as app:
        app.wait(runs_all)
        assert counted(address, "counts", 6) == {"a": 3, "b": 2, "c": 1}
        expected = {"a": 3, "b": 2, "c": 1}
        for broker in BROKERS:
            cluster.kill(broker)
            write(cluster.bootstrap_servers, "words", "a b c d")
            expected = {word: expected.get(word, 0) + 1 for word in "abcd"}
            found = counted(cluster.bootstrap_servers, "counts", sum(expected.values()))
            assert found == expected
            restart(cluster, broker)
        app.wait(runs_all)
    listed = run_tool("TransactionsCommand", "--bootstrap-server", address, "list")
    versions = run_tool("FeatureCommand", "--bootstrap-server", address, "describe")
    assert "CompleteCommit" in listed
    assert "transaction.version" in versions


def wait_until_done(sharer: Sharer, count: int) -> None:
    wait_for(lambda: len(sharer.reported()) == count)


def test_a_share_consumer_gets_all_records(cluster: EmbeddedCluster) -> None:
    make(cluster, "dogs")
    address = cluster.bootstrap_servers
    write(address, "dogs", "one " * 40)
    with Sharer(KAFKA_4, address, "pack", "dogs") as sharer:
        wait_until_done(sharer, 40)
        for number, broker in enumerate(BROKERS, 1):
            cluster.kill(broker)
            write(cluster.bootstrap_servers, "dogs", "one " * 40)
            wait_until_done(sharer, 40 * number + 40)
            restart(cluster, broker)
        # What was acknowledged has not come again.
        assert max(sharer.reported().values()) == 1
