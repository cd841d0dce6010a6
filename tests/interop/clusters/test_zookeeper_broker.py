"""Our broker in real ZooKeeper: what it writes there, and which clients find it only there."""

import contextlib
import json
import time
from collections.abc import Callable, Iterator
from operator import attrgetter
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient, NewTopic
from kazoo.client import KazooClient
from kazoo.exceptions import ConnectionLoss, NoNodeError, SessionExpiredError

from barnabas import Admin, TopicPartition
from barnabas.protocol.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from barnabas.protocol.offset_fetch import OffsetFetchRequest, OffsetFetchRequestTopic
from tests.interop.clients.confluent import Confluent
from tests.interop.clients.ours import Ours
from tests.interop.differential.talk import Talk
from tests.interop.peers import generations
from tests.interop.peers.brokers.old_kafka import OldKafka
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.brokers.zookeeper import ZooKeeper
from tests.interop.peers.child import ChildFailed
from tests.interop.peers.kafka_tools import run_class
from tests.interop.peers.maven import MavenPeer
from tests.interop.peers.missing import PeerMissing, give_up
from tests.interop.samples import START_MS, Sample, many

pytestmark = [pytest.mark.interop, pytest.mark.java]

SECONDS = 60.0
OLD_CONSUMERS = (
    generations.KAFKA_0_8_2,
    pytest.param(generations.KAFKA_0_9, marks=pytest.mark.long),
    pytest.param(generations.KAFKA_0_10, marks=pytest.mark.long),
)
NAME = attrgetter("name")
Nodes = dict[str, tuple[bytes, bool]]
"""Data by path, and whether the node is ephemeral."""


class Tree:
    """What is below a path of ZooKeeper, read with kazoo."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.client = KazooClient(place)
        self.client.start(SECONDS)

    def nodes(self, path: str = "") -> Nodes:
        found: Nodes = {}
        for name in self.client.get_children(path or "/"):
            data, status = self.client.get(f"{path}/{name}")
            found[f"{path}/{name}"] = (data, status.ephemeralOwner != 0)
            found |= self.nodes(f"{path}/{name}")
        return found


@pytest.fixture
def tree(keeper: ZooKeeper) -> Iterator[Tree]:
    """A path of its own for each test."""
    root = KazooClient(keeper.address)
    root.start(SECONDS)
    path = f"/cluster-{time.monotonic_ns()}"
    root.create(path)
    tree = Tree(f"{keeper.address}{path}")
    yield tree
    for client in (tree.client, root):
        client.stop()
        client.close()


def our_broker(tree: Tree, **more: str) -> OurBroker:
    properties = {
        "zookeeper.connect": tree.place,
        "zookeeper.session.timeout.ms": "20000",
        **{name.replace("_", "."): value for name, value in more.items()},
    }
    return OurBroker(properties=properties)


def until(condition: Callable[[], bool]) -> None:
    """Look until it is so; nodes may go, and ZooKeeper be away, while it is looked."""
    deadline = time.monotonic() + SECONDS
    while True:
        with contextlib.suppress(ConnectionLoss, NoNodeError, SessionExpiredError):
            if condition():
                return
        assert time.monotonic() < deadline, "it does not come about"
        time.sleep(0.05)


def make_topic(broker: OurBroker, topic: str, partitions: int = 1) -> None:
    admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
    for made in admin.create_topics([NewTopic(topic, partitions, 1)]).values():
        made.result(SECONDS)


@pytest.mark.long
@pytest.mark.parametrize("release", [generations.KAFKA_0_8_2, generations.KAFKA_0_10], ids=NAME)
def test_the_nodes_are_those_of_a_real_broker(release: MavenPeer, tree: Tree) -> None:
    try:
        with OldKafka(release) as kafka:
            theirs = Tree(kafka.keeper.address)
            expected = nodes_of_a_topic(release, theirs)
            theirs.client.stop()
            theirs.client.close()
        ours = our_broker(tree)
        ours.profile = release.version
        with ours:
            found = nodes_of_a_topic(release, tree)
    except PeerMissing as missing:
        give_up(missing)
    # Theirs has room for broker sequence numbers, which nobody reads.
    expected.pop("/brokers/seqid", None)
    assert {path: flag for path, (_, flag) in found.items()} == {
        path: flag for path, (_, flag) in expected.items()
    }
    for path, (data, _) in expected.items():
        if data and not path.endswith("/dogs"):
            assert shape(found[path][0]) == shape(data), path
    topic, real = found["/brokers/topics/dogs"][0], expected["/brokers/topics/dogs"][0]
    assert json.loads(topic)["partitions"] == json.loads(real)["partitions"]


def nodes_of_a_topic(release: MavenPeer, tree: Tree) -> Nodes:
    """What there is once the release's own tool has made a topic."""
    make = ["--create", "--topic", "dogs", "--partitions", "2", "--replication-factor", "1"]
    run_class(release, "kafka.admin.TopicCommand", "--zookeeper", tree.place, *make)
    until(lambda: "/brokers/topics/dogs/partitions/1/state" in tree.nodes())
    return {
        path: node
        for path, node in tree.nodes().items()
        if path.startswith(("/brokers", "/controller")) and path != "/controller_epoch"
    }


