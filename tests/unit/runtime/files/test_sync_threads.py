import os
import sys
import threading
from pathlib import Path

import pytest

from barnabas.runtime.files import sync_threads
from barnabas.runtime.files.disk import RealDisk
from barnabas.runtime.files.sync_threads import MANY, sync_volume

COUNT = 5 * MANY


class Volume:
    """Counts syncs of the volume, and of the files after each."""

    def __init__(self) -> None:
        self.syncs = 0
        self.may_sync = threading.Event()
        self.files = list[int]()

    def sync(self, path: str) -> None:
        assert Path(path).exists()
        self.syncs += 1

    def sync_file(self, _descriptor: int) -> None:
        assert self.may_sync.wait(60)
        self.files.append(self.syncs)


@pytest.fixture
def volume(monkeypatch: pytest.MonkeyPatch) -> Volume:
    volume = Volume()
    monkeypatch.setattr(sync_threads, "sync_volume", volume.sync)
    monkeypatch.setattr(os, "fsync", volume.sync_file)
    return volume


def test_where_many_syncs_wait_the_volume_is_written_first(tmp_path: Path, volume: Volume) -> None:
    disk = RealDisk()
    syncs = [disk.begin_sync([], [str(tmp_path)]) for _ in range(COUNT)]
    volume.may_sync.set()
    for sync in syncs:
        sync.wait()
    assert volume.syncs == 1  # It covers all that waited; each of them is still synced by itself.
    assert len(volume.files) == COUNT
    later = [disk.begin_sync([], [str(tmp_path)]) for _ in range(COUNT)]
    for sync in later:
        sync.wait()
    assert len(volume.files) == 2 * COUNT
    disk.close()


def test_few_syncs_are_left_to_themselves(tmp_path: Path, volume: Volume) -> None:
    disk = RealDisk()
    syncs = [disk.begin_sync([], [str(tmp_path)]) for _ in range(MANY)]
    volume.may_sync.set()
    for sync in syncs:
        sync.wait()
    assert volume.syncs == 0
    disk.close()


def test_a_volume_that_cannot_be_written_leaves_the_errors_to_the_files(
    tmp_path: Path, volume: Volume, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(path: str) -> None:
        volume.sync(path)
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(sync_threads, "sync_volume", broken)
    disk = RealDisk()
    syncs = [disk.begin_sync([], [str(tmp_path)]) for _ in range(COUNT)]
    volume.may_sync.set()
    for sync in syncs:
        sync.wait()
    assert volume.syncs >= 1
    disk.close()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux syncs one volume")
def test_the_volume_of_a_file_or_directory_is_synced(tmp_path: Path) -> None:
    sync_volume(str(tmp_path))
    with pytest.raises(FileNotFoundError):
        sync_volume(str(tmp_path / "gone"))
