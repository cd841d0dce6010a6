"""What Kafka's own tools print of a cluster of ours is what they print of a cluster of Kafka 3.9's."""

import json
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from barnabas import Admin
from barnabas.errors import ErrorCode
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.api_versions import ApiVersionsRequest, ApiVersionsResponse
from barnabas.protocol.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from tests.interop.differential.verdict import compare
from tests.interop.mixed_cluster import Generation, MixedCluster, OurMember, mixed_cluster
from tests.interop.peers.brokers.zookeeper import ZooKeeper
from tests.interop.peers.child import Child
from tests.interop.peers.generations import KAFKA_3_9
from tests.interop.peers.kafka_tools import Toolbox, command_of
from tests.interop.peers.missing import PeerMissing, give_up
from tests.interop.printed.tool_output import Masks, masked
from tests.record_batches import make_batch
from tests.unit.broker.raw_client import RawClient

pytestmark = [pytest.mark.interop, pytest.mark.java, pytest.mark.long]

BROKERS = (1, 2, 3)
SECONDS = 120.0
REASSIGN, TOPICS = "reassign.ReassignPartitionsCommand", "TopicCommand"
ELECT, LOG_DIRS = "LeaderElectionCommand", "LogDirsCommand"
VERIFY_REPLICAS = "org.apache.kafka.tools.ReplicaVerificationTool"
PRODUCE_VERSION = 7
REPLICAS = {0: [1, 2, 3], 1: [2, 3, 1]}
WANTED = {0: [3, 1], 1: [2, 3]}

_OF_THIS_RUN: Masks = (
    (r'"logDir":"[^"]*"', '"logDir":"DIRECTORY"'),
    (r"/\S*/data\b", "DIRECTORY"),
    (r"^\d\d:\d\d:\d\d\.\d{3}", "TIME"),
    (r"\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[.,]\d{3}", "TIME"),
)


class Printed:
    """What the tools print of one cluster, by the question."""

    def __init__(self, tools: Toolbox, cluster: MixedCluster) -> None:
        self.answers: dict[str, list[str]] = {}
        self._tools = tools
        self._cluster = cluster

    def ask(self, program: str, *arguments: str | Path) -> list[str]:
        """What it prints, and nothing kept."""
        server = "--bootstrap-server", self._cluster.servers
        lines = self._tools.run(program, *server, *map(str, arguments))
        return [masked(line, _OF_THIS_RUN) for line in lines if not line.startswith("\tat ")]

    def keep(self, label: str, lines: list[str]) -> None:
        assert label not in self.answers
        self.answers[label] = lines

    def note(self, label: str, program: str, *arguments: str | Path) -> None:
        """Keep what it prints."""
        self.keep(label, self.ask(program, *arguments))


@contextmanager
def our_cluster() -> Iterator[MixedCluster]:
    """Three brokers of ours in one ZooKeeper, none of them started."""
    with ZooKeeper() as keeper, ExitStack() as stack:
        members = [OurMember("3.9", "3.9", keeper.address, one) for one in BROKERS]
        found = MixedCluster(keeper.address, *members)
        stack.callback(found.close)
        yield found


def start(cluster: MixedCluster) -> None:
    """Start all, until each knows all."""
    for one in BROKERS:
        cluster.members[one].start()
        cluster.wait_for_node(f"/brokers/ids/{one}")
    for one in BROKERS:
        cluster.wait(lambda one=one: brokers_known(cluster, one) == len(BROKERS), lambda: "brokers")  # type: ignore[misc]


def brokers_known(cluster: MixedCluster, node_id: int) -> int:
    with Admin(bootstrap_servers=f"127.0.0.1:{cluster.members[node_id].port}") as admin:
        return len(admin.describe_cluster().brokers)


def write(cluster: MixedCluster, index: int) -> None:
    """One batch of twenty records, to the leader of a partition, until all in sync have it."""
    leader = cluster.state("dogs", index)["leader"]
    assert isinstance(leader, int)
    part = PartitionProduceData(index=index, records=make_batch(20))
    topic = TopicProduceData(name="dogs", partition_data=[part])
    request = ProduceRequest(acks=-1, timeout_ms=30_000, topic_data=[topic])

    def is_written() -> bool:
        with RawClient(cluster.members[leader].port) as client:
            answer = client.ask(request, PRODUCE_VERSION, ProduceResponse)
        code = ErrorCode.of(answer.responses[0].partition_responses[0].error_code)
        assert not code or code.retriable, code
        return not code

    cluster.wait(is_written, lambda: f"dogs-{index}")


def wait_for_isrs(cluster: MixedCluster, wanted: dict[int, list[int]]) -> None:
    """Until just these are in sync, of each partition."""

    def isrs() -> dict[int, list[int]]:
        return {index: sorted(cluster.state("dogs", index).get("isr", [])) for index in wanted}  # type: ignore[call-overload]

    cluster.wait(lambda: isrs() == {index: sorted(one) for index, one in wanted.items()}, isrs)


def plan(folder: Path) -> Path:
    rows = [{"topic": "dogs", "partition": one, "replicas": WANTED[one]} for one in WANTED]
    file = folder / "plan.json"
    file.write_text(json.dumps({"version": 1, "partitions": rows}))
    return file


