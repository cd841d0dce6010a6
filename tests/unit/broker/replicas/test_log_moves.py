"""Replicas on their way to another directory: a slice a turn, no faster than the throttle says."""

import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from barnabas import Admin, Producer, Resource
from barnabas.broker.replicas.log_moves import LogMoves
from barnabas.config.broker import BrokerConfig
from barnabas.errors import DiskFull, ErrorCode
from barnabas.log.manager import LogManager
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.types import TopicPartition
from tests.record_batches import make_batch
from tests.two_directories import TwoDirectories, consumed, create
from tests.unit.broker.in_memory import StillClock
from tests.unit.log.test_manager import SMALL, TOPIC_ID, a_manager
from tests.unit.runtime.manual_timers import ManualTimers
from tests.waiting import SECONDS, wait

DOGS, CATS = TopicPartition("dogs", 0), TopicPartition("cats", 0)
CONFIG = replace(SMALL, segment_bytes=1 << 30)
SLICES, COUNT = 3, 300
RATE = "replica.alter.log.dirs.io.max.bytes.per.second"


class Moves:
    """Logs of three slices in the first of two directories."""

    def __init__(self, path: Path) -> None:
        self.first, self.second = str(path / "first"), str(path / "second")
        self.logs: LogManager = a_manager(path / "first", path / "second", config=CONFIG)
        self.logs.open()
        self.timers, self.clock = ManualTimers(), StillClock()
        self.moves = LogMoves(self.config(), self.logs, self.clock, self.timers, lambda: None)
        for partition in (DOGS, CATS):
            self.logs.futures.prefer(partition, self.first)
            log = self.logs.create(partition, TOPIC_ID, CONFIG)
            for _ in range(SLICES):
                batch = memoryview(make_batch(size=1_000_000))
                log.append(batch, leader_epoch=0, now_ms=5_000)
            log.write_pending()

    def config(self, rate: int | None = None) -> BrokerConfig:
        return BrokerConfig.load({"node.id": 1, **({} if rate is None else {RATE: rate})})

    def log(self, partition: TopicPartition = DOGS) -> PartitionLog:
        log = self.logs.get(partition)
        assert log is not None
        return log

    def turn(self, seconds: float = 0.0) -> None:
        self.clock.seconds += seconds
        self.timers.advance(seconds)

    def wait_until_moved(self, *partitions: TopicPartition) -> None:
        """Syncs take their time on a real disk."""

        def are_moved() -> bool:
            self.turn(1.0)
            return all(map(self.is_moved, partitions))

        wait(are_moved)

    def is_moved(self, partition: TopicPartition = DOGS) -> bool:
        return self.log(partition).directory.startswith(self.second)


@pytest.fixture
def moves(tmp_path: Path) -> Iterator[Moves]:
    found = Moves(tmp_path)
    yield found
    found.moves.close()
    found.logs.close()


def test_a_log_is_moved_slice_by_slice(moves: Moves) -> None:
    moves.moves.begin(DOGS, moves.second)
    for left in range(SLICES - 1, -1, -1):
        moves.turn()
        assert moves.logs.futures.lag(DOGS) == left
    assert not moves.is_moved()
    moves.wait_until_moved(DOGS)
    moves.turn(1.0)
    assert [one for one in moves.timers.waiting if not one[1].cancelled] == []


def test_moves_take_turns(moves: Moves) -> None:
    for partition in (DOGS, CATS):
        moves.moves.begin(partition, moves.second)
    for _ in range(2):
        moves.turn()
    assert [moves.logs.futures.lag(one) for one in (DOGS, CATS)] == [SLICES - 1] * 2
    moves.wait_until_moved(DOGS, CATS)


def test_a_move_that_the_last_run_began_goes_on(moves: Moves, tmp_path: Path) -> None:
    moves.moves.begin(DOGS, moves.second)
    moves.turn()
    moves.moves.close()
    moves.logs.close()
    moves.logs = a_manager(tmp_path / "first", tmp_path / "second", config=CONFIG)
    moves.logs.open()
    moves.moves = LogMoves(moves.config(), moves.logs, moves.clock, moves.timers, lambda: None)
    moves.moves.resume()
    moves.wait_until_moved(DOGS)


def test_moves_are_no_faster_than_they_may_be(moves: Moves) -> None:
    moves.moves.adopt(moves.config(rate=100_000))
    moves.moves.begin(DOGS, moves.second)
    for _ in range(5):
        moves.turn(0.1)
    # A slice is taken whole, and more than its share of the time so far.
    assert moves.logs.futures.lag(DOGS) == SLICES - 1
    for _ in range(60):
        moves.turn(0.1)
    assert moves.logs.futures.lag(DOGS) == SLICES - 1
    moves.moves.adopt(moves.config())
    moves.wait_until_moved(DOGS)


