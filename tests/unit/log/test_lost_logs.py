"""What a broker had and does not find: it is offline, and nothing is made in its place."""

import contextlib
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from barnabas.errors import DiskFull, LogDirFailed, StorageError
from barnabas.log.directories.partition_metadata import encode_topic_id
from barnabas.log.log_start import LogSettings
from barnabas.log.manager import LogManager
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.segments.log_config import LogConfig
from barnabas.records.batches.batch import walk
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.entropy import SystemEntropy
from barnabas.runtime.files.disk import RealDisk
from barnabas.types import Buffer, TopicPartition
from tests.dying_disk import Died, DyingNames
from tests.record_batches import make_batch

TOPIC_ID = bytes(range(16))
OTHER_ID = bytes(range(1, 17))
CONFIG = LogConfig(segment_bytes=250, retention_ms=-1)
HOUR = 3_600_000
UNSEEN = 1_000_000_000

Two = tuple[Path, Path]


def a_manager(paths: Two | tuple[Path], disk: RealDisk | None = None) -> LogManager:
    settings = LogSettings(1, [str(path) for path in paths])
    return LogManager(
        disk or RealDisk(), SystemClock(), SystemEntropy(), settings, lambda _topic: CONFIG
    )


@pytest.fixture
def two(tmp_path: Path) -> Two:
    return tmp_path / "first", tmp_path / "second"


def dogs(index: int) -> TopicPartition:
    return TopicPartition("dogs", index)


def fill(log: PartitionLog, batches: int) -> None:
    for _ in range(batches):
        log.append(memoryview(make_batch(size=100)), leader_epoch=log.leader_epoch, now_ms=0)
    log.write_pending()


def filled(paths: Two | tuple[Path]) -> LogManager:
    """Four partitions of seven records, two in each segment; the odd ones in the second directory."""
    manager = a_manager(paths)
    assert manager.open() == []
    for index in range(4):
        fill(manager.create(dogs(index), TOPIC_ID, CONFIG), 7)
    return manager


def killed(manager: LogManager) -> None:
    """Its process is gone, and its locks."""
    for directory in manager._directories.all:
        directory._held.close()


def left_in_order(manager: LogManager) -> None:
    assert manager.close() == []


ENDS = pytest.mark.parametrize("end", [left_in_order, killed])
End = Callable[[LogManager], None]


def lost(manager: LogManager, index: int, topic_id: bytes = TOPIC_ID) -> str:
    """Why a partition is offline, and what to do."""
    log = manager.find_lost(dogs(index), topic_id, CONFIG)
    assert log is not None
    assert log.failure is not None
    with pytest.raises(StorageError, match="offline"):
        log.append(memoryview(make_batch()), leader_epoch=0, now_ms=0)
    with pytest.raises(StorageError, match="offline"):
        log.read(0, 100, max_offset=100, min_one=True)
    return "; ".join([str(log.failure), *log.losses.notes])


def offsets(log: PartitionLog) -> list[int]:
    found, position = [], log.start_offset
    while region := log.read(position, 1000, max_offset=1 << 62, min_one=True).records:
        found += [header.base_offset for header in walk(region.read())]
        position = found[-1] + 1
    return found


def all_is_well(paths: Two | tuple[Path], count: int = 4) -> None:
    manager = a_manager(paths)
    assert manager.open() == []
    assert [(log.failure, offsets(log)) for log in manager.logs()] == [
        (None, [*range(7)]) for _ in range(count)
    ]
    assert manager.find_lost(dogs(9), TOPIC_ID, CONFIG) is None
    assert manager.close() == []


@ENDS
def test_a_partition_whose_directory_is_missing_is_offline_until_it_is_back(
    two: Two, tmp_path: Path, end: End
) -> None:
    end(filled(two))
    away = (two[1] / "dogs-1").rename(tmp_path / "away")
    for _ in range(2):
        manager = a_manager(two)
        manager.open()
        assert manager.get(dogs(1)) is None
        why = lost(manager, 1)
        assert f"{two[1]}/dogs-1 is not there, and the broker has records up to offset" in why
        assert "Put it back and start again" in why
        assert manager.find_lost(dogs(1), OTHER_ID, CONFIG) is None
        assert manager.find_lost(dogs(0), OTHER_ID, CONFIG) is None
        assert not (two[1] / "dogs-1").exists()
        assert manager.close() == []
    away.rename(two[1] / "dogs-1")
    all_is_well(two)


