"""What lies in directories, by its names."""

from pathlib import Path

import pytest

from barnabas.runtime.files.read_only import ReadOnlyDisk
from barnabas.spark.directories.errors import NotInDirectory, UnreadableLog
from barnabas.spark.directories.inventory import Inventory, log_files
from barnabas.spark.options.selection import Partitions, Pattern, Topics
from barnabas.types import TopicPartition

DISK = ReadOnlyDisk()


def make(path: Path, *names: str) -> Path:
    path.mkdir(parents=True)
    for name in names:
        (path / name).touch()
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    for name in ("a-0", "a-1", "b-c-0", "__consumer_offsets-7", "a-0.0123-delete", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "z-0").touch()
    (tmp_path / "log-start-offset-checkpoint").write_text("0\n1\na 1 12\n")
    return tmp_path


def test_selections(path: Path) -> None:
    found = Inventory(DISK, [str(path)])
    assert found.topics() == ["__consumer_offsets", "a", "b-c"]
    both = {TopicPartition("a", 0), TopicPartition("a", 1)}
    assert found.selected(Topics(frozenset({"a", "gone"}))) == both
    assert found.selected(Pattern(".*")) == both | {TopicPartition("b-c", 0)}
    assert found.selected(Topics(frozenset({"__consumer_offsets"})))
    one = TopicPartition("a", 1)
    assert found.selected(Partitions(frozenset({one, TopicPartition("a", 2)}))) == {one}
    assert (found.log_start(one), found.log_start(TopicPartition("a", 0))) == (12, 0)


def test_a_path_may_be_a_partition(path: Path) -> None:
    found = Inventory(DISK, [str(path / "a-1")])
    assert found.topics() == ["a"]
    assert found.log_start(TopicPartition("a", 1)) == 12


def test_a_log_directory_may_have_the_name_of_a_partition(tmp_path: Path) -> None:
    make(tmp_path / "kafka-1" / "a-0")
    assert Inventory(DISK, [str(tmp_path / "kafka-1")]).topics() == ["a"]


def test_paths_that_will_not_do(path: Path, tmp_path: Path) -> None:
    with pytest.raises(NotInDirectory, match="holds no partition"):
        Inventory(DISK, [str(path / "other")])
    again = make(tmp_path / "again" / "a-0").parent
    with pytest.raises(UnreadableLog, match="a-0 is in .* name only one"):
        Inventory(DISK, [str(path), str(again)])


def test_segments_of_today(tmp_path: Path) -> None:
    names = [f"{base:020d}{kind}" for base in (20, 0) for kind in (".log", ".index", ".timeindex")]
    directory = make(tmp_path / "a-0", *names, f"{5:020d}.snapshot", f"{0:020d}.log.deleted")
    files = log_files(DISK, str(directory))
    assert [each.base_offset for each in files.segments] == [0, 20]
    assert not files.byte_positions


def test_segments_of_old(tmp_path: Path) -> None:
    files = log_files(DISK, str(make(tmp_path / "a-0", f"{0:020d}.kafka", "123.jafka")))
    assert [each.base_offset for each in files.segments] == [0, 123]
    assert files.byte_positions


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ([f"{0:020d}.log", f"{0:020d}.kafka"], "two logs"),
        (["0.kafka", "00.kafka"], "begin at the same offset"),
        ([f"{0:020d}.log.swap"], "has not put in its place"),
    ],
)
def test_files_that_are_not_one_log(tmp_path: Path, names: list[str], words: str) -> None:
    with pytest.raises(UnreadableLog, match=words):
        log_files(DISK, str(make(tmp_path / "a-0", *names)))
