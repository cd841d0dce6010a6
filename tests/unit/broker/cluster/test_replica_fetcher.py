"""Copying: messages of magic 0 and 1 as they are, from any leader; a session ends where two logs diverge."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from confluent_kafka.admin import AdminClient, NewTopic

from barnabas import Admin, Resource
from barnabas.broker.cluster.inter_broker import versions_of
from barnabas.broker.cluster.peer_connection import PeerConnection
from barnabas.broker.cluster.replica_fetcher import FetcherPorts, ReplicaFetcher
from barnabas.broker.cluster.replica_requests import FetchLimits
from barnabas.broker.replicas.follower_role import FollowerRole
from barnabas.protocol.fetch import (
    EpochEndOffset,
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    PartitionData,
)
from barnabas.records.batches.batch import walk
from barnabas.replication.requests import FetchNext
from barnabas.replication.throttle import ReplicationThrottle
from barnabas.runtime.clock import SystemClock
from barnabas.testing import EmbeddedCluster
from barnabas.types import NodeId, TopicPartition
from tests import librdkafka_records
from tests.unit.runtime.manual_timers import ManualTimers
from tests.waiting import wait

pytestmark = pytest.mark.kernels

SECONDS = 30.0
TOPIC_ID = b"d" * 16
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


class Leader:
    """A connection to a leader that a test answers for."""

    is_busy = False

    def __init__(self) -> None:
        self.asked: list[FetchRequest] = []
        self.answer: Callable[[object], None] = lambda _response: None

    def ask(
        self, _key: object, _version: int, message: FetchRequest, _seconds: float, answer: Any
    ) -> None:
        self.asked.append(message)
        self.answer = answer


class Copy:
    """A follower that asks for the same again and again."""

    follower = SimpleNamespace(is_caught_up=True)
    on_ready: object = None

    def awaits_flush(self) -> bool:
        return False

    def next_request(self, _now_ms: int) -> FetchNext:
        return FetchNext(0, 5, 0, 0)

    def step(self, _event: object, _records: object, *, time_ms: int) -> None:
        del time_ms


@pytest.mark.parametrize(("parts", "epoch"), [(False, 1), (True, 0)])
def test_after_a_log_that_parts_everything_is_asked_for(*, parts: bool, epoch: int) -> None:
    """The leader's watermark is beside that, and not taken; in the session it would not come again."""
    leader, timers = Leader(), ManualTimers()
    limits = FetchLimits(NodeId(1), versions_of("3.9"), lambda: 1, 500, 1 << 20, 1 << 20, 1000)
    ports = FetcherPorts(
        SystemClock(), timers, limits, lambda _topic: TOPIC_ID, ReplicationThrottle(), print
    )
    fetcher = ReplicaFetcher(cast("PeerConnection", leader), ports)
    fetcher.add(TopicPartition("dogs", 0), cast("FollowerRole", Copy()))
    timers.advance(0)
    row = PartitionData(
        partition_index=0,
        error_code=0,
        high_watermark=5,
        log_start_offset=0,
        records=b"",
        diverging_epoch=EpochEndOffset(epoch=0, end_offset=3) if parts else None,
    )
    topic = FetchableTopicResponse(topic_id=TOPIC_ID, partitions=[row])
    leader.answer(FetchResponse(session_id=7, responses=[topic]))
    timers.advance(0)
    assert [one.session_epoch for one in leader.asked] == [0, epoch]
