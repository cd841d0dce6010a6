"""Segments that are shorter than they were, and indexes of aborted transactions that are missing."""

import contextlib
import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from barnabas.log.cleaning.replacement import replace_segments
from barnabas.log.directories.inventory import KnownSegment
from barnabas.log.manager import LogManager
from barnabas.log.partition.last_stable_offset import aborted_in
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.recovery.truncation import truncate_log
from barnabas.runtime.clock import SystemClock
from barnabas.types import TopicPartition
from tests.dying_disk import Died, DyingNames
from tests.record_batches import make_batch, make_marker
from tests.unit.log.test_lost_logs import (
    CONFIG,
    ENDS,
    HOUR,
    TOPIC_ID,
    End,
    a_manager,
    dogs,
    fill,
    filled,
    killed,
    left_in_order,
    offsets,
)

CATS = TopicPartition("cats", 0)
ABORTING = replace(CONFIG, segment_bytes=2000)


def written_down(paths: tuple[Path], end: End) -> None:
    """Partitions whose segments are on stable storage, and in the inventory."""
    manager = filled(paths)
    for log in manager.logs():
        log.flush()
    manager.write_checkpoints()
    assert manager._keeper.save() == []
    end(manager)


def segment(path: Path, base: int) -> Path:
    return path / "dogs-1" / f"{base:020d}.log"