@ENDS
@pytest.mark.parametrize("is_there", [True, False])
def test_a_directory_that_comes_up_empty_is_offline_and_stays_empty(
    two: Two, tmp_path: Path, end: End, *, is_there: bool
) -> None:
    end(filled(two))
    away = two[1].rename(tmp_path / "away")
    if is_there:
        two[1].mkdir()
    for _ in range(2):
        manager = a_manager(two)
        (event,) = [event for event in manager.open() if event.partition is None]
        what = "is empty" if is_there else "is not there"
        assert f"directory {two[1]} is offline: {two[1]} {what}, and the broker has 2" in event.text
        assert "offline with it: dogs-1, dogs-3. Fix it and restart" in event.text
        assert lost(manager, 1) == f"its log directory {two[1]} is offline"
        manager.create(TopicPartition("cats", 0), OTHER_ID, CONFIG)
        manager.delete(TopicPartition("cats", 0))
        assert manager.close() == []
        assert two[1].exists() == is_there
        assert not is_there or list(two[1].iterdir()) == []
    if is_there:
        two[1].rmdir()
    away.rename(two[1])
    all_is_well(two)


@ENDS
def test_a_directory_that_is_configured_no_more_takes_its_partitions_offline(
    two: Two, end: End
) -> None:
    end(filled(two))
    manager = a_manager(two[:1])
    manager.open()
    why = lost(manager, 3)
    assert f"its log directory {two[1]} (directory.id" in why
    assert "is not in log.dirs. Have it there again" in why
    assert manager.close() == []
    all_is_well(two)
    all_is_well((two[1], two[0]))


def test_a_directory_may_move_to_another_path(two: Two, tmp_path: Path) -> None:
    left_in_order(filled(two))
    moved = two[1].rename(tmp_path / "third")
    all_is_well((two[0], moved))
    all_is_well((two[0], moved))


def test_a_partition_may_move_to_another_directory(two: Two) -> None:
    left_in_order(filled(two))
    (two[1] / "dogs-1").rename(two[0] / "dogs-1")
    all_is_well(two)
    all_is_well(two)


def test_a_directory_that_lost_its_file_of_properties_is_known_by_its_partitions(two: Two) -> None:
    left_in_order(filled(two))
    properties = two[1] / "meta.properties"
    before = properties.read_text()
    properties.unlink()
    all_is_well(two)
    assert properties.read_text() == before


def test_a_directory_with_a_copied_file_of_properties_gets_an_id_of_its_own(two: Two) -> None:
    left_in_order(filled(two))
    properties = [path / "meta.properties" for path in two]
    shutil.copy(*properties)
    all_is_well(two)
    first, second = (path.read_text() for path in properties)
    assert first != second
    all_is_well(two)


@ENDS
@pytest.mark.parametrize("base", [0, 2, 4])
def test_a_segment_that_is_missing_takes_its_partition_offline_until_it_is_back(
    two: Two, tmp_path: Path, end: End, base: int
) -> None:
    manager = filled(two)
    for log in manager.logs():
        log.flush()
    manager.write_checkpoints()
    list(manager._keeper.save())
    end(manager)
    away = (two[1] / "dogs-1" / f"{base:020d}.log").rename(tmp_path / "away")
    before = sorted((two[1] / "dogs-1").iterdir())
    for _ in range(2):
        manager = a_manager(two)
        events = [event for event in manager.open() if event.partition == dogs(1)]
        assert [event.problem for event in events] == [True]
        assert f"is offline: {two[1]}/dogs-1/{base:020d}.log is missing" in events[0].text
        assert "Put them back and start again; `barnabas topics give-up`" in events[0].text
        assert sorted((two[1] / "dogs-1").iterdir()) == before
        end(manager)
    away.rename(two[1] / "dogs-1" / f"{base:020d}.log")
    manager = a_manager(two)
    manager.open()
    assert all(offsets(log) == [*range(7)] for log in manager.logs())
    assert manager.close() == []


def test_all_segments_missing_are_reported_as_one(two: Two) -> None:
    left_in_order(filled(two))
    for file in (two[1] / "dogs-1").iterdir():
        file.unlink()
    manager = a_manager(two)
    (event,) = manager.open()
    assert f"{0:020d}.log and 3 more segments are missing" in event.text
    manager.close()


