"""`barnabas brokers`, `partitions`, `elect` and `reassign` in a cluster with real Kafka brokers."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from barnabas import Admin
from barnabas.client.core.admin.descriptions import Resource
from tests.commands.served import Done, run
from tests.interop.mixed_cluster import Generation, MixedCluster, mixed_cluster
from tests.interop.peers.generations import KAFKA_3_9

pytestmark = [pytest.mark.interop, pytest.mark.java, pytest.mark.long]

CONTROLLER, KAFKA, OURS = 1, 2, 3


@pytest.fixture
def cluster() -> Iterator[MixedCluster]:
    with mixed_cluster(Generation(KAFKA_3_9, "3.9", "3.9"), OURS, [CONTROLLER, KAFKA]) as found:
        for member in found.members.values():
            member.start()
        for one in found.members:
            found.wait_for_node(f"/brokers/ids/{one}")
        ports = [member.port for member in found.members.values()]
        found.wait(lambda: set(map(brokers_known, ports)) == {3}, lambda: "metadata")
        yield found


def brokers_known(port: int) -> int:
    """How many brokers clients of this one know."""
    with Admin(bootstrap_servers=f"127.0.0.1:{port}") as admin:
        return len(admin.describe_cluster().brokers)


def barnabas(cluster: MixedCluster, *arguments: str) -> Done:
    done = run(*arguments, servers=cluster.servers)
    assert done.code == 0, done.err
    return done


def test_replicas_move_between_kafka_and_us_and_back(cluster: MixedCluster, tmp_path: Path) -> None:
    cluster.create("dogs", [[CONTROLLER, KAFKA], [KAFKA, CONTROLLER]])
    cluster.produce("dogs", 0, 500)
    rows = json.loads(barnabas(cluster, "brokers", "--json").out)
    assert {row["broker"] for row in rows} == {CONTROLLER, KAFKA, OURS}
    assert sum(row["controller"] == "yes" for row in rows) == 1

    plan, undo = str(tmp_path / "plan.json"), str(tmp_path / "undo.json")
    planned = barnabas(cluster, "reassign", "plan", "dogs", "--without", str(KAFKA), "-o", plan)
    assert [line.split("\t")[:4] for line in planned.lines] == [
        ["dogs", "0", "1,2", "1,3"],
        ["dogs", "1", "2,1", "1,3"],
    ]
    moved = barnabas(cluster, "reassign", "run", plan, "--undo", undo, "--yes")
    assert [line.split("\t")[3] for line in moved.lines] == ["1,3", "1,3"]
    cluster.wait_for_state("dogs", CONTROLLER, CONTROLLER, OURS)
    assert cluster.log_bytes(CONTROLLER, "dogs") == cluster.log_bytes(OURS, "dogs")
    barnabas(cluster, "reassign", "run", undo, "--yes")
    cluster.wait_for_state("dogs", CONTROLLER, CONTROLLER, KAFKA)
    assert cluster.consume("dogs", 500) == list(range(500))


def test_a_limit_is_gone_when_all_have_moved(cluster: MixedCluster, tmp_path: Path) -> None:
    cluster.create("dogs", [[CONTROLLER]])
    cluster.produce("dogs", 0, 500)
    plan, throttled = str(tmp_path / "plan.json"), ("--throttle", "100000000", "--yes")
    barnabas(cluster, "reassign", "plan", "dogs", "--to", str(KAFKA), "-o", plan)
    barnabas(cluster, "reassign", "run", plan, *throttled)
    cluster.wait_for_state("dogs", KAFKA, KAFKA)
    assert limits(cluster) == []

    # A broker of ours takes part, first as the follower, then as the leader.
    for node_id in (OURS, KAFKA):
        barnabas(cluster, "reassign", "plan", "dogs", "--to", str(node_id), "-o", plan)
        barnabas(cluster, "reassign", "run", plan, *throttled)
        cluster.wait_for_state("dogs", node_id, node_id)
        assert limits(cluster) == []
    assert cluster.consume("dogs", 500) == list(range(500))


def limits(cluster: MixedCluster) -> list[object]:
    """The properties that limit what is copied."""
    with Admin(bootstrap_servers=cluster.servers) as admin:
        found = [*admin.describe_configs(Resource.TOPIC, "dogs").values()]
        for one in cluster.members:
            found += admin.describe_configs(Resource.BROKER, str(one)).values()
    return [entry for entry in found if "replication.throttled" in entry.name and entry.value]


def test_the_first_replica_leads_again(cluster: MixedCluster) -> None:
    cluster.create("dogs", [[KAFKA, OURS]], **{"min.insync.replicas": "2"})
    cluster.wait_for_state("dogs", KAFKA, KAFKA, OURS)
    cluster.members[KAFKA].kill()
    cluster.wait_for_state("dogs", OURS, OURS)
    only = ("partitions", "dogs", "--only", "not-preferred")
    states = "under min ISR, under-replicated, not preferred"
    cluster.wait(
        lambda: [line.split("\t")[5] for line in barnabas(cluster, *only).lines] == [states],
        lambda: states,
    )
    cluster.members[KAFKA].start()
    cluster.wait_for_state("dogs", OURS, KAFKA, OURS)

    assert barnabas(cluster, "elect", "dogs").lines == [f"dogs\t0\t{KAFKA}"]
    cluster.wait_for_state("dogs", KAFKA, KAFKA, OURS)
    cluster.wait(lambda: barnabas(cluster, *only).lines == [], lambda: "not preferred")