def cut(file: Path, batches: int) -> bytes:
    """Leave so many of its two batches; gives what it had."""
    before = file.read_bytes()
    file.write_bytes(before[: len(before) // 2 * batches])
    return before


@pytest.mark.parametrize("text", ["7", "7:100", "7:100:3", "0:0:1"])
def test_what_is_known_of_a_segment_is_read_as_it_was_written(text: str) -> None:
    assert str(KnownSegment.parse(text)) == text


def test_what_was_written_before_entries_were_counted_is_at_least_one() -> None:
    assert KnownSegment.parse("7:100:aborted") == KnownSegment(7, 100, 1)


@ENDS
@pytest.mark.parametrize("base", [0, 2, 4])
@pytest.mark.parametrize("batches", [0, 1])
def test_a_segment_that_lost_its_end_takes_its_partition_offline_until_it_is_back(
    tmp_path: Path, end: End, base: int, batches: int
) -> None:
    written_down((tmp_path,), end)
    file = segment(tmp_path, base)
    before = cut(file, batches)
    for _ in range(2):
        manager = a_manager((tmp_path,))
        events = [event for event in manager.open() if event.partition == dogs(1)]
        assert [event.problem for event in events] == [True]
        what = f"{file} has {batches * len(before) // 2} bytes instead of {len(before)}"
        assert f"is offline: {what}: records are missing" in events[0].text
        assert "Put them back and start again; `barnabas topics give-up`" in events[0].text
        end(manager)
    file.write_bytes(before)
    manager = a_manager((tmp_path,))
    manager.open()
    assert [(log.failure, offsets(log)) for log in manager.logs()] == [(None, [*range(7)])] * 4
    left_in_order(manager)


@ENDS
def test_one_that_is_given_up_continues_with_what_is_left(tmp_path: Path, end: End) -> None:
    written_down((tmp_path,), left_in_order)
    cut(segment(tmp_path, 2), 1)
    manager = a_manager((tmp_path,))
    manager.open()
    log = manager.give_up(dogs(1), TOPIC_ID, CONFIG)
    assert offsets(log) == [0, 1, 2, 4, 5, 6]
    fill(log, 1)
    manager.maintain(SystemClock().time_ms())
    end(manager)
    again = a_manager((tmp_path,))
    assert [event for event in again.open() if event.problem] == []
    found = again.get(dogs(1))
    assert found is not None
    assert offsets(found) == [0, 1, 2, 4, 5, 6, 7]
    left_in_order(again)


def compact(manager: LogManager, log: PartitionLog, bases: list[int]) -> None:
    """As the cleaner does, which leaves the first batch."""
    path = segment(Path(log.directory).parent, bases[0])
    for suffix in (".index", ".timeindex"):
        path.with_suffix(f"{suffix}.cleaned").write_bytes(b"")
    data = path.read_bytes()
    path.with_suffix(".log.cleaned").write_bytes(data[: len(data) // 2])
    old = replace_segments(log, bases)
    assert old is not None
    manager._maintenance.remove_later(log, old, SystemClock().time_ms())


def truncate_and_fill(log: PartitionLog) -> None:
    truncate_log(log, 3)
    fill(log, 3)


CHANGES: dict[str, Callable[[LogManager, PartitionLog], None]] = {
    "compacted": lambda manager, log: compact(manager, log, [2]),
    "two compacted": lambda manager, log: compact(manager, log, [0, 2]),
    "truncated": lambda _, log: truncate_log(log, 3),
    "truncated, and written": lambda _, log: truncate_and_fill(log),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("steps", range(0, 33, 3))
def test_what_a_broker_shortens_and_is_killed_at_any_step_is_not_missed(
    tmp_path: Path, change: str, steps: int
) -> None:
    written_down((tmp_path,), left_in_order)
    disk = DyingNames()
    manager = a_manager((tmp_path,), disk)
    manager.open()
    log = manager.get(dogs(1))
    assert log is not None
    disk.left = steps
    now_ms = SystemClock().time_ms()
    with contextlib.suppress(Died):
        CHANGES[change](manager, log)
        for hours in (1, 2):
            manager.maintain(now_ms + hours * HOUR)
    killed(manager)
    for _ in range(2):
        again = a_manager((tmp_path,))
        assert [event for event in again.open() if event.problem] == []
        again.maintain(now_ms + 3 * HOUR)
        killed(again)


ENTRY = 34


def with_aborted(manager: LogManager) -> PartitionLog:
    """A log of 32 transactions of which every other one was aborted, on stable storage and in the inventory."""
    manager.open()
    log = manager.create(CATS, TOPIC_ID, ABORTING)
    for producer in range(1, 33):
        batch = make_batch(1, producer=(producer, 0, 0), attributes=0x10, size=100)
        for data in (batch, make_marker(producer, 0, commit=producer % 2 == 0)):
            log.append(memoryview(data), leader_epoch=0, now_ms=0, internal=True)
    log.write_pending()
    log.flush()
    manager.write_checkpoints()
    assert manager._keeper.save() == []
    return log


def found_again(manager: LogManager) -> PartitionLog:
    assert [event for event in manager.open() if event.problem] == []
    log = manager.get(CATS)
    assert log is not None
    return log


@ENDS
@pytest.mark.parametrize(
    "kept", [None, 0, 1, -1], ids=["missing", "empty", "first", "all but last"]
)
def test_an_index_of_aborted_transactions_that_lost_its_end_is_made_again(
    tmp_path: Path, end: End, kept: int | None, caplog: pytest.LogCaptureFixture
) -> None:
    manager = a_manager((tmp_path,))
    expected = aborted_everywhere(with_aborted(manager))
    assert [one for one in expected if one]
    end(manager)
    files = sorted((tmp_path / "cats-0").glob("*.txnindex"))
    before = [file.read_bytes() for file in files]
    assert len(files) > 2
    assert min(map(len, before)) > ENTRY
    for file, data in zip(files, before, strict=True):
        if kept is None:
            file.unlink()
        else:
            file.write_bytes(data[: kept * ENTRY])
    again = a_manager((tmp_path,))
    with caplog.at_level(logging.WARNING):
        assert aborted_everywhere(found_again(again)) == expected
    assert "index made again from its segment" in caplog.text
    left_in_order(again)
    assert [file.read_bytes() for file in files] == before
    assert sorted((tmp_path / "cats-0").glob("*.txnindex")) == files


@ENDS
def test_an_end_that_nobody_has_read_is_missed_by_a_later_start(tmp_path: Path, end: End) -> None:
    manager = a_manager((tmp_path,))
    expected = aborted_everywhere(with_aborted(manager))
    left_in_order(manager)
    for _ in range(2):
        unread = a_manager((tmp_path,))
        found_again(unread)
        end(unread)
        for file in (tmp_path / "cats-0").glob("*.txnindex"):
            file.write_bytes(file.read_bytes()[:ENTRY])
    again = a_manager((tmp_path,))
    assert aborted_everywhere(found_again(again)) == expected
    left_in_order(again)


def test_what_an_index_lost_is_missed_after_a_truncation(tmp_path: Path) -> None:
    manager = a_manager((tmp_path,))
    log = with_aborted(manager)
    expected = aborted_everywhere(log)
    bases = [segment.base_offset for segment in log.segments]
    left_in_order(manager)
    for file in (tmp_path / "cats-0").glob("*.txnindex"):
        file.unlink()
    again = a_manager((tmp_path,))
    found = found_again(again)
    truncate_log(found, bases[2] - 2)
    left = [[one for one in each if one[2] < found.end_offset] for each in expected]
    assert aborted_everywhere(found) == left[: found.end_offset]
    left_in_order(again)


def aborted_everywhere(log: PartitionLog) -> list[list[tuple[int, ...]]]:
    found = []
    for offset in range(log.end_offset):
        records = log.read(offset, 300, max_offset=1 << 62, min_one=True).records
        assert records is not None
        found.append([tuple(one) for one in aborted_in(log, offset, records, log.end_offset)])
    return found