def verified_replicas(cluster: MixedCluster, folder: Path) -> list[str]:
    """What the tool finds that reads all replicas and compares them; it goes on until it is ended."""
    arguments = "--broker-list", cluster.servers, "--topics-include", "dogs"
    command = command_of(
        KAFKA_3_9, VERIFY_REPLICAS, *arguments, "--report-interval-ms", "500", "--time", "-2"
    )
    child = Child(command, folder / "verification.log")
    try:
        found: list[str] = []
        deadline = time.monotonic() + SECONDS
        while not any("max lag is 0" in line for line in found):
            assert time.monotonic() < deadline, found
            assert child.alive(), found
            time.sleep(0.1)
            found = [line for line in child.log.read_text().splitlines() if "max lag" in line]
    finally:
        child.kill()
    (first, *_) = [line for line in found if "max lag is 0" in line]
    return [masked(first, _OF_THIS_RUN)]


def listed_versions(cluster: MixedCluster) -> list[str]:
    """What a broker lists for its clients. Envelope is sent in a migration to KRaft only, which we have not."""
    request = ApiVersionsRequest(client_software_name="test", client_software_version="1")
    with RawClient(cluster.members[1].port) as client:
        answer = client.ask(request, 3, ApiVersionsResponse)
    rows = sorted((one.api_key, one.min_version, one.max_version) for one in answer.api_keys)
    return [f"{key}: {first} to {last}" for key, first, last in rows if key != ApiKey.ENVELOPE]


def look(cluster: MixedCluster, tools: Toolbox, folder: Path) -> dict[str, list[str]]:
    """One scene: a topic that is created, moved, without one of its brokers, led as before, deleted."""
    printed = Printed(tools, cluster)
    printed.keep("ApiVersions", listed_versions(cluster))
    assignment = ",".join(":".join(map(str, one)) for one in REPLICAS.values())
    config = "--config", "min.insync.replicas=2"
    create = "--create", "--topic", "dogs", "--replica-assignment", assignment, *config
    printed.note("create", TOPICS, *create)
    printed.note("create again", TOPICS, *create)
    wait_for_isrs(cluster, REPLICAS)
    for index in REPLICAS:
        write(cluster, index)
    describe = "--describe", "--topic", "dogs"
    printed.note("describe", TOPICS, *describe)
    printed.note("directories", LOG_DIRS, "--describe", "--topic-list", "dogs")
    printed.keep("verification", verified_replicas(cluster, folder))

    file = "--reassignment-json-file", plan(folder)
    printed.note("verify before", REASSIGN, *file, "--verify", "--preserve-throttles")
    printed.note("execute", REASSIGN, *file, "--execute", "--throttle", "10000000")
    verified: list[str] = []

    def is_complete() -> bool:
        verified[:] = printed.ask(REASSIGN, *file, "--verify")
        return sum("is completed" in line for line in verified) == len(WANTED)

    cluster.wait(is_complete, lambda: verified)
    printed.keep("verify", verified)
    printed.note("verify again", REASSIGN, *file, "--verify")
    printed.note("list", REASSIGN, "--list")
    printed.note("cancel", REASSIGN, *file, "--cancel")
    wait_for_isrs(cluster, WANTED)
    printed.note("describe after the move", TOPICS, *describe)
    look_at_elections(cluster, printed)
    printed.note("describe at the end", TOPICS, *describe)
    printed.note("delete", TOPICS, "--delete", "--topic", "dogs")
    cluster.wait(
        lambda: cluster.client.exists("/brokers/topics/dogs") is None, lambda: "topic dogs"
    )
    printed.note("directories at the end", LOG_DIRS, "--describe", "--topic-list", "dogs")
    return printed.answers


def look_at_elections(cluster: MixedCluster, printed: Printed) -> None:
    """Without a broker, and when it is back."""
    cluster.members[3].kill()
    wait_for_isrs(cluster, {0: [1], 1: [2]})
    for state in ("under-replicated", "under-min-isr", "at-min-isr", "unavailable"):
        printed.note(state, TOPICS, "--describe", "--exclude-internal", f"--{state}-partitions")
    cluster.members[3].start()
    wait_for_isrs(cluster, WANTED)
    every = "--election-type", "preferred", "--all-topic-partitions"
    printed.note("elect", ELECT, *every)
    printed.note("elect again", ELECT, *every)
    one = "--topic", "dogs", "--partition", "0"
    printed.note("elect uncleanly", ELECT, "--election-type", "unclean", *one)
    printed.note(
        "elect nobody", ELECT, "--election-type", "preferred", "--topic", "cats", "--partition", "0"
    )


def test_tools_print_the_same_of_three_brokers_of_ours_and_of_kafkas() -> None:
    folder = Path(tempfile.mkdtemp(prefix="printed-"))
    try:
        with Toolbox() as tools:
            with mixed_cluster(Generation(KAFKA_3_9, "3.9", "3.9"), None, BROKERS) as theirs:
                start(theirs)
                expected = look(theirs, tools, folder)
            with our_cluster() as ours:
                start(ours)
                found = look(ours, tools, folder)
    except PeerMissing as missing:
        give_up(missing)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    compare(expected, found, ())