def test_a_full_disk_holds_a_move_up_until_there_is_room(
    moves: Moves, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    moves.moves.begin(DOGS, moves.second)
    future = moves.logs.futures.get(DOGS)
    assert future is not None
    (directory,) = (one for one in moves.logs._directories.all if one.path == moves.second)
    with monkeypatch.context() as patch, caplog.at_level(logging.ERROR):
        patch.setattr(directory, "has_room", lambda: False)
        future.drop_queued(DiskFull("no room"))
        for _ in range(5):
            moves.turn(1.0)
        assert moves.logs.futures.lag(DOGS) == SLICES
    assert caplog.records == []
    moves.wait_until_moved(DOGS)


def test_a_damaged_log_stays_where_it_is_and_the_others_are_moved(
    moves: Moves, caplog: pytest.LogCaptureFixture
) -> None:
    moves.log().segments.active.file.write(500_000, [b"damage"])
    for partition in (DOGS, CATS):
        moves.moves.begin(partition, moves.second)
    with caplog.at_level(logging.ERROR):
        moves.wait_until_moved(CATS)
    assert not moves.is_moved(DOGS)
    (record,) = caplog.records
    assert "replica not moved" in record.getMessage()


@pytest.fixture
def cluster() -> Iterator[TwoDirectories]:
    with TwoDirectories(2) as made:
        yield made


@pytest.mark.kernels
@pytest.mark.parametrize("role", ["leader", "follower"])
def test_a_replica_moves_while_records_come_and_goes_on_where_it_is_then(
    cluster: TwoDirectories, role: str
) -> None:
    create(cluster, "dogs", [1, 2])
    broker = 1 if role == "leader" else 2
    target = cluster.other(broker, "dogs")
    with Producer(bootstrap_servers=cluster.bootstrap_servers, acks="all") as producer:
        for number in range(COUNT):
            if number == COUNT // 3:
                assert cluster.move(broker, "dogs", target) == ErrorCode.NONE
            producer.send("dogs", str(number).encode(), partition=0).result(SECONDS)
        wait(lambda: cluster.places(broker, "dogs") == [target])
        for number in range(COUNT, COUNT + 50):
            producer.send("dogs", str(number).encode(), partition=0).result(SECONDS)
    assert consumed(cluster, "dogs", COUNT + 50) == [*range(COUNT + 50)]
    assert sorted(cluster.in_sync("dogs", 0)) == [1, 2]
    assert cluster.records(1, "dogs") == cluster.records(2, "dogs")


@pytest.mark.kernels
def test_a_replica_that_moved_is_found_by_the_next_start_and_leads(cluster: TwoDirectories) -> None:
    create(cluster, "dogs", [1, 2])
    target = cluster.other(2, "dogs")
    with Producer(bootstrap_servers=cluster.bootstrap_servers, acks="all") as producer:
        for number in range(COUNT):
            producer.send("dogs", str(number).encode(), partition=0).result(SECONDS)
    assert cluster.move(2, "dogs", target) == ErrorCode.NONE
    wait(lambda: cluster.places(2, "dogs") == [target])
    cluster.kill(2)
    cluster.start(2)
    wait(lambda: sorted(cluster.in_sync("dogs", 0)) == [1, 2])
    cluster.kill(1)
    wait(lambda: cluster.leader("dogs", 0) == 2)
    assert consumed(cluster, "dogs", COUNT) == [*range(COUNT)]


@pytest.mark.kernels
def test_a_topic_that_is_deleted_takes_its_copy_along(cluster: TwoDirectories) -> None:
    create(cluster, "dogs", [1, 2])
    with Producer(bootstrap_servers=cluster.bootstrap_servers, acks="all") as producer:
        for _ in range(3):
            producer.send("dogs", bytes(900_000), partition=0).result(SECONDS)
    first, second = cluster.directories(1)
    with Admin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        rate = {"replica.alter.log.dirs.io.max.bytes.per.second": "0"}
        admin.alter_configs(Resource.BROKER, "1", rate)
        other = cluster.other(1, "dogs")
        assert cluster.move(1, "dogs", other) == ErrorCode.NONE
        assert [*other.glob("dogs-0.*-future")] != []
        admin.delete_topics(["dogs"])
    wait(lambda: not [*first.glob("dogs-0.*-future"), *second.glob("dogs-0.*-future")])
    assert cluster.places(1, "dogs") == []


@pytest.mark.kernels
def test_a_replica_is_made_in_the_directory_that_was_asked_for_before(
    cluster: TwoDirectories,
) -> None:
    create(cluster, "dogs", [1])
    targets = cluster.directories(2)
    # Broker 2 has no replica of the topic: it learns of it from the controller, after broker 1.
    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    wait(lambda: cluster.move(2, "dogs", targets[0]) != unknown)
    for target in targets:
        assert cluster.move(2, "dogs", target) == ErrorCode.REPLICA_NOT_AVAILABLE
    with Admin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        admin.alter_partition_reassignments({TopicPartition("dogs", 0): [1, 2]})
    wait(lambda: sorted(cluster.in_sync("dogs", 0)) == [1, 2])
    assert cluster.place(2, "dogs") == cluster.directories(2)[1]