@ENDS
def test_a_log_that_has_just_been_made_is_known(tmp_path: Path, end: End) -> None:
    manager = a_manager((tmp_path,))
    manager.open()
    manager.create(dogs(0), TOPIC_ID, CONFIG)
    end(manager)
    shutil.rmtree(tmp_path / "dogs-0")
    again = a_manager((tmp_path,))
    again.open()
    lost(again, 0)
    again.close()


# --- No false alarms --------------------------------------------------------------------------


def test_what_an_older_broker_has_left_is_learned(two: Two) -> None:
    left_in_order(filled(two))
    for path in two:
        (path / "barnabas.partitions").unlink()
    shutil.rmtree(two[1] / "dogs-1")
    manager = a_manager(two)
    assert manager.open() == []
    assert manager.find_lost(dogs(1), TOPIC_ID, CONFIG) is None
    manager.maintain(SystemClock().time_ms())
    killed(manager)
    shutil.rmtree(two[1] / "dogs-3")
    manager = a_manager(two)
    manager.open()
    lost(manager, 3)
    assert manager.close() == []


def a_kafka_stopped(directory: Path) -> None:
    (directory / ".kafka_cleanshutdown").write_text('{"version":0,"brokerEpoch":7}')


def a_kafka_was_killed(directory: Path) -> None:
    (directory / ".kafka_cleanshutdown").unlink()
    (directory / "recovery-point-offset-checkpoint").write_text("0\n2\ndogs 3 7\ndogs 1 7\n")


@pytest.mark.parametrize("ran", [a_kafka_stopped, a_kafka_was_killed])
def test_what_a_kafka_has_deleted_meanwhile_is_not_missed(
    two: Two, ran: Callable[[Path], None]
) -> None:
    left_in_order(filled(two))
    ran(two[1])
    shutil.rmtree(two[1] / "dogs-1")
    for kind in ("log", "index", "timeindex"):
        (two[1] / "dogs-3" / f"{0:020d}.{kind}").unlink()
    manager = a_manager(two)
    assert manager.open() == []
    assert manager.find_lost(dogs(1), TOPIC_ID, CONFIG) is None
    log = manager.get(dogs(3))
    assert log is not None
    assert log.start_offset == 2
    assert manager.close() == []


@pytest.mark.parametrize("steps", range(30))
def test_retention_that_is_killed_at_any_step_is_not_missed(tmp_path: Path, steps: int) -> None:
    manager = filled((tmp_path,))
    assert manager.close() == []
    config = LogConfig(segment_bytes=250, retention_ms=1, file_delete_delay_ms=0)
    disk = DyingNames()
    manager = LogManager(
        disk, SystemClock(), SystemEntropy(), LogSettings(1, [str(tmp_path)]), lambda _: config
    )
    manager.open()
    disk.left = steps
    now_ms = SystemClock().time_ms()
    with contextlib.suppress(Died):
        for hours in (1, 2):
            manager.maintain(now_ms + hours * HOUR)
    killed(manager)
    for _ in range(2):
        again = a_manager((tmp_path,))
        assert [event for event in again.open() if event.problem] == []
        again.maintain(now_ms + 3 * HOUR)
        assert [log.end_offset for log in again.logs()] == [7] * 4
        killed(again)


def test_retention_makes_room_though_nothing_can_be_written(tmp_path: Path) -> None:
    class Full(RealDisk):
        is_full = False

        def replace_file(self, path: str, data: Buffer) -> None:
            if self.is_full:
                raise DiskFull("No space left on device")
            super().replace_file(path, data)

    left_in_order(filled((tmp_path,)))
    disk = Full()
    config = LogConfig(
        segment_bytes=250, retention_bytes=300, retention_ms=-1, file_delete_delay_ms=0
    )
    manager = LogManager(
        disk, SystemClock(), SystemEntropy(), LogSettings(1, [str(tmp_path)]), lambda _: config
    )
    manager.open()
    disk.is_full = True
    now_ms = SystemClock().time_ms()
    manager.maintain(now_ms + HOUR)
    gone = [*tmp_path.rglob("*.log.deleted")]
    assert len(gone) == 8
    assert [file.stat().st_size for file in gone] == [0] * 8
    killed(manager)
    again = a_manager((tmp_path,))
    assert again.open() == []
    again.maintain(now_ms + 2 * HOUR)
    assert not [*tmp_path.rglob("*.deleted")]
    assert again.close() == []


