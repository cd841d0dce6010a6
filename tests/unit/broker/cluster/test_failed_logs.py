"""A log of a member fails: the controller learns it, another replica leads, the other logs are served."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from barnabas import Admin, NewTopic, Producer
from barnabas.broker.cluster.failed_logs import FailedLogs
from barnabas.broker.cluster.member import ClusterMember
from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.errors import StorageError
from barnabas.ports import SharedRegistry
from barnabas.testing import EmbeddedCluster
from barnabas.types import NodeId, TopicPartition
from sim.world.zookeeper import SimulatedZooKeeper
from tests.two_directories import TwoDirectories, consumed, create
from tests.waiting import wait

DOGS, CATS = TopicPartition("dogs", 0), TopicPartition("cats", 0)
SECONDS = 30.0
COUNT = 300
EVENTS = "/log_dir_event_notification"


class Logs:
    """Replicas of which some have failed."""

    def __init__(self) -> None:
        self.session = SimulatedZooKeeper().session()
        self.logs = [SimpleNamespace(topic_partition=one, failure=None) for one in (DOGS, CATS)]
        replicas = SimpleNamespace(
            partitions=lambda: [SimpleNamespace(log=one) for one in self.logs]
        )
        self.failed = FailedLogs(
            NodeId(7), cast("SharedRegistry", self.session), cast("ReplicaManager", replicas)
        )

    def events(self) -> list[object]:
        names = self.session.children(EVENTS)
        return [
            json.loads(node[0]) for one in names if (node := self.session.get(f"{EVENTS}/{one}"))
        ]


def test_each_failure_is_reported_once_in_kafkas_words() -> None:
    logs = Logs()
    assert (logs.failed.report(), logs.events()) == (set(), [])
    event = {"version": 1, "broker": 7, "event": 1}
    for count, log in enumerate(logs.logs, 1):
        log.failure = StorageError("gone")
        assert logs.failed.report() == {log.topic_partition}
        assert logs.failed.report() == set()
        assert logs.events() == [event] * count
    assert logs.failed.places() == {DOGS, CATS}


def test_what_could_not_be_written_is_reported_again(monkeypatch: pytest.MonkeyPatch) -> None:
    logs = Logs()
    logs.logs[0].failure = StorageError("gone")

    def silent(_path: str, _data: bytes) -> None:
        raise StorageError("ZooKeeper does not answer")

    with monkeypatch.context() as patch:
        patch.setattr(logs.session, "create_sequential", silent)
        assert logs.failed.report() == {DOGS}
    assert logs.events() == []
    assert logs.failed.report() == {DOGS}
    assert len(logs.events()) == 1


@pytest.fixture
def cluster() -> Iterator[EmbeddedCluster]:
    with EmbeddedCluster(2) as made:
        yield made


def member(cluster: EmbeddedCluster, node_id: int) -> ClusterMember:
    found = cluster._open._running[node_id].node._server.broker.member
    assert found is not None
    return found


@pytest.mark.kernels
@pytest.mark.parametrize("is_controller", [False, True])
def test_another_replica_leads_when_a_log_fails_and_the_brokers_other_logs_are_served(
    cluster: EmbeddedCluster, *, is_controller: bool
) -> None:
    controller = cluster.controller()
    failing = controller if is_controller else 3 - controller
    other = 3 - failing
    with Admin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        admin.create_topics([NewTopic("dogs", assignments=[[failing, other]] * 2)])
    for index in range(2):
        wait(lambda index=index: sorted(cluster.in_sync("dogs", index)) == [1, 2])  # type: ignore[misc]
        assert cluster.leader("dogs", index) == failing
    replicas = member(cluster, failing)._replicas
    # The controller writes down who leads before the leader knows.
    wait(lambda: replicas.find("dogs", 0) is not None)
    found = replicas.find("dogs", 0)
    assert found is not None
    node = cluster._open._running[failing].node
    node.call(lambda: found.log.fail(StorageError("the disk is gone")))

    def seen(broker: int, index: int) -> tuple[object, ...]:
        state = member(cluster, broker).image.partition(TopicPartition("dogs", index))
        assert state is not None
        return state.leader, sorted(state.isr), state.offline

    for broker in (1, 2):
        wait(lambda broker=broker: seen(broker, 0) == (other, [other], (failing,)))  # type: ignore[misc]
        assert seen(broker, 1) == (failing, [1, 2], ())
    with Producer(bootstrap_servers=cluster.bootstrap_servers, acks="all") as producer:
        for index in range(2):
            producer.send("dogs", b"rex", partition=index).result(SECONDS)


@pytest.fixture
def two() -> Iterator[TwoDirectories]:
    with TwoDirectories(2) as made:
        yield made


@pytest.mark.kernels
def test_without_its_directory_a_replica_is_offline_until_that_is_back(
    two: TwoDirectories, tmp_path: Path
) -> None:
    """Created again, it would be in sync, and the only replica of a partition would be empty."""
    create(two, "dogs", [2, 1], [2, 1])
    create(two, "cats", [2])
    gone = two.place(2, "dogs", 0)
    (kept,) = {*two.directories(2)} - {gone}
    with Producer(bootstrap_servers=two.bootstrap_servers, acks="all") as producer:
        for number in range(COUNT):
            producer.send("dogs", str(number).encode(), partition=0).result(SECONDS)
    two.stop(2)
    there = sorted(one.name for one in gone.glob("*-[0-9]"))
    gone.rename(tmp_path / "away")
    two.start(2)
    wait(lambda: two.offline("dogs", 0) == (2,))
    assert two.leader("dogs", 0) == 1
    wait(lambda: sorted(two.in_sync("dogs", 1)) == [1, 2])
    assert not gone.exists()
    assert not {one.name for one in kept.glob("*-[0-9]")} & {*there}
    with Admin(bootstrap_servers=two.bootstrap_servers) as admin:
        # What is new is made in the other one.
        admin.create_topics([NewTopic("birds", assignments=[[2, 1]])])
    wait(lambda: sorted(two.in_sync("birds", 0)) == [1, 2])
    assert (kept / "birds-0").exists()

    two.stop(2)
    shutil.move(tmp_path / "away", gone)
    two.start(2)
    wait(lambda: sorted(two.in_sync("dogs", 0)) == [1, 2])
    assert two.records(1, "dogs") == two.records(2, "dogs")


@pytest.fixture
def old() -> Iterator[TwoDirectories]:
    """Of a release that allows small segments."""
    with TwoDirectories(2, profile="3.9") as made:
        yield made


@pytest.mark.kernels
@pytest.mark.parametrize("is_controller", [False, True])
def test_a_directory_that_is_lost_while_its_broker_leads_costs_no_record(
    old: TwoDirectories, tmp_path: Path, *, is_controller: bool
) -> None:
    two = old
    controller = two.controller()
    failing = controller if is_controller else 3 - controller
    other, count = 3 - failing, 6
    with Admin(bootstrap_servers=two.bootstrap_servers) as admin:
        small = {"segment.bytes": "20000"}
        admin.create_topics(
            [NewTopic("dogs", configs=small, assignments=[[failing, other]] * count)]
        )
    wait(lambda: all(sorted(two.in_sync("dogs", one)) == [1, 2] for one in range(count)))
    # A topic begins with all replicas in sync, before its brokers have made all logs.
    wait(lambda: all(two.places(failing, "dogs", one) for one in range(count)))
    lost, kept = two.directories(failing)
    there = {one for one in range(count) if two.place(failing, "dogs", one) == lost}
    assert 0 < len(there) < count
    acknowledged: dict[int, list[int]] = {one: [] for one in range(count)}
    numbers = iter(range(1_000_000))
    with Producer(bootstrap_servers=two.bootstrap_servers, acks="all") as producer:

        def write(times: int = 1) -> None:
            sent = [
                (index, number, producer.send("dogs", f"{number:0400}".encode(), partition=index))
                for _ in range(times)
                for index in range(count)
                for number in [next(numbers)]
            ]
            for index, number, one in sent:
                one.result(SECONDS)
                acknowledged[index].append(number)

        write(20)
        lost.rename(tmp_path / "away")

        def moved() -> bool:
            write()
            return {one for one in range(count) if two.leader("dogs", one) == other} == there

        wait(moved)
        write(20)
        wait(lambda: all(two.offline("dogs", one) == (failing,) for one in there))
        # The controller places replicas there as before, and the broker makes them where it can.
        with Admin(bootstrap_servers=two.bootstrap_servers) as admin:
            admin.create_topics([NewTopic("birds", assignments=[[failing, other]] * 4)])
        wait(lambda: all(sorted(two.in_sync("birds", one)) == [1, 2] for one in range(4)))
        assert all((kept / f"birds-{one}").exists() for one in range(4))
        assert {two.leader("dogs", one) for one in {*range(count)} - there} == {failing}
    for index, expected in acknowledged.items():
        assert consumed(two, "dogs", len(expected), index) == expected
