"""Readers of committed records: what markers say counts, wherever tasks are cut."""

import logging
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barnabas.spark.directories.errors import UnreadableLog
from tests.record_batches import make_batch
from tests.unit.spark.directories.log_files import (
    committed,
    data,
    marker,
    offsets,
    read,
    reader,
    tasks,
    write_log,
)

Step = tuple[str, int]


def test_aborted_and_open_transactions_stay_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_log(
        tmp_path / "t-0",
        {
            0: [data(0, 1), data(1, 2), make_batch(1, base_offset=2), data(3, 3)],
            4: [marker(4, 1, commit=True), marker(5, 2, commit=False), data(6, 2)],
            7: [data(7, 1), marker(8, 2, commit=True), make_batch(1, base_offset=9)],
        },
    )
    with caplog.at_level(logging.WARNING):
        assert offsets(committed(tmp_path)) == [0, 2, 6, 9]
    assert {record.getMessage() for record in caplog.records} == {
        f"t-0: producer {producer} had a transaction open when the log ended: its records are left "
        "out"
        for producer in (1, 3)
    }
    assert offsets(read(reader(tmp_path))) == [0, 1, 2, 3, 6, 7, 9]


def test_what_follows_the_end_of_the_plan_decides_nothing(tmp_path: Path) -> None:
    """A marker that comes while tasks run does not make two tasks see different ends."""
    directory = write_log(tmp_path / "t-0", {0: [data(0, 1)], 1: [data(1, 1)]})
    each = reader(tmp_path, **{"kafka.isolation.level": "read_committed"})
    found = list(each.partitions())
    with (directory / f"{1:020d}.log").open("ab") as log:
        log.write(marker(2, 1, commit=True))
    assert not [batch for task in found for batch in each.read(task)]
    assert offsets(committed(tmp_path)) == [0, 1]


def test_segments_that_go_while_they_are_needed_are_an_error(tmp_path: Path) -> None:
    """What is not there any more cannot say that a transaction was open."""
    directory = write_log(tmp_path / "t-0", {0: [data(0, 1)], 1: [marker(1, 1, commit=True)]})
    each = reader(tmp_path, **{"kafka.isolation.level": "read_committed"})
    found = list(each.partitions())
    (directory / f"{1:020d}.log").unlink()
    with pytest.raises(UnreadableLog, match="records up to offset 1, and had some up to 2"):
        list(each.read(found[0]))


def test_damage_before_a_marker_is_an_error(tmp_path: Path) -> None:
    damaged = make_batch(1, base_offset=1, fill=98)
    damaged[-2] ^= 1
    write_log(tmp_path / "t-0", {0: [data(0, 1)], 1: [damaged, marker(2, 1, commit=True)]})
    ends = {"subscribe": "t", "endingOffsets": '{"t":{"0":1}}'}
    with pytest.raises(UnreadableLog, match="0001.log is damaged: at byte 0"):
        committed(tmp_path, **ends)


@pytest.mark.parametrize("ahead", ["in the task", "behind it"])
def test_one_open_transaction_does_not_keep_all_later_ones(tmp_path: Path, ahead: str) -> None:
    """A task looks through the rest of the log, and keeps what may still decide something for it."""
    count = 30_000
    later = [
        batch
        for offset in range(1, 2 * count, 2)
        for batch in (data(offset, 2), marker(offset + 1, 2, commit=True))
    ]
    opened = [data(0, 1), data(2 * count + 1, 3)]
    segments = (
        {0: [opened[0], *later, opened[1]]}
        if ahead == "in the task"
        else {0: opened[:1], 1: [*later, opened[1]]}
    )
    write_log(tmp_path / "t-0", segments)
    each = reader(tmp_path, **{"kafka.isolation.level": "read_committed"}, fetchBytes=1 << 16)
    task = tasks(each)[0]
    assert sum(batch.num_rows for batch in each.read(task)) == count * (ahead == "in the task")
    tracemalloc.start()
    try:
        for _batch in each.read(task):
            pass
        assert tracemalloc.get_traced_memory()[1] < (1 << 20) * 3 // 2  # A file's piece is 1 MiB.
    finally:
        tracemalloc.stop()


@st.composite
def histories(draw: st.DrawFn) -> list[Step]:
    """What three producers do in one partition, in order."""
    kinds = st.sampled_from(["data", "plain", "commit", "abort", "roll"])
    return draw(st.lists(st.tuples(kinds, st.integers(1, 3)), max_size=30))


def written(steps: Sequence[Step]) -> tuple[dict[int, list[bytearray]], list[int]]:
    """The segments of a history, and the offsets of what was committed."""
    segments: dict[int, list[bytearray]] = {0: []}
    open_now: dict[int, list[int]] = {}
    seen: list[int] = []
    offset = last = 0
    for kind, producer in steps:
        if kind == "roll":
            last = offset
            segments.setdefault(last, [])
            continue
        if kind == "plain":
            segments[last].append(make_batch(2, base_offset=offset))
            seen += [offset, offset + 1]
            offset += 2
        elif kind == "data":
            segments[last].append(data(offset, producer, records=2))
            open_now.setdefault(producer, []).extend([offset, offset + 1])
            offset += 2
        else:
            segments[last].append(marker(offset, producer, commit=kind == "commit"))
            ended = open_now.pop(producer, [])
            seen += ended if kind == "commit" else []
            offset += 1
    return segments, sorted(seen)


@given(histories(), st.sampled_from([{}, {"splitBytes": 100}, {"maxRecordsPerPartition": 3}]))
def test_any_history_in_any_number_of_tasks(steps: list[Step], options: dict[str, int]) -> None:
    segments, seen = written(steps)
    with TemporaryDirectory() as path:
        write_log(Path(path, "t-0"), segments)
        assert offsets(committed(Path(path), **options)) == seen
