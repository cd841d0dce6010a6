"""Where a log ends, and where offsets and times are: indexes are hints."""

import logging
import struct
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barnabas.spark.directories.errors import UnreadableLog
from tests.unit.spark.directories.log_files import (
    batches,
    offsets,
    read,
    reader,
    tasks,
    write_log,
)

SIZE = len(batches(0, 1)[0])


def index_of(directory: Path, base: int, *entries: tuple[int, int]) -> None:
    """An offset index with (offset, position) and a time index that goes with it."""
    stem = directory / f"{base:020d}"
    packed = b"".join(struct.pack(">ii", offset - base, at) for offset, at in entries)
    stem.with_suffix(".index").write_bytes(packed)
    times = b"".join(struct.pack(">qi", 1000 * offset, offset - base) for offset, _ in entries)
    stem.with_suffix(".timeindex").write_bytes(times)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Offsets 0 to 299 in three segments, the second one without indexes."""
    directory = write_log(
        tmp_path / "t-0",
        {base: batches(base, 33) + batches(base + 99, 1, records=1) for base in (0, 100, 200)},
    )
    for base in (0, 200):
        rows = [(base + 3 * number + 2, SIZE * number) for number in range(2, 33, 4)]
        index_of(directory, base, *rows)
    return tmp_path


def test_a_task_for_each_segment(path: Path) -> None:
    each = reader(path)
    assert [(task.start, task.end) for task in tasks(each)] == [(0, 100), (100, 200), (200, 300)]
    assert offsets(read(each)) == list(range(300))


def test_large_segments_are_cut_where_batches_begin(path: Path) -> None:
    each = reader(path, splitBytes=SIZE * 10)
    found = tasks(each)
    assert len(found) > 9
    assert all(task.position % SIZE == 0 for task in found)
    assert offsets(read(each)) == list(range(300))


@pytest.mark.parametrize(("low", "high"), [(0, 300), (5, 6), (98, 203), (150, 150), (299, 300)])
def test_a_range_of_offsets(path: Path, low: int, high: int) -> None:
    where = {
        "startingOffsets": f'{{"t":{{"0":{low}}}}}',
        "endingOffsets": f'{{"t":{{"0":{high}}}}}',
    }
    each = reader(path, subscribe="t", **where)
    assert offsets(read(each)) == list(range(low, high))


def test_only_what_is_needed_is_read(path: Path) -> None:
    (task,) = tasks(reader(path, startingOffsets='{"t":{"0":270}}', subscribe="t"))
    assert task.path.endswith("0200.log")
    assert SIZE * 20 <= task.position <= SIZE * 24


@pytest.mark.parametrize(("low", "high"), [(0, 300), (7, 8), (101, 250), (0, 1)])
def test_a_range_of_times(path: Path, low: int, high: int) -> None:
    each = reader(
        path, startingTimestamp=max(1000 * low - 999, 0), endingTimestamp=1000 * high - 999
    )
    assert offsets(read(each)) == list(range(low, high))


def test_no_record_as_late(path: Path) -> None:
    with pytest.raises(Exception, match="has no record at or after timestamp 300000"):
        tasks(reader(path, startingTimestamp=300_000))
    late = {"startingTimestamp": 300_000, "startingOffsetsByTimestampStrategy": "latest"}
    assert tasks(reader(path, **late)) == []


@pytest.mark.parametrize("wrong", [1, -1, SIZE // 2, 10**6])
def test_wrong_indexes_lose_nothing(path: Path, wrong: int) -> None:
    """All positions of the index are off; the batches say so."""
    rows = [(3 * number + 2, SIZE * number + wrong) for number in range(2, 33, 4)]
    index_of(path / "t-0", 0, *rows)
    each = reader(path, splitBytes=SIZE * 5)
    assert offsets(read(each)) == list(range(300))
    each = reader(path, subscribe="t", startingOffsets='{"t":{"0":50}}')
    assert offsets(read(each)) == list(range(50, 300))


ENTRIES = st.lists(st.tuples(st.integers(-5, 120), st.integers(-5, 34 * SIZE)), max_size=12)


@given(ENTRIES, st.binary(max_size=7), st.integers(0, 99), st.integers(1, 100))
def test_whatever_an_index_says(
    entries: list[tuple[int, int]], rest: bytes, low: int, count: int
) -> None:
    """Entries that grow or do not, at places and offsets that there may not be, and a torn one."""
    high = min(low + count, 100)
    with TemporaryDirectory() as path:
        content = batches(0, 33) + batches(99, 1, records=1)
        directory = write_log(Path(path, "t-0"), {0: content})
        index_of(directory, 0, *entries)
        with (directory / f"{0:020d}.index").open("ab") as index:
            index.write(rest)
        where = {
            "startingOffsets": f'{{"t":{{"0":{low}}}}}',
            "endingOffsets": f'{{"t":{{"0":{high}}}}}',
        }
        each = reader(Path(path), subscribe="t", splitBytes=SIZE * 5, **where)
        assert offsets(read(each)) == list(range(low, high))


def test_files_stay_as_they_are(path: Path) -> None:
    index_of(path / "t-0", 0, (2, 7), (50, 9))
    before = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    read(reader(path, splitBytes=SIZE * 5, startingTimestamp=1))
    assert {file: file.read_bytes() for file in path.rglob("*") if file.is_file()} == before


def test_an_index_that_a_running_broker_has_not_cut(path: Path) -> None:
    """Zeros follow its entries."""
    for kind in (".index", ".timeindex"):
        file = path / "t-0" / f"{200:020d}{kind}"
        file.write_bytes(file.read_bytes() + bytes(240))
    assert offsets(read(reader(path, splitBytes=SIZE * 9))) == list(range(300))


@pytest.mark.parametrize("left", [1, 11, 60, SIZE - 1])
@pytest.mark.parametrize("missing", [(), (".index", ".timeindex")], ids=["indexed", "no index"])
def test_a_torn_last_batch_is_left_out(
    path: Path, caplog: pytest.LogCaptureFixture, left: int, missing: tuple[str, ...]
) -> None:
    file = path / "t-0" / f"{200:020d}.log"
    with file.open("ab") as log:
        log.write(batches(300, 1)[0][:left])
    for kind in missing:
        file.with_suffix(kind).unlink()
    with caplog.at_level(logging.WARNING):
        assert offsets(read(reader(path))) == list(range(300))
    (message,) = {record.getMessage() for record in caplog.records}
    assert f"{file} ends at byte" in message
    assert f"{left} bytes that are no whole batch: 1 torn batch is left out" in message


def test_room_made_in_advance_is_no_batch(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with (path / "t-0" / f"{200:020d}.log").open("ab") as log:
        log.write(bytes(5000))
    assert offsets(read(reader(path))) == list(range(300))
    assert not caplog.records


def test_something_else_at_the_end_is_damage(path: Path) -> None:
    file = path / "t-0" / f"{200:020d}.log"
    size = file.stat().st_size
    with file.open("ab") as log:
        log.write(b"\xff" * 500)
    with pytest.raises(UnreadableLog, match=f"BARNABAS_LOG.*{file}.*at byte {size} "):
        tasks(reader(path))
    each = reader(path, subscribe="t", endingOffsets='{"t":{"0":299}}')
    assert offsets(read(each)) == list(range(299))


def test_records_that_a_broker_deleted_stay_out(path: Path) -> None:
    (path / "log-start-offset-checkpoint").write_text("0\n1\nt 0 120\n")
    assert offsets(read(reader(path))) == list(range(120, 300))


def test_a_log_without_segments(tmp_path: Path) -> None:
    write_log(tmp_path / "t-0", {})
    assert tasks(reader(tmp_path)) == []
    write_log(tmp_path / "t-0", {7: []})
    assert tasks(reader(tmp_path)) == []
