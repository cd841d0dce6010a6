"""ReadOnlyDisk: reads as the real disk does and changes nothing."""

import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from barnabas.errors import StorageError
from barnabas.runtime.files.read_only import ReadOnlyDisk


@pytest.fixture
def path(tmp_path: Path) -> str:
    file = tmp_path / "file"
    file.write_bytes(b"0123456789")
    file.chmod(stat.S_IRUSR)
    return str(file)


def test_reading(path: str, tmp_path: Path) -> None:
    disk = ReadOnlyDisk()
    assert disk.list(str(tmp_path)) == ["file"]
    assert (disk.exists(path), disk.exists(path + "x")) == (True, False)
    assert (disk.size(path), disk.read_file(path)) == (10, b"0123456789")
    assert disk.modified_ms(path) == Path(path).stat().st_mtime_ns // 1_000_000
    assert disk.space(path)[1] == 0
    file = disk.open(path, create=True)
    target = bytearray(4)
    assert (file.size(), file.read(8, 5), file.read_into(2, memoryview(target))) == (10, b"89", 4)
    assert target == b"2345"
    file.sync()
    file.close()
    file.close()


def test_nothing_is_changed(path: str, tmp_path: Path) -> None:
    disk = ReadOnlyDisk()
    file = disk.open(path)
    other = str(tmp_path / "other")
    changes: list[Callable[[], object]] = [
        lambda: file.write(0, [b"x"]),
        lambda: file.truncate(0),
        lambda: disk.make_directory(other),
        lambda: disk.set_modified_ms(path, 0),
        lambda: disk.write_file(other, b"x"),
        lambda: disk.replace_file(path, b"x"),
        lambda: disk.rename(path, other),
        lambda: disk.remove(path),
        lambda: disk.begin_sync([file]),
        lambda: disk.lock(path),
    ]
    for change in changes:
        with pytest.raises(StorageError, match="only read"):
            change()
    disk.sync_directory(str(tmp_path))
    file.close()
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
    assert Path(path).read_bytes() == b"0123456789"


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    disk, missing = ReadOnlyDisk(), str(tmp_path / "missing")
    reads: list[Callable[[str], object]] = [disk.open, disk.list, disk.size, disk.read_file]
    for read in reads:
        with pytest.raises(StorageError, match=missing):
            read(missing)
