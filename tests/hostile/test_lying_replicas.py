"""Fetches of a replica that lies, and in the name of another broker, are refused with Kafka's errors.

None of them counts: no record is committed by it, and nobody gets into the ISR.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from barnabas import Producer
from barnabas.broker.replicas.leader_role import LeaderRole
from barnabas.errors import ErrorCode
from barnabas.protocol.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    PartitionData,
    ReplicaState,
)
from barnabas.replication.leader import Leader
from barnabas.types import NodeId
from tests.local_cluster import LocalCluster
from tests.unit.broker.raw_client import RawClient

RECORDS = 10
LEADER, REPLICA, NO_REPLICA, NOBODY = 1, 2, 3, 99
EPOCH = 1000
"""Of a broker, as its fetches name it; the controller names none."""


class Lie(NamedTuple):
    """A fetch; `offset` counts from the end of the log, `leader_epoch` from the leader's. -9: not given."""

    error: ErrorCode
    replica: int = REPLICA
    offset: int = 0
    leader_epoch: int = 0
    last_epoch: int = -9
    broker_epoch: int = -9


LIES = {
    "records that nobody has": Lie(ErrorCode.OFFSET_OUT_OF_RANGE, offset=1),
    "far more of them": Lie(ErrorCode.OFFSET_OUT_OF_RANGE, offset=1 << 40),
    "an offset below zero": Lie(ErrorCode.OFFSET_OUT_OF_RANGE, offset=-RECORDS - 1),
    "an older leader epoch": Lie(ErrorCode.FENCED_LEADER_EPOCH, leader_epoch=-1),
    "a newer leader epoch": Lie(ErrorCode.UNKNOWN_LEADER_EPOCH, leader_epoch=1),
    "records of an epoch that never was": Lie(ErrorCode.OFFSET_OUT_OF_RANGE, last_epoch=7),
    "an earlier life of the broker": Lie(ErrorCode.NOT_LEADER_OR_FOLLOWER, broker_epoch=EPOCH - 1),
    "a broker that is no replica": Lie(ErrorCode.UNKNOWN_LEADER_EPOCH, NO_REPLICA),
    "one without leader epochs": Lie(ErrorCode.NOT_LEADER_OR_FOLLOWER, NO_REPLICA, 0, -9),
    "a broker that is not there": Lie(ErrorCode.UNKNOWN_LEADER_EPOCH, NOBODY),
    "that one without epochs": Lie(ErrorCode.NOT_LEADER_OR_FOLLOWER, NOBODY, 0, -9),
}


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[LocalCluster]:
    """Broker 2 copies nothing, is alive, and out of the ISR; broker 1 leads in a later epoch than the first."""
    found = LocalCluster(tmp_path, 3)
    try:
        found.create("dogs", LEADER, REPLICA)
        found.wait_for_isr("dogs", LEADER, REPLICA)
        found.stop(REPLICA)
        found.start(REPLICA)
        found.wait_for_isr("dogs", LEADER, REPLICA)
        found.cut(REPLICA)
        servers = f"127.0.0.1:{found.ports[LEADER]}"
        with Producer({"enable.idempotence": False}, bootstrap_servers=servers, acks=1) as producer:
            for _ in range(RECORDS):
                producer.send("dogs", b"x", partition=0)
            producer.flush()
        found.wait_for_isr("dogs", LEADER)
        yield found
    finally:
        found.close()


def leader_of(cluster: LocalCluster) -> Leader:
    role = cluster.partition(LEADER, "dogs").role
    assert isinstance(role, LeaderRole)
    return role.leader


def fetch(cluster: LocalCluster, lie: Lie) -> PartitionData:
    leader = leader_of(cluster)
    assert leader.leader_epoch > 0
    epoch = -1 if lie.leader_epoch == -9 else leader.leader_epoch + lie.leader_epoch
    with_epoch = lie.broker_epoch != -9
    state = ReplicaState(replica_id=lie.replica, replica_epoch=lie.broker_epoch)
    row = FetchPartition(
        partition=0,
        current_leader_epoch=epoch,
        fetch_offset=RECORDS + lie.offset,
        last_fetched_epoch=-1 if lie.last_epoch == -9 else lie.last_epoch,
        partition_max_bytes=1 << 20,
    )
    request = FetchRequest(
        replica_id=-1 if with_epoch else lie.replica,
        replica_state=state if with_epoch else None,
        max_wait_ms=0,
        min_bytes=1,
        topics=[
            FetchTopic(
                topic="" if with_epoch else "dogs",
                topic_id=cluster.partition(LEADER, "dogs").log.topic_id,
                partitions=[row],
            )
        ],
    )
    with RawClient(cluster.ports[LEADER]) as client:
        response = client.ask(request, 15 if with_epoch else 12, FetchResponse)
    assert response.error_code == ErrorCode.NONE
    (data,) = response.responses[0].partitions
    return data


@pytest.mark.parametrize("lie", LIES.values(), ids=[*LIES])
def test_a_fetch_that_lies_is_refused_and_does_not_count(cluster: LocalCluster, lie: Lie) -> None:
    known = Lie(ErrorCode.NONE, offset=-RECORDS, broker_epoch=EPOCH)
    assert fetch(cluster, known).error_code == ErrorCode.NONE
    before = leader_of(cluster).progress(NodeId(REPLICA))
    assert before is not None
    assert (before.log_end, before.broker_epoch) == (0, EPOCH)
    data = fetch(cluster, lie)
    assert data.error_code == lie.error
    assert not data.records
    leader = leader_of(cluster)
    after = leader.progress(NodeId(REPLICA))
    assert after is not None
    assert (after.log_end, after.broker_epoch) == (0, EPOCH)
    assert leader.maximal_isr == frozenset({LEADER})
    assert leader.high_watermark == RECORDS
    assert set(leader.replicas) == {LEADER, REPLICA}


def test_the_truth_counts(cluster: LocalCluster) -> None:
    assert fetch(cluster, Lie(ErrorCode.NONE, broker_epoch=EPOCH)).error_code == ErrorCode.NONE
    cluster.wait_for_isr("dogs", LEADER, REPLICA)


def test_a_lie_commits_nothing_for_acks_all(cluster: LocalCluster) -> None:
    """With broker 2 in sync, what it has not is not committed, whatever is claimed in its name."""
    cluster.heal(REPLICA)
    cluster.wait_for_isr("dogs", LEADER, REPLICA)
    cluster.cut(REPLICA)
    servers = f"127.0.0.1:{cluster.ports[LEADER]}"
    with Producer({"enable.idempotence": False}, bootstrap_servers=servers, acks=1) as producer:
        producer.send("dogs", b"more", partition=0).result()
    refused = [
        fetch(cluster, Lie(ErrorCode.OFFSET_OUT_OF_RANGE, offset=2)),
        fetch(cluster, Lie(ErrorCode.FENCED_LEADER_EPOCH, offset=1, leader_epoch=-1)),
        fetch(cluster, Lie(ErrorCode.UNKNOWN_LEADER_EPOCH, NO_REPLICA, offset=1)),
    ]
    leader = leader_of(cluster)
    assert leader.high_watermark == RECORDS or leader.isr == {LEADER}
    assert [one.error_code for one in refused] == [
        ErrorCode.OFFSET_OUT_OF_RANGE,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.UNKNOWN_LEADER_EPOCH,
    ]