def test_a_topic_that_was_deleted_and_made_again_is_not_the_one_before(tmp_path: Path) -> None:
    manager = filled((tmp_path,))
    left_in_order(manager)
    manager = a_manager((tmp_path,))
    manager.open()
    manager.delete(dogs(0))
    killed(manager)
    again = a_manager((tmp_path,))
    again.open()
    assert again.find_lost(dogs(0), OTHER_ID, CONFIG) is None
    again.create(dogs(0), OTHER_ID, CONFIG)
    left_in_order(again)
    third = a_manager((tmp_path,))
    assert third.open() == []
    left_in_order(third)


# --- Given up, or deleted, while it is away ---------------------------------------------------


def test_a_partition_that_is_given_up_goes_on_where_it_ended(two: Two, tmp_path: Path) -> None:
    left_in_order(filled(two))
    away = two[1].rename(tmp_path / "away")
    manager = a_manager(two)
    manager.open()
    lost(manager, 1)
    made = manager.give_up(dogs(1), TOPIC_ID, CONFIG)
    assert (made.start_offset, made.end_offset, made.leader_epoch) == (7, 7, 1)
    fill(made, 2)
    assert manager.get(dogs(1)) is made
    left_in_order(manager)
    away.rename(two[1])
    again = a_manager(two)
    (event,) = again.open()
    assert (event.partition, event.problem) == (dogs(1), False)
    (stray,) = two[1].glob("dogs-1.*-stray")
    assert f"what {two[1]} has of it is kept as {stray}" in event.text
    assert len([*stray.glob("*.log")]) == 4
    log = again.get(dogs(1))
    assert log is not None
    assert (log.directory, offsets(log)) == (f"{two[0]}/dogs-1", [7, 8])
    assert log.epochs.entries() == [(1, 7)]
    left_in_order(again)
    third = a_manager(two)
    assert third.open() == []
    left_in_order(third)


def test_one_whose_end_is_not_known_goes_on_far_behind_it(two: Two, tmp_path: Path) -> None:
    manager = filled(two)
    manager.write_checkpoints()
    list(manager._keeper.save())
    killed(manager)
    two[1].rename(tmp_path / "away")
    manager = a_manager(two)
    manager.open()
    lost(manager, 1)
    made = manager.give_up(dogs(1), TOPIC_ID, CONFIG)
    assert (made.start_offset, made.end_offset) == (7 + UNSEEN, 7 + UNSEEN)
    left_in_order(manager)


@pytest.mark.parametrize(
    ("base", "left"), [(0, [2, 3, 4, 5, 6]), (2, [0, 1, 4, 5, 6]), (6, [*range(6)])]
)
def test_of_one_with_missing_segments_the_others_stay(two: Two, base: int, left: list[int]) -> None:
    left_in_order(filled(two))
    (two[1] / "dogs-1" / f"{base:020d}.log").unlink()
    manager = a_manager(two)
    manager.open()
    log = manager.give_up(dogs(1), TOPIC_ID, CONFIG)
    assert offsets(log) == left
    assert log.end_offset == 7
    fill(log, 1)
    left_in_order(manager)
    again = a_manager(two)
    assert again.open() == []
    found = again.get(dogs(1))
    assert found is not None
    assert offsets(found) == [*left, 7]
    left_in_order(again)


def test_one_that_cannot_be_read_is_set_aside(two: Two) -> None:
    left_in_order(filled(two))
    last = two[1] / "dogs-1" / f"{6:020d}.log"
    last.unlink()
    last.mkdir()
    manager = a_manager(two)
    (event,) = manager.open()
    assert (event.partition, event.problem) == (dogs(1), True)
    assert f"is offline: cannot open {last}: Is a directory" in event.text
    log = manager.give_up(dogs(1), TOPIC_ID, CONFIG)
    assert log.start_offset == log.end_offset == 7
    (stray,) = two[1].glob("dogs-1.*-stray")
    assert len([*stray.glob("*.log")]) == 4
    left_in_order(manager)
    again = a_manager(two)
    assert again.open() == []
    left_in_order(again)


def test_one_that_is_there_cannot_be_given_up(two: Two) -> None:
    manager = filled(two)
    log = manager.get(dogs(1))
    assert log is not None
    log.fail(StorageError("an I/O error"))
    with pytest.raises(LogDirFailed, match="a restart of the broker brings it back"):
        manager.give_up(dogs(1), TOPIC_ID, CONFIG)
    assert manager.get(dogs(1)) is log
    manager.close()


