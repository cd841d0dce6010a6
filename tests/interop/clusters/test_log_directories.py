"""Log directories of a broker of ours under Kafka 3.9's controller: replicas move, logs fail, one is gone."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from barnabas import Admin, Resource
from barnabas.protocol.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from tests.interop.mixed_cluster import Generation, MixedCluster, mixed_cluster
from tests.interop.peers.generations import KAFKA_3_9
from tests.interop.peers.kafka_tools import ToolFailed, run_class
from tests.unit.broker.raw_client import RawClient

pytestmark = [pytest.mark.interop, pytest.mark.java, pytest.mark.long]

KAFKA, OURS = 1, 2
REASSIGN = "org.apache.kafka.tools.reassign.ReassignPartitionsCommand"
LOG_DIRS = "org.apache.kafka.tools.LogDirsCommand"
METADATA_VERSION = 5
COUNT = 500


@pytest.fixture
def cluster() -> Iterator[MixedCluster]:
    generation = Generation(KAFKA_3_9, "3.9", "3.9")
    with mixed_cluster(generation, OURS, [KAFKA], names=("first", "second")) as found:
        found.members[KAFKA].start()
        found.wait_for_node("/controller")
        found.members[OURS].start()
        for member in found.members.values():
            found.wait_for_node(f"/brokers/ids/{member.node_id}")
            found.wait(lambda member=member: brokers_known(member.port) == 2, lambda: "metadata")  # type: ignore[misc]
        yield found


def brokers_known(port: int) -> int:
    """How many brokers clients of this one know."""
    with Admin(bootstrap_servers=f"127.0.0.1:{port}") as admin:
        return len(admin.describe_cluster().brokers)


def place(cluster: MixedCluster, node_id: int, topic: str, index: int = 0) -> Path:
    """The directory of a broker that has a log."""
    directories = cluster.members[node_id].directories
    (found,) = (one for one in directories if (one / f"{topic}-{index}").exists())
    return found


def other(cluster: MixedCluster, node_id: int, topic: str, index: int = 0) -> Path:
    (found,) = {*cluster.members[node_id].directories} - {place(cluster, node_id, topic, index)}
    return found


def plan(path: Path, replicas: dict[int, str]) -> str:
    """A file that says where the replicas of dogs-0 go: a directory of each broker."""
    row = {
        "topic": "dogs",
        "partition": 0,
        "replicas": [*replicas],
        "log_dirs": [*replicas.values()],
    }
    path.write_text(json.dumps({"version": 1, "partitions": [row]}))
    return str(path)


def reassign(cluster: MixedCluster, *arguments: str) -> str:
    return run_class(KAFKA_3_9, REASSIGN, "--bootstrap-server", cluster.servers, *arguments)


def is_done(cluster: MixedCluster, file: str) -> bool:
    printed = reassign(
        cluster, "--reassignment-json-file", file, "--verify", "--preserve-throttles"
    )
    return "in progress" not in printed and "completed" in printed


def described(cluster: MixedCluster, node_id: int) -> list[dict[str, object]]:
    """What a broker says of dogs-0 in each directory, as Kafka's tool prints it."""
    options = ("--describe", "--broker-list", str(node_id), "--topic-list", "dogs")
    printed = run_class(KAFKA_3_9, LOG_DIRS, "--bootstrap-server", cluster.servers, *options)
    (line,) = (one for one in printed.splitlines() if one.startswith("{"))
    return [
        {**row, "directory": Path(each["logDir"])}
        for broker in json.loads(line)["brokers"]
        for each in broker["logDirs"]
        for row in each["partitions"]
    ]


def offline(cluster: MixedCluster, topic: str, index: int) -> list[int]:
    """The offline replicas of a partition, as Kafka's broker has them of its controller."""
    with RawClient(cluster.members[KAFKA].port) as client:
        request = MetadataRequest(topics=[MetadataRequestTopic(name=topic)])
        answer = client.ask(request, METADATA_VERSION, MetadataResponse)
    (row,) = (one for one in answer.topics[0].partitions if one.partition_index == index)
    return row.offline_replicas