def shape(data: bytes) -> dict[str, object]:
    """Names with values; of times and ports only what they are."""
    changing = {"timestamp", "port", "host", "endpoints"}
    return {
        name: type(value) if name in changing else value for name, value in json.loads(data).items()
    }


def consume_through_zookeeper(
    release: MavenPeer, place: str, count: int, *options: str
) -> list[str]:
    """With the high-level consumer of the old days, which knows of no broker but by ZooKeeper."""
    options = ("--zookeeper", place, "--topic", "dogs", "--max-messages", str(count), *options)
    return run_class(release, "kafka.tools.ConsoleConsumer", *options).splitlines()


@pytest.mark.parametrize("release", OLD_CONSUMERS, ids=NAME)
def test_a_zookeeper_consumer_reads_from_us_and_leaves_its_offsets(
    release: MavenPeer, tree: Tree, tmp_path: Path
) -> None:
    properties = tmp_path / "consumer.properties"
    properties.write_text("group.id=kennel\n")
    group = ("--consumer.config", str(properties))
    lines = [f"line {index}" for index in range(200)]
    try:
        with our_broker(tree) as ours:
            make_topic(ours, "dogs", 2)
            for start in (0, 100):
                part = [
                    Sample(None, line.encode(), START_MS) for line in lines[start : start + 100]
                ]
                Confluent().write(ours.bootstrap_servers, "dogs", part, codec="gzip")
            place = tree.place
            got = consume_through_zookeeper(release, place, 150, "--from-beginning", *group)
            got += consume_through_zookeeper(release, place, 50, *group)
            until(lambda: tree.nodes("/consumers/kennel/ids") == {})
            offsets = {path: data for path, (data, _) in tree.nodes("/consumers").items() if data}
    except PeerMissing as missing:
        give_up(missing)
    assert sorted(got) == sorted(lines)
    assert sum(int(data) for data in offsets.values()) == 200
    assert set(offsets) <= {f"/consumers/kennel/offsets/dogs/{index}" for index in (0, 1)}


@pytest.mark.long
def test_a_group_moves_its_offsets_from_zookeeper_into_the_topic(
    tree: Tree, tmp_path: Path
) -> None:
    """By both at once (`dual.commit.enabled`), as Kafka 0.8.2 has it, and by the topic alone then."""
    properties = tmp_path / "consumer.properties"
    group = ("--consumer.config", str(properties))
    lines = [f"line {index}" for index in range(90)]
    both = "offsets.storage=kafka\ndual.commit.enabled="
    seen: list[tuple[int, int | None]] = []
    got: list[str] = []

    def in_zookeeper() -> int:
        return int(tree.client.get("/consumers/kennel/offsets/dogs/0")[0])

    try:
        with our_broker(tree) as ours:
            make_topic(ours, "dogs")
            sent = [Sample(None, line.encode(), START_MS) for line in lines]
            Confluent().write(ours.bootstrap_servers, "dogs", sent)
            with Admin(bootstrap_servers=ours.bootstrap_servers) as admin:
                for storage in ("offsets.storage=zookeeper", f"{both}true", f"{both}false"):
                    properties.write_text(f"group.id=kennel\n{storage}\n")
                    start = () if got else ("--from-beginning",)
                    got += consume_through_zookeeper(
                        generations.KAFKA_0_8_2, tree.place, 30, *group, *start
                    )
                    until(lambda: tree.nodes("/consumers/kennel/ids") == {})
                    stored = admin.list_group_offsets("kennel").get(TopicPartition("dogs", 0))
                    seen.append((in_zookeeper(), None if stored is None else stored.offset))
    except PeerMissing as missing:
        give_up(missing)
    assert got == lines
    assert seen == [(30, None), (60, 60), (60, 90)]


def test_offsets_of_version_0_are_below_the_name_of_the_group_as_it_is(tree: Tree) -> None:
    def path(group: str) -> str:
        return f"/consumers/{group}/offsets/dogs/0"

    with our_broker(tree) as ours:
        make_topic(ours, "dogs")
        talk = Talk(ours.bootstrap_servers, "zookeeper")

        def reported(group: str) -> tuple[int, int]:
            topic = OffsetFetchRequestTopic(name="dogs", partition_indexes=[0])
            asked = OffsetFetchRequest(group_id=group, topics=[topic])
            one = talk.wait(asked, 0, bool).topics[0].partitions[0]
            return one.error_code, one.committed_offset

        def commit(group: str) -> int:
            one = OffsetCommitRequestPartition(
                partition_index=0, committed_offset=9, committed_metadata=""
            )
            topic = OffsetCommitRequestTopic(name="dogs", partitions=[one])
            asked = OffsetCommitRequest(group_id=group, topics=[topic])
            code: int = talk.wait(asked, 0, bool).topics[0].partitions[0].error_code
            return code

        groups = ["a b", "100%", "ü", "a%2Fb", "a/b", "a", "..x"]
        for group in groups:
            tree.client.create(path(group), b"7", makepath=True)
            assert reported(group) == (0, 7)
            assert commit(group) == 0
            assert tree.client.get(path(group))[0] == b"9"
        there = tree.nodes()
        for group in ("", "..", "../brokers", "a//b", "a/", "a\0b", "a/offsets/dogs/0"):
            assert commit(group) == reported(group)[0] == -1
        assert tree.nodes() == there
        with Admin(bootstrap_servers=ours.bootstrap_servers) as admin:
            admin.delete_topics(["dogs"])
        until(lambda: not any(tree.client.exists(path(group)) for group in groups))


