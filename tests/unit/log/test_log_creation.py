"""New logs in the place of others: a kill at any step leaves the row of the old one or of the new one."""

import contextlib
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from barnabas.log.manager import LogManager
from barnabas.log.partition.partition_log import PartitionLog
from tests.dying_disk import Died, DyingDisk
from tests.unit.log.test_lost_logs import (
    CONFIG,
    ENDS,
    OTHER_ID,
    TOPIC_ID,
    End,
    a_manager,
    dogs,
    fill,
    filled,
    killed,
    left_in_order,
    lost,
    offsets,
)

PLACE = dogs(1)
Change = Callable[[LogManager], object]
MOST_STEPS = 200


def deaths(
    path: Path, before: Callable[[Path], object], change: Change
) -> Iterator[tuple[Path, int, bool]]:
    """Simulate a crash at each change of a file that `change` makes, in a directory of its own each time.

    Yields the directory, the number of changes that were made, and whether these were all.
    """
    for steps in range(MOST_STEPS):
        data = path / str(steps)
        before(data)
        disk = DyingDisk()
        manager = a_manager((data,), disk)
        manager.open()
        disk.left = steps
        with contextlib.suppress(Died):
            change(manager)
        is_over = not disk.is_dead
        killed(manager)
        yield data, steps, is_over
        if is_over:
            return
    pytest.fail("it never ended")


def dies_at_each_step(
    path: Path, before: Callable[[Path], None], change: Change, check: Callable[[LogManager], None]
) -> None:
    """Check the next two starts after each death."""
    for data, steps, is_over in deaths(path, before, change):
        for _ in range(2):
            again = a_manager((data,))
            problems = [event.text for event in again.open() if event.problem]
            assert problems == [], f"killed at step {steps}"
            check(again)
            killed(again)
        assert steps > 5 or not is_over


def gone(data: Path, end: End = left_in_order) -> None:
    """A partition whose directory vanished while the broker was down."""
    end(filled((data,)))
    shutil.rmtree(data / "dogs-1")


def served(manager: LogManager) -> PartitionLog | None:
    """The log, if it is there; it can be written to."""
    log = manager.get(PLACE)
    if log is not None:
        assert log.failure is None
        fill(log, 1)
    return log


@ENDS
def test_a_partition_that_is_given_up_begins_behind_what_was_lost(tmp_path: Path, end: End) -> None:
    def give_up(manager: LogManager) -> None:
        lost(manager, 1)
        fill(manager.give_up(PLACE, TOPIC_ID, CONFIG), 2)

    def check(manager: LogManager) -> None:
        log = served(manager)
        if log is None:
            lost(manager, 1)
            give_up(manager)
            log = manager.get(PLACE)
        assert log is not None
        assert log.start_offset >= 7
        assert log.leader_epoch >= 1

    dies_at_each_step(tmp_path, lambda data: gone(data, end), give_up, check)


@ENDS
def test_a_replica_that_is_lost_is_made_anew(tmp_path: Path, end: End) -> None:
    def copy(manager: LogManager) -> None:
        assert manager.find_lost(PLACE, TOPIC_ID, CONFIG, has_replicas=True) is None
        fill(manager.create(PLACE, TOPIC_ID, CONFIG), 2)

    def check(manager: LogManager) -> None:
        if served(manager) is None:
            copy(manager)

    dies_at_each_step(tmp_path, lambda data: gone(data, end), copy, check)


def test_a_replica_that_goes_and_comes_back_is_made_anew(tmp_path: Path) -> None:
    def go_and_come(manager: LogManager) -> None:
        if manager.get(PLACE) is not None:
            manager.delete(PLACE)
        fill(manager.create(PLACE, TOPIC_ID, CONFIG), 2)

    def check(manager: LogManager) -> None:
        if served(manager) is None:
            assert manager.find_lost(PLACE, TOPIC_ID, CONFIG, has_replicas=True) is None
            go_and_come(manager)

    dies_at_each_step(tmp_path, lambda data: left_in_order(filled((data,))), go_and_come, check)


def test_a_topic_that_is_made_again_under_its_name_is_not_lost(tmp_path: Path) -> None:
    def delete_and_make(manager: LogManager) -> None:
        manager.delete(PLACE)
        fill(manager.create(PLACE, OTHER_ID, CONFIG), 2)

    def check(manager: LogManager) -> None:
        log = manager.get(PLACE)
        if log is not None and log.topic_id == OTHER_ID:
            assert offsets(log) in ([], [0], [0, 1])
        else:
            assert manager.find_lost(PLACE, OTHER_ID, CONFIG) is None

    before = filled
    dies_at_each_step(tmp_path, lambda data: left_in_order(before((data,))), delete_and_make, check)


@pytest.mark.parametrize("base", [0, 6])
def test_what_is_left_of_a_log_stays_given_up(tmp_path: Path, base: int) -> None:
    """Once the administrator was answered; until then it is as it was."""

    def give_up(manager: LogManager) -> None:
        fill(manager.give_up(PLACE, TOPIC_ID, CONFIG), 1)

    def before(data: Path) -> None:
        left_in_order(filled((data,)))
        (data / "dogs-1" / f"{base:020d}.log").unlink()

    for data, _, is_over in deaths(tmp_path, before, give_up):
        again = a_manager((data,))
        again.open()
        log = again.get(PLACE)
        assert log is not None
        if log.failure is not None:
            assert not is_over
            log = again.give_up(PLACE, TOPIC_ID, CONFIG)
        assert log.end_offset >= 7
        assert [each for each in offsets(log) if each < 7] == [
            each for each in range(7) if each // 2 * 2 != base
        ]
        killed(again)


def test_one_that_cannot_be_read_begins_behind_it(tmp_path: Path) -> None:
    def before(data: Path) -> None:
        left_in_order(filled((data,)))
        last = data / "dogs-1" / f"{6:020d}.log"
        last.unlink()
        last.mkdir()

    def give_up(manager: LogManager) -> None:
        fill(manager.give_up(PLACE, TOPIC_ID, CONFIG), 1)

    for data, _, is_over in deaths(tmp_path, before, give_up):
        again = a_manager((data,))
        again.open()
        if again.get(PLACE) is None:
            lost(again, 1)
        log = again.get(PLACE)
        assert log is not None
        if log.failure is not None:
            assert not is_over
            log = again.give_up(PLACE, TOPIC_ID, CONFIG)
        assert log.start_offset >= 7
        killed(again)


def test_a_directory_that_is_back_after_a_replica_was_made_anew_elsewhere_brings_no_second_one(
    tmp_path: Path,
) -> None:
    two = tmp_path / "first", tmp_path / "second"
    left_in_order(filled(two))
    manager = a_manager(two[:1])
    manager.open()
    assert manager.find_lost(PLACE, TOPIC_ID, CONFIG, has_replicas=True) is None
    fill(manager.create(PLACE, TOPIC_ID, CONFIG), 2)
    left_in_order(manager)
    again = a_manager(two)
    assert [event for event in again.open() if event.problem] == []
    log = again.get(PLACE)
    assert log is not None
    assert (log.directory, offsets(log)) == (f"{two[0]}/dogs-1", [0, 1])
    left_in_order(again)
