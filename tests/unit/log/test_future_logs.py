"""Logs on their way to another directory: what is copied, what a restart finds, and what takes whose place."""

import contextlib
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from barnabas.errors import BrokerError, ErrorCode, StorageError
from barnabas.log.manager import LogManager
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.recovery.truncation import start_anew, truncate_log
from barnabas.log.segments.log_config import LogConfig
from barnabas.types import TopicPartition
from tests.dying_disk import Died, DyingDisk
from tests.record_batches import make_batch
from tests.unit.log.test_manager import DOGS, SMALL, TOPIC_ID, a_manager

FUTURE = re.compile(r"dogs-0\.[0-9a-f]{32}-future")
SLICE = 300


class Moving(NamedTuple):
    manager: LogManager
    first: Path
    second: Path

    @property
    def log(self) -> PartitionLog:
        log = self.manager.get(DOGS)
        assert log is not None
        return log

    @property
    def future(self) -> PartitionLog:
        future = self.manager.futures.get(DOGS)
        assert future is not None
        return future

    def other(self) -> Path:
        """The directory that the log is not in."""
        return self.second if Path(self.log.directory).parent == self.first else self.first

    def begin(self) -> None:
        self.manager.futures.begin(DOGS, str(self.other()))

    def copy(self, slices: int = 1000) -> None:
        for _ in range(slices):
            if not self.manager.futures.copy(DOGS, SLICE):
                return

    def again(self) -> "Moving":
        manager = a_manager(self.first, self.second)
        assert manager.open() == []
        return self._replace(manager=manager)


def fill(log: PartitionLog, batches: int, epoch: int = 0) -> None:
    for _ in range(batches):
        log.append(memoryview(make_batch(size=100)), leader_epoch=epoch, now_ms=5_000)
    log.write_pending()


def contents(log: PartitionLog) -> bytes:
    """The bytes of its records, whatever segments they are in."""
    return b"".join(one.file.read(0, one.written) for one in log.segments)


def futures_in(path: Path) -> list[str]:
    return [one.name for one in path.iterdir() if FUTURE.fullmatch(one.name)]


@pytest.fixture
def moving(tmp_path: Path) -> Iterator[Moving]:
    first, second = tmp_path / "first", tmp_path / "second"
    manager = a_manager(first, second)
    manager.open()
    fill(manager.create(DOGS, TOPIC_ID, SMALL), 10)
    yield Moving(manager, first, second)
    manager.close()


def test_a_copy_takes_the_place_of_its_log_and_whoever_holds_that_keeps_it(moving: Moving) -> None:
    log, other = moving.log, moving.other()
    moving.begin()
    assert len(futures_in(other)) == 1
    assert moving.manager.futures.lag(DOGS) == 10
    moving.copy(slices=1)
    assert 0 < moving.manager.futures.lag(DOGS) < 10
    moving.copy()
    fill(log, 3)
    before = Path(log.directory)
    moving.manager.futures.swap(DOGS)
    assert moving.log is log
    assert (log.directory, len(moving.manager.futures)) == (f"{other}/dogs-0", 0)
    assert (futures_in(other), before.exists()) == ([], False)
    assert [one.name.endswith("-delete") for one in before.parent.glob("dogs-0*")] == [True]
    fill(log, 5)
    assert log.end_offset == 18
    found = log.read(17, 1000, max_offset=18, min_one=True).records
    assert found is not None
    assert found.file.path.startswith(str(other))


def test_what_was_moved_is_found_where_it_is_by_the_next_start(moving: Moving) -> None:
    moving.log.lead(4)
    fill(moving.log, 2, epoch=4)
    log, other = moving.log, moving.other()
    moving.begin()
    moving.copy()
    expected = contents(log)
    moving.manager.futures.swap(DOGS)
    moving.manager.abandon()
    again = moving.again()
    assert again.log.directory == f"{other}/dogs-0"
    assert contents(again.log) == expected
    assert again.log.epochs.entries() == [(0, 0), (4, 10)]
    again.manager.close()