def test_kafkas_tool_moves_a_replica_of_ours_and_one_of_kafkas_to_other_directories(
    cluster: MixedCluster, tmp_path: Path
) -> None:
    cluster.create("dogs", [[OURS, KAFKA]])
    cluster.wait_for_state("dogs", OURS, OURS, KAFKA)
    cluster.produce("dogs", 0, COUNT)
    targets = {one: other(cluster, one, "dogs") for one in (OURS, KAFKA)}
    file = plan(tmp_path / "plan.json", {one: str(path) for one, path in targets.items()})
    printed = reassign(cluster, "--reassignment-json-file", file, "--execute")
    assert printed.count("Successfully started moving log directory to") == 2
    cluster.wait(lambda: is_done(cluster, file), lambda: described(cluster, OURS))
    assert [(row["directory"], row["isFuture"]) for row in described(cluster, OURS)] == [
        (targets[OURS], False)
    ]
    cluster.produce("dogs", COUNT, COUNT)
    assert cluster.log_bytes(OURS, "dogs") == cluster.log_bytes(KAFKA, "dogs")
    cluster.members[OURS].kill()
    cluster.wait_for_state("dogs", KAFKA, KAFKA)
    cluster.members[OURS].start()
    cluster.wait_for_state("dogs", KAFKA, OURS, KAFKA)
    assert place(cluster, OURS, "dogs") == targets[OURS]
    assert cluster.consume("dogs", 2 * COUNT) == [*range(2 * COUNT)]


def test_kafkas_tool_shows_a_move_that_is_throttled_and_calls_it_off(
    cluster: MixedCluster, tmp_path: Path
) -> None:
    cluster.create("dogs", [[KAFKA, OURS]], **{"max.message.bytes": "2000000"})
    cluster.wait_for_state("dogs", KAFKA, KAFKA, OURS)
    for _ in range(4):
        assert cluster.takes("dogs", 900_000)
    here, there = place(cluster, OURS, "dogs"), other(cluster, OURS, "dogs")
    file = plan(tmp_path / "plan.json", {KAFKA: "any", OURS: str(there)})
    limit = ("--replica-alter-log-dirs-throttle", "1000")
    reassign(cluster, "--reassignment-json-file", file, "--execute", *limit)
    rows = {row["directory"]: row for row in described(cluster, OURS)}
    assert [rows[one]["isFuture"] for one in (here, there)] == [False, True]
    assert 0 < int(str(rows[there]["offsetLag"])) <= 4
    assert not is_done(cluster, file)
    # A restart does not end it.
    cluster.members[OURS].stop()
    cluster.members[OURS].start()
    cluster.wait_for_state("dogs", KAFKA, KAFKA, OURS)
    assert [row["isFuture"] for row in described(cluster, OURS)].count(True) == 1
    back = plan(tmp_path / "back.json", {KAFKA: "any", OURS: str(here)})
    reassign(cluster, "--reassignment-json-file", back, "--execute", "--additional")
    assert [row["directory"] for row in described(cluster, OURS)] == [here]
    # Again, and now without a limit.
    reassign(cluster, "--reassignment-json-file", file, "--execute", "--additional")
    with Admin(bootstrap_servers=cluster.servers) as admin:
        names = ["replica.alter.log.dirs.io.max.bytes.per.second"]
        admin.alter_configs(Resource.BROKER, str(OURS), dict.fromkeys(names))
    cluster.wait(lambda: is_done(cluster, file), lambda: described(cluster, OURS))
    assert place(cluster, OURS, "dogs") == there
    assert cluster.log_bytes(OURS, "dogs") == cluster.log_bytes(KAFKA, "dogs")


