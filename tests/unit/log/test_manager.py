import shutil
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from barnabas.errors import LogDirFailed, StorageError
from barnabas.log.log_start import LogEvent, LogSettings
from barnabas.log.manager import LogManager
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.partition.retention import SEGMENTS_A_STEP
from barnabas.log.recovery.truncation import truncate_log
from barnabas.log.segments.log_config import LogConfig
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.entropy import SystemEntropy
from barnabas.runtime.files.disk import RealDisk
from barnabas.types import TopicPartition
from tests.record_batches import make_batch

DOGS = TopicPartition("dogs", 0)
TOPIC_ID = bytes(range(16))
HOUR = 3_600_000
SMALL = LogConfig(segment_bytes=250, retention_ms=-1, file_delete_delay_ms=HOUR)


def a_manager(
    *paths: Path, node_id: int = 1, config: LogConfig = SMALL, disk: RealDisk | None = None
) -> LogManager:
    settings = LogSettings(node_id, [str(path) for path in paths])
    return LogManager(
        disk or RealDisk(), SystemClock(), SystemEntropy(), settings, lambda _topic: config
    )


def fill(log: PartitionLog, batches: int, now_ms: int = 5_000) -> None:
    for _ in range(batches):
        log.append(memoryview(make_batch(size=100)), leader_epoch=0, now_ms=now_ms)
    log.write_pending()


def test_logs_are_found_again_with_id_and_end(tmp_path: Path) -> None:
    manager = a_manager(tmp_path)
    manager.open()
    fill(manager.create(DOGS, TOPIC_ID, SMALL), 5)
    cluster_id = manager.cluster_id
    assert manager.close() == []
    again = a_manager(tmp_path)
    assert again.open() == []
    log = again.get(DOGS)
    assert log is not None
    assert (log.topic_id, log.end_offset, log.leader_epoch) == (TOPIC_ID, 5, 0)
    assert again.cluster_id == cluster_id
    again.close()


@pytest.mark.parametrize(
    "place", [("../outside", 0), ("a/b", 0), ("a\0b", 0), ("dogs", -1), ("", 0)]
)
def test_no_log_is_made_outside_or_without_a_directory_of_its_own(
    tmp_path: Path, place: tuple[str, int]
) -> None:
    """A controller's requests are not checked like those of clients."""
    manager = a_manager(tmp_path / "data")
    manager.open()
    with pytest.raises(StorageError, match="cannot be a directory of its own"):
        manager.create(TopicPartition(*place), TOPIC_ID, SMALL)
    assert [*tmp_path.iterdir()] == [tmp_path / "data"]
    manager.close()


def test_a_directory_that_is_gone_is_let_go(tmp_path: Path) -> None:
    directory = tmp_path / "data"
    manager = a_manager(directory)
    manager.open()
    fill(manager.create(DOGS, TOPIC_ID, SMALL), 1)
    shutil.rmtree(directory)
    events = manager.close()
    assert any("checkpoints not written" in event.text for event in events)
    assert all(event.problem for event in events)
    assert list(manager.logs()) == []


def test_an_empty_log_is_opened_without_writing_its_epoch_again(tmp_path: Path) -> None:
    manager = a_manager(tmp_path)
    manager.open()
    manager.create(DOGS, TOPIC_ID, SMALL).lead(3)
    manager.close()
    checkpoint = tmp_path / "dogs-0" / "leader-epoch-checkpoint"
    before = checkpoint.stat().st_ino
    again = a_manager(tmp_path)
    again.open()
    log = again.get(DOGS)
    assert log is not None
    assert log.epochs.entries() == [(3, 0)]
    assert checkpoint.stat().st_ino == before
    again.close()


def test_a_directory_in_use_is_refused_by_name(tmp_path: Path) -> None:
    manager = a_manager(tmp_path)
    manager.open()
    with pytest.raises(LogDirFailed, match=rf"{tmp_path}: another broker"):
        a_manager(tmp_path).open()
    manager.close()
    third = a_manager(tmp_path)
    third.open()
    third.close()


