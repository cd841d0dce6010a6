"""Copying messages of magic 0 and 1: offsets kept, nothing converted, whoever leads."""

from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient, NewTopic

from barnabas import Admin, Resource
from barnabas.records.batches.batch import walk
from barnabas.testing import EmbeddedCluster
from tests import librdkafka_records
from tests.waiting import wait

pytestmark = pytest.mark.kernels

SECONDS = 30.0
TODAY = 2
"""The magic of Kafka 0.11 and later."""


def produce(cluster: EmbeddedCluster, first: int, count: int, codec: str = "none") -> None:
    librdkafka_records.produce(cluster.bootstrap_servers, "dogs", first, count, codec)


def consume(cluster: EmbeddedCluster, count: int) -> list[int]:
    return librdkafka_records.consume(cluster.bootstrap_servers, "dogs", count)


def log_bytes(folder: Path, node_id: int) -> bytes:
    files = sorted((folder / f"broker-{node_id}" / "dogs-0").glob("*.log"))
    return b"".join(one.read_bytes() for one in files)


def all_in_sync(cluster: EmbeddedCluster) -> None:
    """Wait for that."""
    wait(lambda: cluster.in_sync("dogs", 0) == [1, 2, 3], lambda: cluster.in_sync("dogs", 0))


def admin(cluster: EmbeddedCluster) -> AdminClient:
    return AdminClient({"bootstrap.servers": cluster.bootstrap_servers})


def test_old_formats_are_copied_and_survive_each_leader(tmp_path: Path) -> None:
    with EmbeddedCluster(3, data_dir=tmp_path, profile="2.8") as cluster:
        topic = NewTopic("dogs", 1, 3, config={"message.format.version": "0.10.2"})
        client = admin(cluster)
        client.create_topics([topic])["dogs"].result(SECONDS)
        produce(cluster, 0, 100)
        produce(cluster, 100, 100, "gzip")
        first = cluster.leader("dogs", 0)
        cluster.kill(first)
        second = cluster.leader("dogs", 0)
        assert consume(cluster, 200) == list(range(200))
        produce(cluster, 200, 100)
        cluster.start(first)
        all_in_sync(cluster)
        cluster.kill(second)
        cluster.leader("dogs", 0)
        produce(cluster, 300, 100)
        assert consume(cluster, 400) == list(range(400))
        cluster.start(second)
        all_in_sync(cluster)
        # In today's format from now on, in the same segment.
        with Admin(bootstrap_servers=cluster.bootstrap_servers) as ours:
            ours.alter_configs(Resource.TOPIC, "dogs", {"message.format.version": "2.8"})
        count = 400
        while [*walk(log_bytes(tmp_path, 1))][-1].magic < TODAY:
            produce(cluster, count, 1)
            count += 1
        assert consume(cluster, count) == list(range(count))
        logs = {log_bytes(tmp_path, node_id) for node_id in (1, 2, 3)}
    (stored,) = logs
    assert {one.magic for one in walk(stored)} == {1, TODAY}
    assert [one.last_offset for one in walk(stored)][-1] == count - 1