def test_a_replica_that_comes_from_kafka_is_made_in_the_directory_of_the_plan(
    cluster: MixedCluster, tmp_path: Path
) -> None:
    cluster.create("dogs", [[KAFKA]])
    cluster.produce("dogs", 0, COUNT)
    target = cluster.members[OURS].directories[1]
    file = plan(tmp_path / "plan.json", {KAFKA: "any", OURS: str(target)})
    reassign(cluster, "--reassignment-json-file", file, "--execute")
    cluster.wait_for_state("dogs", KAFKA, KAFKA, OURS)
    cluster.wait(lambda: is_done(cluster, file), lambda: described(cluster, OURS))
    assert place(cluster, OURS, "dogs") == target
    assert cluster.log_bytes(OURS, "dogs") == cluster.log_bytes(KAFKA, "dogs")


def test_directories_that_a_broker_does_not_have_are_refused(
    cluster: MixedCluster, tmp_path: Path
) -> None:
    cluster.create("dogs", [[OURS]])
    file = plan(tmp_path / "plan.json", {OURS: "/no/such/directory"})
    with pytest.raises(ToolFailed):
        reassign(cluster, "--reassignment-json-file", file, "--execute", "--timeout", "2000")


def test_another_replica_leads_where_a_log_of_ours_fails(cluster: MixedCluster) -> None:
    small = {"segment.bytes": "8000", "min.insync.replicas": "1"}
    cluster.create("dogs", [[OURS, KAFKA]], **small)
    cluster.create("cats", [[OURS, KAFKA]], **small)
    for topic in ("dogs", "cats"):
        cluster.wait_for_state(topic, OURS, OURS, KAFKA)
    cluster.produce("dogs", 0, COUNT)
    # The next segment cannot be made.
    shutil.rmtree(place(cluster, OURS, "dogs") / "dogs-0")
    cluster.produce("dogs", COUNT, COUNT)
    cluster.wait_for_state("dogs", KAFKA, KAFKA)
    cluster.wait(lambda: offline(cluster, "dogs", 0) == [OURS], lambda: offline(cluster, "dogs", 0))
    assert cluster.consume("dogs", 2 * COUNT) == [*range(2 * COUNT)]
    # The broker's other log is served, and its controller asks it on.
    cluster.produce("cats", 0, COUNT)
    assert cluster.state("cats")["leader"] == OURS
    assert offline(cluster, "cats", 0) == []
    cluster.create("birds", [[OURS, KAFKA]])
    cluster.wait_for_state("birds", OURS, OURS, KAFKA)


def test_a_replica_whose_directory_is_gone_is_offline_until_it_is_back(
    cluster: MixedCluster, tmp_path: Path
) -> None:
    names = ("dogs", "cats")
    for topic in names:
        cluster.create(topic, [[OURS, KAFKA]])
        cluster.wait_for_state(topic, OURS, OURS, KAFKA)
        cluster.produce(topic, 0, COUNT)
    lost = place(cluster, OURS, "dogs")
    assert place(cluster, OURS, "cats") != lost
    ours = cluster.members[OURS]
    ours.stop()
    shutil.move(lost, tmp_path / "away")
    ours.start()
    cluster.wait_for_state("cats", KAFKA, OURS, KAFKA)
    cluster.wait(lambda: offline(cluster, "dogs", 0) == [OURS], lambda: offline(cluster, "dogs", 0))
    cluster.produce("dogs", COUNT, COUNT)
    assert cluster.state("dogs")["isr"] == [KAFKA]
    assert not any((one / "dogs-0").exists() for one in ours.directories)
    # What is new is made in the other directory.
    cluster.create("birds", [[OURS, KAFKA]])
    cluster.wait_for_state("birds", OURS, OURS, KAFKA)

    ours.stop()
    shutil.move(tmp_path / "away", lost)
    ours.start()
    cluster.wait_for_state("dogs", KAFKA, OURS, KAFKA)
    assert offline(cluster, "dogs", 0) == []
    assert cluster.log_bytes(OURS, "dogs") == cluster.log_bytes(KAFKA, "dogs")
    assert cluster.consume("dogs", 2 * COUNT) == [*range(2 * COUNT)]
