"""Kafka's own tool moves many partitions of a cluster of ours at once, and finds that all have moved."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka import TopicPartition as Place
from confluent_kafka.admin import AdminClient, NewTopic

from barnabas import Admin, Resource
from barnabas.testing import EmbeddedCluster
from tests.interop.peers.kafka_tools import Toolbox
from tests.interop.peers.missing import PeerMissing, give_up

pytestmark = [pytest.mark.interop, pytest.mark.java]

BROKERS = [1, 2, 3]
REASSIGN = "reassign.ReassignPartitionsCommand"
SECONDS = 120.0
TOPIC = "dogs"
THROTTLE = "50000000"


@pytest.fixture(scope="module")
def tools() -> Iterator[Toolbox]:
    try:
        with Toolbox() as tools:
            yield tools
    except PeerMissing as missing:
        give_up(missing)


def replicas_of(index: int) -> list[int]:
    """Where a partition is to begin with: on two of the brokers."""
    return [1 + index % 3, 1 + (index + 1) % 3]


def wanted_of(index: int) -> list[int]:
    """Where it goes: its leader's replica moves to the third broker, which leads then."""
    return [1 + (index + 2) % 3, 1 + (index + 1) % 3]


def written(index: int) -> list[bytes]:
    return [b"%d of %d" % (number, index) for number in range(3)]


def fill(cluster: EmbeddedCluster, count: int) -> None:
    """A topic with records in each partition."""
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    wanted = NewTopic(TOPIC, count, replica_assignment=[*map(replicas_of, range(count))])
    admin.create_topics([wanted])[TOPIC].result(SECONDS)
    failed: list[object] = []
    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers, "acks": "all"})
    for index in range(count):
        for value in written(index):
            producer.produce(
                TOPIC, value, partition=index,
                on_delivery=lambda error, _: failed.append(error) if error else None,
            )  # fmt: skip
    assert producer.flush(SECONDS) == 0
    assert not failed


def read(cluster: EmbeddedCluster, count: int) -> list[list[bytes]]:
    """All records, by partition."""
    consumer = Consumer({"bootstrap.servers": cluster.bootstrap_servers, "group.id": "none"})
    try:
        consumer.assign([Place(TOPIC, index, 0) for index in range(count)])
        found: list[list[bytes]] = [[] for _ in range(count)]
        for _ in range(sum(len(written(index)) for index in range(count))):
            message = consumer.poll(SECONDS)
            assert message is not None
            assert message.error() is None, message.error()
            found[message.partition()].append(message.value())
        return found
    finally:
        consumer.close()


def log_bytes(folder: Path, broker: int, index: int) -> bytes:
    """The records of a replica as they are in its files."""
    files = sorted((folder / f"broker-{broker}" / f"{TOPIC}-{index}").glob("*.log"))
    assert files
    return b"".join(one.read_bytes() for one in files)


def limits(cluster: EmbeddedCluster) -> list[object]:
    """The properties that limit what is copied."""
    with Admin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        found = [*admin.describe_configs(Resource.TOPIC, TOPIC).values()]
        for one in BROKERS:
            found += admin.describe_configs(Resource.BROKER, str(one)).values()
    return [entry for entry in found if "replication.throttled" in entry.name and entry.value]


@pytest.mark.parametrize("count", [300, pytest.param(1500, marks=pytest.mark.long)])
def test_kafkas_tool_moves_them_all_and_finds_that_they_have(
    tools: Toolbox, tmp_path: Path, count: int
) -> None:
    plan = tmp_path / "plan.json"
    rows = [
        {"topic": TOPIC, "partition": index, "replicas": wanted_of(index)} for index in range(count)
    ]
    plan.write_text(json.dumps({"version": 1, "partitions": rows}))
    with EmbeddedCluster(
        3, {"auto.leader.rebalance.enable": "false"}, data_dir=tmp_path / "data"
    ) as cluster:
        fill(cluster, count)
        options = (
            "--bootstrap-server",
            cluster.bootstrap_servers,
            "--reassignment-json-file",
            str(plan),
        )

        begun = tools.run(REASSIGN, *options, "--execute", "--throttle", THROTTLE)
        names = ",".join(f"{TOPIC}-{index}" for index in range(count))
        assert f"Successfully started partition reassignments for {names}" in begun
        assert limits(cluster)

        done = "Reassignment of partition {}-{} is completed."
        expected = [done.format(TOPIC, index) for index in range(count)]
        seen: list[str] = []

        deadline = time.monotonic() + SECONDS
        while [one for one in seen if one.startswith("Reassignment of")] != expected:
            assert time.monotonic() < deadline, seen
            seen = tools.run(REASSIGN, *options, "--verify")
        assert "Clearing topic-level throttles on topic dogs" in seen
        assert limits(cluster) == []
        listed = tools.run(REASSIGN, "--bootstrap-server", cluster.bootstrap_servers, "--list")
        assert "No partition reassignments found." in listed
        for index in range(count):
            assert cluster.in_sync(TOPIC, index) == sorted(wanted_of(index))
        assert read(cluster, count) == [*map(written, range(count))]
        for index in range(count):
            first, second = (log_bytes(tmp_path / "data", one, index) for one in wanted_of(index))
            assert first == second
            (gone,) = {*BROKERS} - {*wanted_of(index)}
            assert not (tmp_path / "data" / f"broker-{gone}" / f"{TOPIC}-{index}").exists()