@ENDS
def test_what_was_deleted_while_it_was_away_goes_when_it_is_back(
    two: Two, tmp_path: Path, end: End
) -> None:
    left_in_order(filled(two))
    away = two[1].rename(tmp_path / "away")
    manager = a_manager(two)
    manager.open()
    lost(manager, 1)
    manager.delete(dogs(1))
    manager.sync_directories()
    assert manager.get(dogs(1)) is None
    end(manager)
    away.rename(two[1])
    for _ in range(2):
        again = a_manager(two)
        assert [event for event in again.open() if event.problem] == []
        assert again.get(dogs(1)) is None
        assert again.find_lost(dogs(1), TOPIC_ID, CONFIG) is None
        assert {log.topic_partition.partition for log in again.logs()} == {0, 2, 3}
        again.maintain(SystemClock().time_ms() + HOUR)
        assert not [*two[1].glob("dogs-1*")]
        left_in_order(again)


@ENDS
@pytest.mark.parametrize("saves", [True, False])
def test_a_new_topic_in_the_place_of_one_that_was_missing_and_deleted_stays(
    tmp_path: Path, end: End, *, saves: bool
) -> None:
    left_in_order(filled((tmp_path,)))
    shutil.rmtree(tmp_path / "dogs-1")
    manager = a_manager((tmp_path,))
    manager.open()
    lost(manager, 1)
    manager.delete(dogs(1))
    fill(manager.create(dogs(1), OTHER_ID, CONFIG), 7)
    if saves:
        assert manager._keeper.save() == []
    end(manager)
    for _ in range(2):
        again = a_manager((tmp_path,))
        assert [event for event in again.open() if event.problem] == []
        log = again.get(dogs(1))
        assert log is not None
        assert (log.topic_id, offsets(log)) == (OTHER_ID, [*range(7)])
        left_in_order(again)


@ENDS
@pytest.mark.parametrize("saves", [True, False])
def test_one_that_is_given_up_may_go_on_in_the_directory_that_it_was_in(
    tmp_path: Path, end: End, *, saves: bool
) -> None:
    left_in_order(filled((tmp_path,)))
    shutil.rmtree(tmp_path / "dogs-1")
    manager = a_manager((tmp_path,))
    manager.open()
    lost(manager, 1)
    fill(manager.give_up(dogs(1), TOPIC_ID, CONFIG), 2)
    if saves:
        assert manager._keeper.save() == []
    end(manager)
    for _ in range(2):
        again = a_manager((tmp_path,))
        assert [event for event in again.open() if event.problem] == []
        log = again.get(dogs(1))
        assert log is not None
        assert offsets(log) == [7, 8]
        left_in_order(again)


def test_a_new_topic_in_a_directory_that_was_away_is_not_the_one_deleted(
    two: Two, tmp_path: Path
) -> None:
    left_in_order(filled(two))
    away = two[1].rename(tmp_path / "away")
    manager = a_manager(two)
    manager.open()
    lost(manager, 1)
    manager.delete(dogs(1))
    left_in_order(manager)
    away.rename(two[1])
    (two[1] / "dogs-1" / "partition.metadata").write_bytes(encode_topic_id(OTHER_ID))
    again = a_manager(two)
    again.open()
    log = again.get(dogs(1))
    assert log is not None
    assert offsets(log) == [*range(7)]
    left_in_order(again)


def test_two_directories_with_one_partition_are_refused_where_nobody_knows_better(two: Two) -> None:
    left_in_order(filled(two))
    shutil.copytree(two[1] / "dogs-1", two[0] / "dogs-1")
    for path in two:
        (path / "barnabas.partitions").unlink()
    with pytest.raises(LogDirFailed, match="dogs-1 is in .*first/dogs-1 and in .*second/dogs-1"):
        a_manager(two).open()


def test_a_copy_of_a_partition_in_another_directory_is_set_aside(two: Two) -> None:
    left_in_order(filled(two))
    shutil.copytree(two[1] / "dogs-1", two[0] / "dogs-1")
    manager = a_manager(two)
    (event,) = manager.open()
    assert "is served from another directory" in event.text
    left_in_order(manager)
    all_is_well(two)