def test_a_directory_that_cannot_be_locked_at_all_is_not_reported_as_in_use(tmp_path: Path) -> None:
    (tmp_path / ".lock").mkdir()
    with pytest.raises(LogDirFailed, match=rf"{tmp_path}: cannot open .*Is a directory"):
        a_manager(tmp_path).open()


def test_a_log_that_is_damaged_keeps_no_other_from_being_served(tmp_path: Path) -> None:
    manager = a_manager(tmp_path)
    manager.open()
    for name in ("cats", "dogs"):
        fill(manager.create(TopicPartition(name, 0), TOPIC_ID, SMALL), 3)
    manager.close()
    for snapshot in (tmp_path / "dogs-0").glob("*.snapshot"):
        snapshot.unlink()
    with (tmp_path / "dogs-0" / f"{0:020d}.log").open("r+b") as file:
        file.write(bytes(61))
    for _ in range(2):
        again = a_manager(tmp_path)
        (event,) = again.open()
        assert (event.partition, event.problem) == (DOGS, True)
        dogs, cats = again.get(DOGS), again.get(TopicPartition("cats", 0))
        assert dogs is not None
        assert dogs.failure is not None
        assert cats is not None
        assert cats.end_offset == 3
        assert again.close() == []


def test_a_directory_of_another_node_is_refused(tmp_path: Path) -> None:
    first = a_manager(tmp_path)
    first.open()
    first.close()
    with pytest.raises(LogDirFailed, match="belongs to node 1, and this is node 2"):
        a_manager(tmp_path, node_id=2).open()
    assert (tmp_path / ".kafka_cleanshutdown").exists()


def test_without_an_orderly_stop_logs_are_recovered(tmp_path: Path) -> None:
    manager = a_manager(tmp_path)
    manager.open()
    log = manager.create(DOGS, TOPIC_ID, LogConfig())
    fill(log, 3)
    with (tmp_path / "dogs-0" / "00000000000000000000.log").open("ab") as file:
        file.write(make_batch(size=100)[:70])
    manager._directories.all[0].in_order = False
    manager._let_go()
    again = a_manager(tmp_path)
    (event,) = again.open()
    assert event.partition == DOGS
    assert "70 bytes behind 3 were cut off" in event.text
    again.close()


def test_a_deleted_log_goes_after_its_delay(tmp_path: Path) -> None:
    manager = a_manager(tmp_path)
    manager.open()
    fill(manager.create(DOGS, TOPIC_ID, SMALL), 1)
    manager.delete(DOGS)
    assert manager.get(DOGS) is None
    (gone,) = tmp_path.glob("dogs-0.*-delete")
    now_ms = SystemClock().time_ms()
    manager.maintain(now_ms)
    assert gone.exists()
    manager.maintain(now_ms + HOUR)
    assert not gone.exists()
    manager.create(DOGS, TOPIC_ID, SMALL)
    manager.close()


