"""Several log directories, one of which is broken: it is offline alone, and the others are served."""

from pathlib import Path

import pytest

from barnabas.errors import DiskFull, LogDirFailed, StorageError
from barnabas.log.log_start import LogSettings
from barnabas.log.manager import LogManager
from barnabas.log.segments.log_config import LogConfig
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.entropy import SystemEntropy
from barnabas.runtime.files.disk import RealDisk
from barnabas.runtime.files.open_files import RealFile
from barnabas.types import Buffer, TopicPartition
from tests.record_batches import make_batch

TOPIC_ID = bytes(range(16))
CONFIG = LogConfig(segment_bytes=250, retention_ms=-1)


class Failing(RealDisk):
    """Nothing below `place` can be changed; `room` is what a volume reports as free."""

    place = "nowhere"
    error: type[StorageError] = StorageError
    full = "nowhere"

    def _check(self, path: str) -> None:
        if self.place in path:
            raise self.error(f"cannot change {path}: Read-only file system")

    def open(self, path: str, *, create: bool = False) -> RealFile:
        self._check(path)
        return super().open(path, create=create)

    def lock(self, path: str):  # type: ignore[no-untyped-def]
        self._check(path)
        return super().lock(path)

    def make_directory(self, path: str) -> None:
        if not self.exists(path):
            self._check(path)
        super().make_directory(path)

    def write_file(self, path: str, data: Buffer) -> None:
        self._check(path)
        super().write_file(path, data)

    def replace_file(self, path: str, data: Buffer) -> None:
        self._check(path)
        super().replace_file(path, data)

    def space(self, path: str) -> tuple[int, int]:
        return 1 << 30, 0 if self.full in path else 1 << 29


def a_manager(disk: RealDisk, *paths: Path) -> LogManager:
    settings = LogSettings(1, [str(path) for path in paths])
    return LogManager(disk, SystemClock(), SystemEntropy(), settings, lambda _topic: CONFIG)


@pytest.fixture
def disk() -> Failing:
    return Failing()


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    return tmp_path / "first", tmp_path / "second"


def dogs(index: int) -> TopicPartition:
    return TopicPartition("dogs", index)


def filled(disk: RealDisk, two: tuple[Path, Path]) -> None:
    """Four partitions of three records each, the odd ones in the second directory."""
    manager = a_manager(disk, *two)
    assert manager.open() == []
    for index in range(4):
        log = manager.create(dogs(index), TOPIC_ID, CONFIG)
        for _ in range(3):
            log.append(memoryview(make_batch(size=100)), leader_epoch=0, now_ms=0)
        log.write_pending()
    assert manager.close() == []


@pytest.mark.parametrize("broken", [0, 1])
def test_one_that_is_read_only_is_offline_alone(
    disk: Failing, two: tuple[Path, Path], broken: int
) -> None:
    filled(disk, two)
    disk.place = str(two[broken])
    manager = a_manager(disk, *two)
    (event,) = manager.open()
    assert (event.partition, event.problem) == (None, True)
    assert f"directory {two[broken]} is offline: cannot use log directory" in event.text
    assert {log.topic_partition.partition % 2 for log in manager.logs()} == {1 - broken}
    assert all(log.end_offset == 3 for log in manager.logs())
    with pytest.raises(StorageError, match="Read-only"):
        manager.space(str(two[broken]))
    new = manager.create(TopicPartition("cats", 0), TOPIC_ID, CONFIG)
    assert str(two[1 - broken]) in new.directory
    assert manager.close() == []
    disk.place = "nowhere"
    again = a_manager(disk, *two)
    assert again.open() == []
    assert len(list(again.logs())) == 5
    assert again.close() == []


@pytest.mark.parametrize(
    ("before", "version", "first"),
    [
        ("version=0\nbroker.id=1\n", 1, "version=0\ncluster.id={}\nbroker.id=1\n"),
        ("version=1\nnode.id=1\n", 0, "version=1\ncluster.id={}\nnode.id=1\n"),
        (None, 0, "version=0\ncluster.id={}\nbroker.id=1\n"),
        (None, 1, "version=1\ncluster.id={}\nnode.id=1\n"),
    ],
)
def test_a_kafka_can_take_a_directory_back(
    tmp_path: Path, before: str | None, version: int, first: str
) -> None:
    file = tmp_path / "meta.properties"
    if before is not None:
        file.write_text(before)
    settings = LogSettings(1, [str(tmp_path)], meta_version=version)
    manager = LogManager(
        RealDisk(), SystemClock(), SystemEntropy(), settings, lambda _topic: CONFIG
    )
    manager.open()
    manager.close()
    assert file.read_text().startswith(first.format(manager.cluster_id))