@pytest.mark.parametrize("killed", [False, True])
def test_a_copy_goes_on_after_a_restart(moving: Moving, *, killed: bool) -> None:
    other = moving.other()
    moving.begin()
    moving.copy(slices=2)
    copied = moving.future.end_offset
    assert 0 < copied < 10
    if killed:
        moving.manager.abandon()
    else:
        assert moving.manager.close() == []
    again = moving.again()
    assert again.future.end_offset == copied
    fill(again.log, 2)
    again.copy()
    expected = contents(again.log)
    again.manager.futures.swap(DOGS)
    assert (again.log.directory, contents(again.log)) == (f"{other}/dogs-0", expected)
    again.manager.close()


def test_a_kill_between_the_two_renames_leaves_the_log_where_it_was(moving: Moving) -> None:
    here, other = Path(moving.log.directory), moving.other()
    moving.manager.write_checkpoints()
    for _ in moving.manager.maintain_in_steps(10**12):
        pass
    moving.begin()
    moving.copy()
    (name,) = futures_in(other)
    moving.manager.abandon()
    (other / name).rename(other / "dogs-0")
    manager = a_manager(moving.first, moving.second)
    events = manager.open()
    assert "is served from another directory" in " ".join(one.text for one in events)
    log = manager.get(DOGS)
    assert log is not None
    assert (log.directory, log.end_offset) == (str(here), 10)
    manager.close()


@pytest.mark.parametrize("offset", [7, 4, 0])
def test_a_copy_is_cut_with_its_log(moving: Moving, offset: int) -> None:
    moving.begin()
    moving.copy()
    truncate_log(moving.log, offset)
    assert moving.future.end_offset == offset
    fill(moving.log, 4, epoch=1)
    moving.copy()
    expected = contents(moving.log)
    moving.manager.futures.swap(DOGS)
    assert contents(moving.log) == expected
    assert moving.log.end_offset == offset + 4


def test_a_log_that_starts_anew_further_on_is_copied_from_there(moving: Moving) -> None:
    moving.begin()
    moving.copy()
    start_anew(moving.log, 100)
    fill(moving.log, 3)
    moving.copy()
    assert (moving.future.start_offset, moving.future.end_offset) == (100, 103)
    assert contents(moving.future) == contents(moving.log)


def test_what_a_log_lost_before_a_start_is_cut_off_its_copy(moving: Moving) -> None:
    """By leader epochs: that both have as many records says nothing."""
    moving.begin()
    moving.copy()
    moving.future.flush()
    moving.log.on_cut = None  # As if the cut of the copy were lost with the power.
    truncate_log(moving.log, 6)
    moving.log.lead(1)
    fill(moving.log, 5, epoch=1)
    moving.log.flush()
    moving.manager.abandon()
    again = moving.again()
    assert again.future.end_offset == 6
    again.copy()
    assert contents(again.future) == contents(again.log)
    again.manager.close()


def test_records_that_are_deleted_are_deleted_in_the_copy(moving: Moving) -> None:
    moving.begin()
    moving.copy(slices=2)
    moving.log.delete_before(8)
    moving.copy()
    assert (moving.future.start_offset, moving.future.end_offset) == (8, 10)
    moving.manager.futures.swap(DOGS)
    assert (moving.log.start_offset, moving.log.end_offset) == (8, 10)


def test_a_log_that_begins_within_a_batch_is_copied_from_that_batch_on(moving: Moving) -> None:
    log = moving.log
    start_anew(log, 0)
    log.append(memoryview(make_batch(count=5)), leader_epoch=0, now_ms=5_000)
    fill(log, 1)
    log.delete_before(3)
    moving.begin()
    moving.copy()
    assert (moving.future.start_offset, moving.future.end_offset) == (3, 6)
    assert contents(moving.future) == contents(log)


def test_a_move_that_is_called_off_leaves_nothing(moving: Moving) -> None:
    log, other = moving.log, moving.other()
    moving.begin()
    moving.copy(slices=2)
    moving.manager.futures.begin(DOGS, str(Path(log.directory).parent))
    assert (len(moving.manager.futures), futures_in(other)) == (0, [])
    truncate_log(log, 3)
    for _ in moving.manager.maintain_in_steps(10**13):
        pass
    assert [*other.glob("dogs-0*")] == []


