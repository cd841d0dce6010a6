"""Replication throttles (KIP-73) between brokers of ours: each side holds up what is not in sync."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from barnabas import Admin, Producer
from barnabas.client.core.admin.descriptions import Resource
from barnabas.replication.throttle import ReplicationThrottle
from barnabas.types import TopicPartition
from tests.local_cluster import SECONDS, LocalCluster

pytestmark = pytest.mark.kernels

DOGS = TopicPartition("dogs", 0)
LEADER, FOLLOWER = 1, 2


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[LocalCluster]:
    found = LocalCluster(tmp_path)
    try:
        yield found
    finally:
        found.close()


def lag_behind(cluster: LocalCluster) -> None:
    """The follower lacks three megabytes: more than it asks for at once."""
    cluster.create("dogs", LEADER, FOLLOWER)
    cluster.wait_for_isr("dogs", LEADER, FOLLOWER)
    cluster.cut(FOLLOWER)
    with Producer(bootstrap_servers=cluster.bootstrap_servers, acks="1") as producer:
        for _ in range(6):
            producer.send("dogs", bytes(500_000), partition=0).result(SECONDS)
    cluster.wait_for_isr("dogs", LEADER)


def wait_until_it_is_held_up(throttle: ReplicationThrottle) -> None:
    deadline = time.monotonic() + SECONDS
    while not throttle.must_wait(DOGS, int(time.monotonic() * 1000), is_in_sync=False):
        assert time.monotonic() < deadline, "nothing is held up"
        time.sleep(0.01)


@pytest.mark.parametrize(("kind", "node_id"), [("leader", LEADER), ("follower", FOLLOWER)])
@pytest.mark.parametrize("replicas", ["*", "0:{}"])
def test_a_replica_out_of_sync_is_held_up_until_the_limit_is_gone(
    cluster: LocalCluster, kind: str, node_id: int, replicas: str
) -> None:
    rate, named = f"{kind}.replication.throttled.rate", f"{kind}.replication.throttled.replicas"
    lag_behind(cluster)
    with Admin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        assert rate not in admin.describe_configs(Resource.BROKER, str(node_id))
        admin.alter_configs(Resource.BROKER, str(node_id), {rate: "1"})
        admin.alter_configs(Resource.TOPIC, "dogs", {named: replicas.format(node_id)})
        assert admin.describe_configs(Resource.BROKER, str(node_id))[rate].value == "1"
        throttle: ReplicationThrottle = getattr(cluster.member(node_id).throttles, kind)
        cluster.heal(FOLLOWER)
        wait_until_it_is_held_up(throttle)
        assert len(cluster.log_bytes(FOLLOWER, "dogs")) < len(cluster.log_bytes(LEADER, "dogs"))
        assert cluster.wait_for_isr("dogs", LEADER).leader == LEADER

        admin.alter_configs(Resource.BROKER, str(node_id), {rate: None})
        cluster.wait_for_isr("dogs", LEADER, FOLLOWER)
    assert cluster.log_bytes(FOLLOWER, "dogs") == cluster.log_bytes(LEADER, "dogs")


def test_replicas_that_are_not_named_and_those_in_sync_go_on(cluster: LocalCluster) -> None:
    lag_behind(cluster)
    with Admin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        for node_id in (LEADER, FOLLOWER):
            admin.alter_configs(
                Resource.BROKER,
                str(node_id),
                {f"{kind}.replication.throttled.rate": "1" for kind in ("leader", "follower")},
            )
        admin.alter_configs(
            Resource.TOPIC,
            "dogs",
            {
                "leader.replication.throttled.replicas": f"0:{FOLLOWER}",
                "follower.replication.throttled.replicas": f"0:{LEADER},1:{FOLLOWER}",
            },
        )
        cluster.heal(FOLLOWER)
        cluster.wait_for_isr("dogs", LEADER, FOLLOWER)

        every = dict.fromkeys(
            ("leader.replication.throttled.replicas", "follower.replication.throttled.replicas"),
            "*",
        )
        admin.alter_configs(Resource.TOPIC, "dogs", every)
        with Producer(bootstrap_servers=cluster.bootstrap_servers, acks="all") as producer:
            for _ in range(6):
                producer.send("dogs", bytes(500_000), partition=0).result(SECONDS)
    cluster.wait_for_isr("dogs", LEADER, FOLLOWER)