@pytest.mark.parametrize("text", ["", "version=7\nnode.id=1\n", "version=1\nnode.id=one\n"])
def test_one_whose_owner_cannot_be_read_is_offline_alone(
    disk: Failing, two: tuple[Path, Path], text: str
) -> None:
    filled(disk, two)
    (two[0] / "meta.properties").write_text(text)
    manager = a_manager(disk, *two)
    (event,) = manager.open()
    assert "meta.properties is not a meta.properties of version 0 or 1" in event.text
    assert len(list(manager.logs())) == 2
    manager.close()
    assert (two[0] / "meta.properties").read_text() == text
    assert (two[0] / ".kafka_cleanshutdown").exists()


def test_the_only_one_is_refused_with_what_to_do(disk: Failing, two: tuple[Path, Path]) -> None:
    disk.place = str(two[0])
    with pytest.raises(LogDirFailed, match=r"Read-only file system: make it usable, or take"):
        a_manager(disk, two[0]).open()


def test_all_of_them_broken_are_refused_with_each_reason(
    disk: Failing, two: tuple[Path, Path], tmp_path: Path
) -> None:
    disk.place = str(tmp_path)
    with pytest.raises(LogDirFailed, match=rf"no log directory can be used: .*{two[0]}.*{two[1]}"):
        a_manager(disk, *two).open()


def test_a_directory_that_fails_meanwhile_gets_no_new_logs(
    disk: Failing, two: tuple[Path, Path]
) -> None:
    manager = a_manager(disk, *two)
    manager.open()
    disk.place = str(two[0])
    places = {manager.create(dogs(index), TOPIC_ID, CONFIG).directory for index in range(3)}
    assert places == {f"{two[1]}/dogs-{index}" for index in range(3)}
    (event,) = manager.write_checkpoints()
    assert "checkpoints not written" in event.text
    assert (two[1] / "recovery-point-offset-checkpoint").read_text().startswith("0\n3\n")
    events = manager.close()
    assert all(event.problem for event in events)
    assert [(path / ".kafka_cleanshutdown").exists() for path in two] == [False, True]


def test_a_full_directory_gets_no_new_logs(disk: Failing, two: tuple[Path, Path]) -> None:
    manager = a_manager(disk, *two)
    manager.open()
    disk.full = str(two[0])
    places = {manager.create(dogs(index), TOPIC_ID, CONFIG).directory for index in range(2)}
    assert places == {f"{two[1]}/dogs-{index}" for index in range(2)}
    manager.check_room()
    disk.full = str(two[0].parent)
    with pytest.raises(DiskFull, match=rf"less than 1 MiB is free in {two[0]}, {two[1]}"):
        manager.check_room()
    manager.close()


def test_a_log_that_cannot_be_read_is_offline_alone(disk: Failing, two: tuple[Path, Path]) -> None:
    filled(disk, two)
    (two[0] / ".kafka_cleanshutdown").unlink()
    disk.place = f"{two[0]}/dogs-0/"
    manager = a_manager(disk, *two)
    (event,) = manager.open()
    assert (event.partition, event.problem) == (dogs(0), True)
    assert "is offline: cannot change" in event.text
    assert [log.failure is None for log in manager.logs()] == [False, True, True, True]
    manager.close()
    disk.place = "nowhere"
    again = a_manager(disk, *two)
    assert again.open() == []
    assert all(log.end_offset == 3 for log in again.logs())
    again.close()


def test_a_log_that_could_not_be_made_leaves_nothing_behind(
    disk: Failing, two: tuple[Path, Path]
) -> None:
    manager = a_manager(disk, *two)
    manager.open()
    disk.place = "partition.metadata"
    with pytest.raises(StorageError):
        manager.create(dogs(0), TOPIC_ID, CONFIG)
    assert not list(two[0].parent.rglob("dogs-0"))
    disk.place = "nowhere"
    manager.create(dogs(0), TOPIC_ID, CONFIG)
    assert manager.close() == []


def test_a_log_is_taken_again_when_there_is_room(disk: Failing, two: tuple[Path, Path]) -> None:
    manager = a_manager(disk, *two)
    manager.open()
    log = manager.create(dogs(0), TOPIC_ID, CONFIG)
    log.append(memoryview(make_batch(size=100)), leader_epoch=0, now_ms=0)
    log.write_pending()
    disk.full = str(two[0])
    log.drop_queued(DiskFull("no room"))
    now_ms = SystemClock().time_ms()
    assert manager.maintain(now_ms) == []
    assert log.refusal is not None
    disk.full = "nowhere"
    (event,) = manager.maintain(now_ms)
    assert (event.partition, event.text) == (dogs(0), "takes records again: there is room")
    log.append(memoryview(make_batch(size=100)), leader_epoch=0, now_ms=0)
    log.write_pending()
    assert log.written_end == 2
    assert manager.close() == []