def test_a_deleted_log_takes_its_copy_along(moving: Moving) -> None:
    other = moving.other()
    moving.begin()
    moving.manager.delete(DOGS)
    assert (len(moving.manager.futures), futures_in(other)) == (0, [])
    moving.manager.close()
    manager = a_manager(moving.first, moving.second)
    assert (manager.open(), len(manager.futures), manager.get(DOGS)) == ([], 0, None)
    manager.close()


def test_a_move_can_go_back_and_forth(moving: Moving) -> None:
    expected = contents(moving.log)
    for _ in range(4):
        target = moving.other()
        moving.begin()
        moving.copy()
        moving.manager.futures.swap(DOGS)
        assert moving.log.directory == f"{target}/dogs-0"
        assert contents(moving.log) == expected


def test_a_log_that_waits_for_syncs_is_swapped_with_all_that_is_written(tmp_path: Path) -> None:
    manager = a_manager(tmp_path / "first", tmp_path / "second")
    manager.open()
    log = manager.create(DOGS, TOPIC_ID, replace(SMALL, flush_messages=1))
    moving = Moving(manager, tmp_path / "first", tmp_path / "second")
    log.end_updater.on_moved = lambda: None
    fill(log, 10)
    moving.begin()
    moving.copy()
    fill(log, 1)
    manager.futures.swap(DOGS)
    assert (log.written_end, log.file_end, log.recovery_point) == (11, 11, 11)
    assert log.config.flush_messages == 1
    manager.close()


def test_what_cannot_be_moved_is_refused(moving: Moving) -> None:
    futures = moving.manager.futures
    with pytest.raises(BrokerError) as refused:
        futures.begin(DOGS, "/nowhere")
    assert refused.value.code == ErrorCode.LOG_DIR_NOT_FOUND
    long = TopicPartition("d" * 240, 0)
    log = moving.manager.create(long, TOPIC_ID, SMALL)
    here = str(Path(log.directory).parent)
    (there,) = {str(moving.first), str(moving.second)} - {here}
    with pytest.raises(BrokerError) as refused:
        futures.begin(long, there)
    assert refused.value.code == ErrorCode.INVALID_TOPIC_EXCEPTION
    old = moving.manager.create(TopicPartition("old", 0), TOPIC_ID, LogConfig(magic=-1))
    here = str(Path(old.directory).parent)
    (there,) = {str(moving.first), str(moving.second)} - {here}
    with pytest.raises(BrokerError) as refused:
        futures.begin(old.topic_partition, there)
    assert refused.value.code == ErrorCode.POLICY_VIOLATION
    moving.log.fail(StorageError("gone"))
    with pytest.raises(StorageError, match="gone"):
        moving.begin()
    assert len(futures) == 0


def test_a_new_log_is_made_in_the_directory_that_is_preferred(moving: Moving) -> None:
    for number, place in enumerate([moving.first, moving.second, moving.second, moving.first]):
        cats = TopicPartition("cats", number)
        moving.manager.futures.prefer(cats, str(place))
        assert Path(moving.manager.create(cats, TOPIC_ID, SMALL).directory).parent == place


@pytest.mark.parametrize("back", [False, True])
def test_a_swap_that_is_killed_at_any_step_leaves_all_records_in_one_place(
    tmp_path: Path, *, back: bool
) -> None:
    for steps in range(100):
        first, second = tmp_path / f"{steps}" / "first", tmp_path / f"{steps}" / "second"
        disk = DyingDisk()
        moving = Moving(a_manager(first, second, disk=disk), first, second)
        moving.manager.open()
        fill(moving.manager.create(DOGS, TOPIC_ID, SMALL), 10)
        moving.manager.maintain(10**13)
        if back:
            moving.begin()
            moving.copy()
            moving.manager.futures.swap(DOGS)
        moving.begin()
        moving.copy()
        disk.left = steps
        with contextlib.suppress(Died):
            moving.manager.futures.swap(DOGS)
        is_over = not disk.is_dead
        for directory in moving.manager._directories.all:
            directory._held.close()
        manager = a_manager(first, second)
        assert [event.text for event in manager.open() if event.problem] == [], steps
        log = manager.get(DOGS)
        assert log is not None
        assert log.failure is None
        assert log.end_offset == 10
        manager.abandon()
        if is_over:
            return
    pytest.fail("it never ended")