def test_a_log_whose_files_somebody_removed_can_be_deleted(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    manager = a_manager(data)
    manager.open()
    fill(manager.create(DOGS, TOPIC_ID, SMALL), 1)
    away = data.rename(tmp_path / "unmounted")
    with pytest.raises(StorageError):
        manager.delete(DOGS)
    assert manager.get(DOGS) is not None
    away.rename(data)
    shutil.rmtree(data / "dogs-0")
    manager.delete(DOGS)
    assert manager.get(DOGS) is None
    manager.maintain(SystemClock().time_ms() + HOUR)
    manager.close()


def test_retention_by_size_leaves_files_for_their_readers(tmp_path: Path) -> None:
    manager = a_manager(tmp_path)
    manager.open()
    config = LogConfig(
        segment_bytes=250, retention_bytes=450, retention_ms=-1, file_delete_delay_ms=1000
    )
    log = manager.create(DOGS, TOPIC_ID, config)
    fill(log, 9)
    now_ms = SystemClock().time_ms() + HOUR
    (event,) = manager.maintain(now_ms)
    assert (log.start_offset, log.size) == (4, 540)
    assert "dropped 2 segments" in event.text
    assert len(list((tmp_path / "dogs-0").glob("*.log.deleted"))) == 2
    manager.maintain(now_ms + 1000)
    assert list((tmp_path / "dogs-0").glob("*.deleted")) == []
    manager.close()


def test_retention_by_time_empties_a_log_and_keeps_its_end(tmp_path: Path) -> None:
    manager = a_manager(tmp_path)
    manager.open()
    log = manager.create(DOGS, TOPIC_ID, LogConfig(segment_bytes=250, retention_ms=1000))
    fill(log, 5)
    manager.maintain(SystemClock().time_ms() + HOUR)
    assert (log.start_offset, log.end_offset, log.size) == (5, 5, 0)
    fill(log, 1)
    assert log.end_offset == 6
    manager.close()


def test_a_log_start_is_remembered(tmp_path: Path) -> None:
    manager = a_manager(tmp_path)
    manager.open()
    log = manager.create(DOGS, TOPIC_ID, SMALL)
    fill(log, 5)
    log.delete_before(3)
    manager.maintain(SystemClock().time_ms() + HOUR)
    assert [segment.base_offset for segment in log.segments] == [2, 4]
    manager.close()
    again = a_manager(tmp_path)
    again.open()
    log = next(again.logs())
    assert log.start_offset == 3
    again.close()


def test_flush_ms_moves_the_recovery_point(tmp_path: Path) -> None:
    manager = a_manager(tmp_path)
    manager.open()
    log = manager.create(DOGS, TOPIC_ID, LogConfig(flush_ms=1000))
    fill(log, 5)
    now_ms = SystemClock().time_ms()
    for later in (0, 1):
        # The first sync is that of the new directory; the second begins when it is over.
        log.flushing.wait()
        manager.maintain(now_ms + later)
    assert log.recovery_point == 5
    manager.close()


def test_old_producers_are_forgotten_when_it_is_looked_for_them(tmp_path: Path) -> None:
    """By when they last wrote, not by the timestamps of their records; also after a restart."""
    settings = LogSettings(1, [str(tmp_path)], producer_id_expiration_check_interval_ms=HOUR)
    config = LogConfig(producer_id_expiration_ms=2 * HOUR)
    disk, clock, entropy = RealDisk(), SystemClock(), SystemEntropy()

    def opened() -> LogManager:
        manager = LogManager(disk, clock, entropy, settings, lambda _topic: config)
        manager.open()
        return manager

    manager = opened()
    now_ms = clock.time_ms()
    log = manager.create(DOGS, TOPIC_ID, config)
    timestamp_of_2013 = 1_357_000_000_000

    def write(sequence: int) -> None:
        batch = make_batch(producer=(7, 0, sequence), timestamp=timestamp_of_2013)
        log.append(memoryview(batch), leader_epoch=0, now_ms=now_ms)
        log.write_pending()

    def known_after(manager: LogManager, hours: float) -> int:
        manager.maintain(now_ms + int(hours * HOUR) + 1)
        log = manager.get(DOGS)
        assert log is not None
        return len(log.producers)

    write(0)
    assert [known_after(manager, hours) for hours in (1, 2)] == [1, 1]
    write(1)
    assert [known_after(manager, hours) for hours in (4, 5, 5.5)] == [1, 1, 1]
    manager.close()
    manager = opened()
    assert [known_after(manager, hours) for hours in (7, 8.5, 9.6)] == [1, 1, 0]
    manager.close()


def test_work_goes_on_when_the_clock_is_set_back(tmp_path: Path) -> None:
    manager = a_manager(tmp_path)
    manager.open()
    config = LogConfig(
        segment_bytes=250,
        retention_bytes=450,
        retention_ms=-1,
        flush_ms=1000,
        file_delete_delay_ms=HOUR,
    )
    log = manager.create(DOGS, TOPIC_ID, config)
    manager.delete(manager.create(TopicPartition("cats", 0), TOPIC_ID, config).topic_partition)
    fill(log, 9)
    now_ms = SystemClock().time_ms()
    manager.maintain(now_ms)
    log.flushing.wait()
    back_ms = now_ms - 365 * 24 * HOUR
    manager.maintain(back_ms)
    assert log.start_offset == 4
    log.flushing.wait()
    assert log.recovery_point == 9
    assert (tmp_path / "recovery-point-offset-checkpoint").exists()
    assert list(tmp_path.glob("cats-0.*-delete"))
    manager.maintain(back_ms + HOUR)
    assert list(tmp_path.rglob("*delete*")) == []
    manager.close()


def test_a_log_that_is_made_anew_has_no_recovery_point_of_the_one_before(tmp_path: Path) -> None:
    checkpoint = tmp_path / "recovery-point-offset-checkpoint"
    manager = a_manager(tmp_path)
    manager.open()
    fill(manager.create(DOGS, TOPIC_ID, SMALL), 9)
    manager.close()
    assert checkpoint.read_text() == "0\n1\ndogs 0 9\n"
    again = a_manager(tmp_path)
    again.open()
    again.delete(DOGS)
    again.create(DOGS, TOPIC_ID, SMALL)
    assert checkpoint.read_text() == "0\n0\n"
    again.close()


def test_partitions_spread_over_directories(tmp_path: Path) -> None:
    manager = a_manager(tmp_path / "a", tmp_path / "b")
    manager.open()
    for number in range(4):
        manager.create(TopicPartition("dogs", number), TOPIC_ID, SMALL)
    assert [len(list((tmp_path / name).glob("dogs-*"))) for name in "ab"] == [2, 2]
    manager.close()


def test_logs_give_up_segments_one_after_another_and_may_be_deleted_meanwhile(
    tmp_path: Path,
) -> None:
    manager = a_manager(tmp_path)
    manager.open()
    config = LogConfig(segment_bytes=250, retention_ms=1000, file_delete_delay_ms=0)
    partitions = [TopicPartition("dogs", index) for index in range(3)]
    logs = [manager.create(partition, TOPIC_ID, config) for partition in partitions]
    for log in logs:
        fill(log, 5)
    steps = manager.maintain_in_steps(SystemClock().time_ms() + HOUR)
    next(steps)
    assert [log.start_offset for log in logs] == [5, 0, 0]
    manager.delete(partitions[1])
    (event,) = next(steps)
    assert event.partition == partitions[2]
    assert [log.start_offset for log in logs] == [5, 0, 5]
    assert [step for step in steps if step] == []
    assert manager.close() == []


def test_many_segments_of_a_log_go_some_at_a_time(tmp_path: Path) -> None:
    manager = a_manager(tmp_path)
    manager.open()
    config = LogConfig(segment_bytes=250, retention_ms=1000, file_delete_delay_ms=0)
    log = manager.create(DOGS, TOPIC_ID, config)
    fill(log, 5 * SEGMENTS_A_STEP)
    count = len(log.segments)
    assert count > 2 * SEGMENTS_A_STEP
    names = [len(list(tmp_path.rglob("*.log*")))]
    left: list[int] = []
    reported: list[LogEvent] = []
    for events in manager.maintain_in_steps(SystemClock().time_ms() + HOUR):
        left.append(len(log.segments))
        names.append(len(list(tmp_path.rglob("*.log*"))))
        reported += events
    assert left[:3] == [count - SEGMENTS_A_STEP, count - 2 * SEGMENTS_A_STEP, 1]
    assert f"dropped {count} segments" in reported[0].text
    assert names[-1] == 1
    assert max(a - b for a, b in pairwise(names)) <= SEGMENTS_A_STEP
    assert manager.close() == []


def test_a_deleted_partition_of_many_files_goes_some_at_a_time(tmp_path: Path) -> None:
    manager = a_manager(tmp_path)
    manager.open()
    log = manager.create(DOGS, TOPIC_ID, LogConfig(segment_bytes=250, file_delete_delay_ms=0))
    fill(log, 100)
    manager.delete(DOGS)

    def files() -> int:
        return len(list(tmp_path.glob("*-delete/*")))

    steps = manager.maintain_in_steps(SystemClock().time_ms() + HOUR)
    left = [files(), *(files() for _ in steps)]
    assert not list(tmp_path.glob("*-delete"))
    assert left[0] > 180
    assert max(a - b for a, b in pairwise(left)) <= 64
    assert manager.close() == []


def test_epochs_before_a_new_log_start_are_not_there_after_a_restart(tmp_path: Path) -> None:
    manager = a_manager(tmp_path)
    manager.open()
    log = manager.create(DOGS, TOPIC_ID, SMALL)
    for epoch in range(3):
        log.append(memoryview(make_batch(size=100)), leader_epoch=epoch, now_ms=5_000)
    log.write_pending()
    log.delete_before(2)
    assert log.epochs.entries() == [(2, 2)]
    assert manager.close() == []
    again = a_manager(tmp_path)
    again.open()
    found = again.get(DOGS)
    assert found is not None
    assert found.epochs.entries() == [(2, 2)]
    again.close()


@pytest.mark.parametrize("offset", [1, 3, 0])
def test_segments_that_were_cut_off_are_not_missed_after_a_kill(
    tmp_path: Path, offset: int
) -> None:
    manager = a_manager(tmp_path)
    manager.open()
    log = manager.create(DOGS, TOPIC_ID, SMALL)
    fill(log, 6)
    assert len(log.segments) == 3
    manager.close()
    manager = a_manager(tmp_path)
    manager.open()
    found = manager.get(DOGS)
    assert found is not None
    truncate_log(found, offset)
    manager.abandon()
    again = a_manager(tmp_path)
    again.open()
    left = again.get(DOGS)
    assert left is not None
    assert left.failure is None
    assert left.end_offset == offset
    again.close()


def test_maintenance_removes_what_was_cut_off(tmp_path: Path) -> None:
    manager = a_manager(tmp_path)
    manager.open()
    log = manager.create(DOGS, TOPIC_ID, replace(SMALL, file_delete_delay_ms=0))
    fill(log, 6)
    truncate_log(log, 1)
    fill(log, 5)
    now_ms = SystemClock().time_ms()
    manager.maintain(now_ms)
    manager.maintain(now_ms + 1)
    assert not [*tmp_path.glob("dogs-0/*.deleted")]
    assert len([*tmp_path.glob("dogs-0/*.log")]) == 3
    manager.close()


def test_of_several_replicas_only_those_are_held_back_that_an_offline_directory_may_have(
    tmp_path: Path,
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    dogs = [TopicPartition("dogs", index) for index in range(10)]
    manager = a_manager(first, second)
    manager.open()
    for index in range(4):  # The odd ones in the second directory.
        fill(manager.create(dogs[index], TOPIC_ID, SMALL), 3)
    manager.close()
    shutil.rmtree(first / "dogs-0")
    manager = a_manager(first, second)
    manager.open()
    # The directory is there: the log is copied anew.
    assert manager.find_lost(dogs[0], TOPIC_ID, SMALL, has_replicas=True) is None
    manager.close()

    second.rename(tmp_path / "away")
    manager = a_manager(first, second)
    manager.open()
    found = [manager.find_lost(dogs[one], TOPIC_ID, SMALL, has_replicas=True) for one in (1, 9)]
    assert [str(log and log.failure) for log in found] == [
        f"its log directory {second} is offline",
        f"it may be in {second}, which is offline",
    ]
    assert manager.find_lost(dogs[8], TOPIC_ID, SMALL, is_new=True, has_replicas=True) is None
    # A topic of that name is made again: what the directory has is kept beside when it is back.
    other_id = TOPIC_ID[::-1]
    assert manager.set_aside(dogs[1]) == f"{second}/dogs-1"
    fill(manager.create(dogs[1], other_id, SMALL), 2)
    manager.close()
    (tmp_path / "away").rename(second)
    manager = a_manager(first, second)
    manager.open()
    log = manager.get(dogs[1])
    assert log is not None
    assert (log.directory, log.topic_id, log.end_offset) == (f"{first}/dogs-1", other_id, 2)
    assert len([*second.glob("dogs-1.*-stray")]) == 1
    manager.close()
