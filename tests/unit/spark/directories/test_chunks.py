"""Damage in the middle of a file is an error that says where; a file may change under the reader."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barnabas.records.codecs.compression import Codec
from barnabas.records.messages07.message07 import encode_message, encode_set
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


@pytest.fixture
def file(tmp_path: Path) -> Path:
    directory = write_log(tmp_path / "t-0", {0: batches(0, 20), 60: batches(60, 1)})
    return directory / f"{0:020d}.log"


def put(file: Path, position: int, data: bytes) -> None:
    with file.open("r+b") as open_file:
        open_file.seek(position)
        open_file.write(data)


@pytest.mark.parametrize(
    ("at", "data", "words"),
    [
        (100, b"\0\0", "offset 24: its CRC is wrong"),
        (16, b"\x07", "no batch"),
        (0, b"\x10", "it has the offsets 1152921504606847000 to .*, where 24 to 59 can be"),
        (7, b"\x17", "it has the offsets 23 to 25, where 24 to 59 can be"),
        (8, b"\0\0\0\x10", "no batch"),
        (8, b"\0\xff\xff\xff", "which is not there|of which .* are there"),
    ],
)
@pytest.mark.parametrize("size", [1024, 1 << 20])
@pytest.mark.parametrize("isolation", ["read_uncommitted", "read_committed"])
def test_damage(file: Path, at: int, data: bytes, words: str, size: int, isolation: str) -> None:
    put(file, 8 * SIZE + at, data)
    each = reader(file.parents[1], fetchBytes=size, **{"kafka.isolation.level": isolation})
    with pytest.raises(UnreadableLog, match=words) as raised:
        read(each)
    assert str(raised.value).startswith(
        f"[BARNABAS_LOG] {file} is damaged: at byte {8 * SIZE} there should be a whole batch with"
    )


@given(st.integers(0, 20 * SIZE - 1), st.integers(0, 7), st.sampled_from([1024, 1 << 20]))
def test_any_bit_that_is_wrong_is_an_error_or_does_not_matter(at: int, bit: int, size: int) -> None:
    """No record is lost, doubled or changed in silence; only leader epochs are not looked at."""
    with TemporaryDirectory() as path:
        content = b"".join(batches(0, 20))
        wrong = content[:at] + bytes([content[at] ^ 1 << bit]) + content[at + 1 :]
        write_log(Path(path, "t-0"), {0: [wrong], 60: batches(60, 1)})
        try:
            rows = read(reader(Path(path), fetchBytes=size))
        except UnreadableLog:
            return
        assert at % SIZE in range(12, 16)
        assert offsets(rows) == list(range(63))


def test_what_lies_before_damage_and_behind_it_can_be_read(file: Path) -> None:
    put(file, 8 * SIZE + 100, b"\0\0")
    options = {"subscribe": "t", "fetchBytes": 1024}
    before = reader(file.parents[1], endingOffsets='{"t":{"0":24}}', **options)
    assert offsets(read(before)) == list(range(24))
    behind = reader(file.parents[1], startingOffsets='{"t":{"0":60}}', **options)
    assert offsets(read(behind)) == [60, 61, 62]


def test_a_segment_that_is_cut_off_and_not_the_last(file: Path) -> None:
    with file.open("r+b") as open_file:
        open_file.truncate(20 * SIZE - 5)
    with pytest.raises(
        UnreadableLog, match=f"at byte {19 * SIZE} .* of which {SIZE - 5} are there"
    ):
        read(reader(file.parents[1]))


def test_a_file_that_became_shorter_or_went(file: Path) -> None:
    each = reader(file.parents[1])
    task = tasks(each)[0]
    with file.open("r+b") as open_file:
        open_file.truncate(5 * SIZE)
    with pytest.raises(UnreadableLog, match="when the query was planned: plan it again"):
        list(each.read(task))
    file.unlink()
    with pytest.raises(UnreadableLog, match=r"BARNABAS_LOG.*cannot open .*No such file"):
        list(each.read(task))


def test_a_batch_that_is_larger_than_what_is_read_at_once(tmp_path: Path) -> None:
    write_log(tmp_path / "t-0", {0: batches(0, 4, size=100_000)})
    assert offsets(read(reader(tmp_path, fetchBytes=1024))) == list(range(12))


def test_what_is_appended_later_is_not_seen(file: Path) -> None:
    each = reader(file.parents[1])
    found = tasks(each)
    with (file.parent / f"{60:020d}.log").open("ab") as log:
        log.write(batches(63, 1)[0])
    rows = [row for task in found for batch in each.read(task) for row in batch.to_pylist()]
    assert offsets(rows) == list(range(63))


def messages_of_07(directory: Path) -> tuple[Path, list[int]]:
    """Thirty messages, sets of ten plain, gzip and snappy; and where a task may begin."""
    directory.mkdir(parents=True)
    sets = [
        encode_set([b"%d" % number for number in range(at, at + 10)], codec=Codec(at // 10))
        for at in (0, 10, 20)
    ]
    file = directory / "00000000000000000000.kafka"
    file.write_bytes(b"".join(sets))
    return file, [0, len(sets[0]), len(sets[0]) + len(sets[1])]


@pytest.mark.parametrize("options", [{}, {"splitBytes": 60}, {"maxRecordsPerPartition": 7}])
def test_messages_of_07(tmp_path: Path, options: dict[str, int]) -> None:
    _, starts = messages_of_07(tmp_path / "t-0")
    rows = read(reader(tmp_path, **options))
    assert [int(row["value"]) for row in rows] == list(range(30))
    assert [row["offset"] for row in rows[10:]] == [
        start + number for start in starts[1:] for number in range(10)
    ]
    assert {row["key"] for row in rows} == {None}


def test_messages_of_07_that_are_torn_or_damaged(tmp_path: Path) -> None:
    file, starts = messages_of_07(tmp_path / "t-0")
    whole = file.read_bytes()
    file.write_bytes(whole + encode_message(b"more")[:-1])
    assert len(read(reader(tmp_path))) == 30
    file.write_bytes(whole[: starts[1] + 8] + b"\0\0" + whole[starts[1] + 10 :])
    with pytest.raises(UnreadableLog, match=f"at byte {starts[1]} there should be"):
        read(reader(tmp_path))