@pytest.mark.long
def test_topics_made_and_deleted_by_a_tool_that_knows_zookeeper_only(tree: Tree) -> None:
    def tool(*options: str) -> str:
        command = "kafka.admin.TopicCommand"
        return run_class(generations.KAFKA_0_10, command, "--zookeeper", tree.place, *options)

    try:
        with our_broker(tree) as ours:
            tool(
                "--create", "--topic", "dogs", "--partitions", "2", "--replication-factor", "1",
                "--config", "max.message.bytes=5000",
            )  # fmt: skip
            until(lambda: "/brokers/topics/dogs/partitions/1/state" in tree.nodes())
            described = tool("--describe", "--topic", "dogs")
            assert "PartitionCount:2" in described
            assert "max.message.bytes=5000" in described
            assert described.count("Leader: 1\tReplicas: 1\tIsr: 1") == 2
            Confluent().write(ours.bootstrap_servers, "dogs", many(10))
            assert len(Ours().read(ours.bootstrap_servers, "dogs", 10)) == 10
            tool("--delete", "--topic", "dogs")
            until(lambda: "/brokers/topics/dogs" not in tree.nodes())
            until(lambda: "/admin/delete_topics/dogs" not in tree.nodes())
    except PeerMissing as missing:
        give_up(missing)


def test_a_broker_killed_and_back_before_its_node_expired(tree: Tree) -> None:
    with our_broker(tree, zookeeper_session_timeout_ms="60000") as ours:
        make_topic(ours, "dogs")
        first = tree.nodes("/brokers/ids")
        ours.child.kill()
        assert tree.nodes("/brokers/ids") == first
        begun = time.monotonic()
        ours.start()
        assert time.monotonic() - begun < 45, "the session of before is not waited for"
        ((data, ephemeral),) = tree.nodes("/brokers/ids").values()
        assert ephemeral
        assert data != first["/brokers/ids/1"][0]
        Confluent().write(ours.bootstrap_servers, "dogs", many(3))
    assert tree.nodes("/brokers/ids") == {}, "who stops is gone at once"


@pytest.mark.parametrize(
    ("node", "reported"),
    [
        ("1", "another broker is registered at /brokers/ids/1"),
        pytest.param("2", "brokers cannot share topics", marks=pytest.mark.long),
    ],
)
def test_a_second_broker_is_refused_and_the_first_goes_on(
    node: str, reported: str, tree: Tree
) -> None:
    with our_broker(tree, zookeeper_session_timeout_ms="30000") as ours:
        make_topic(ours, "dogs")
        second = our_broker(tree, zookeeper_session_timeout_ms="1000", node_id=node)
        with pytest.raises(ChildFailed):
            second.start()
        assert reported in second.child.tail()
        Confluent().write(ours.bootstrap_servers, "dogs", many(3))


def test_a_session_that_expired_and_a_zookeeper_that_was_away(
    keeper: ZooKeeper, tree: Tree
) -> None:
    with our_broker(tree, zookeeper_session_timeout_ms="3000") as ours:
        make_topic(ours, "dogs")
        before: Nodes = {}

        def all_notified() -> bool:
            # In one look, which a session that ends by itself cannot come between.
            nonlocal before
            before = tree.nodes("/brokers")
            return {"/brokers/ids/1", "/brokers/topics/dogs/partitions/0/state"} <= before.keys()

        until(all_notified)
        keeper.kill()
        # Known clients are served without ZooKeeper; a change is an error.
        Confluent().write(ours.bootstrap_servers, "dogs", many(3))
        with pytest.raises(Exception, match="KAFKA_STORAGE_ERROR|Disk error|storage"):
            make_topic(ours, "cats")
        keeper.start()
        until(lambda: "/brokers/ids/1" in tree.nodes())
        expire(tree, ours)
        until(lambda: tree.nodes("/brokers") == before and "/controller" in tree.nodes())
        make_topic(ours, "cats")
        assert "unhandled" not in ours.child.tail()


def expire(tree: Tree, ours: OurBroker) -> None:
    """Stop the broker's process until ZooKeeper takes it for gone."""
    with ours.child.paused():
        until(lambda: tree.client.exists("/brokers/ids/1") is None)
