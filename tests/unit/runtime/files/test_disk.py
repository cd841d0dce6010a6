import errno
import os
import threading
from pathlib import Path

import pytest

from barnabas.errors import StorageError
from barnabas.runtime.files.disk import RealDisk
from barnabas.runtime.files.sync_threads import THREADS


def test_what_is_written_in_pieces_is_read_back_whole(tmp_path: Path) -> None:
    file = RealDisk().open(str(tmp_path / "log"), create=True)
    file.write(3, [b"abc", bytearray(b"def"), memoryview(b"xghi")[1:]])
    target = bytearray(20)
    assert file.size() == 12
    assert file.read(3, 100) == b"abcdefghi"
    assert file.read_into(6, memoryview(target)) == 6
    assert target[:6] == b"defghi"


def test_more_buffers_than_one_call_takes_are_all_written(tmp_path: Path) -> None:
    file = RealDisk().open(str(tmp_path / "log"), create=True)
    file.write(0, [bytes([i % 251]) for i in range(3000)])
    assert file.read(0, 4000) == bytes(i % 251 for i in range(3000))


@pytest.mark.parametrize("taken", [0, 1, 3, 4, 7])
def test_a_short_write_is_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: int
) -> None:
    def short(descriptor: int, buffers: list[bytes], position: int) -> int:
        return os.pwrite(descriptor, b"".join(buffers)[:taken], position)

    monkeypatch.setattr(os, "pwritev", short)
    file = RealDisk().open(str(tmp_path / "log"), create=True)
    file.write(2, [b"abc", b"d", b"efgh"])
    assert file.read(2, 100) == b"abcdefgh"


def test_a_full_disk_is_a_storage_error_that_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwritev", full)
    file = RealDisk().open(str(tmp_path / "log"), create=True)
    with pytest.raises(StorageError, match=r"log: No space left"):
        file.write(0, [b"x"])


def test_few_descriptors_serve_many_files(tmp_path: Path) -> None:
    disk = RealDisk(most_open_files=3)
    files = [disk.open(str(tmp_path / str(i)), create=True) for i in range(10)]
    for i, file in enumerate(files):
        file.write(0, [str(i).encode()])
        assert sum(f.is_open for f in files) <= 3
    assert [file.read(0, 10) for file in files] == [str(i).encode() for i in range(10)]


def test_a_file_given_up_is_found_again_after_its_directory_was_renamed(tmp_path: Path) -> None:
    disk = RealDisk(most_open_files=1)
    disk.make_directory(str(tmp_path / "t-0"))
    file = disk.open(str(tmp_path / "t-0" / "log"), create=True)
    file.write(0, [b"here"])
    disk.open(str(tmp_path / "other"), create=True)
    disk.open(str(tmp_path / "another"), create=True)
    assert not file.is_open
    disk.rename(str(tmp_path / "t-0"), str(tmp_path / "t-0.x-delete"))
    assert file.read(0, 10) == b"here"


def test_all_files_of_one_name_follow_it_and_those_of_others_stay(tmp_path: Path) -> None:
    disk = RealDisk()
    path, target, other = (str(tmp_path / name) for name in ("log", "moved", "other"))
    first, second = disk.open(path, create=True), disk.open(path)
    beside = disk.open(other, create=True)
    disk.rename(path, target)
    assert [one.path for one in (first, second, beside)] == [target, target, other]
    disk.remove(target)
    again = disk.open(target, create=True)
    disk.rename(target, path)
    assert [one.path for one in (first, again)] == [target, path]


def test_a_directory_goes_some_files_at_a_time_and_a_link_alone(tmp_path: Path) -> None:
    disk = RealDisk()
    folder, link = tmp_path / "folder", tmp_path / "link"
    disk.make_directory(str(folder))
    for number in range(5):
        disk.write_file(str(folder / f"{number}"), b"")
    link.symlink_to(folder)
    assert disk.remove_part(str(link), 2)
    assert len(list(folder.iterdir())) == 5
    left = []
    while not disk.remove_part(str(folder), 2):
        left.append(len(list(folder.iterdir())))
    assert left == [3, 1]
    assert not folder.exists()
    assert disk.remove_part(str(folder), 2)


def test_a_closed_file_is_not_opened_again(tmp_path: Path) -> None:
    file = RealDisk().open(str(tmp_path / "log"), create=True)
    file.close()
    file.close()
    with pytest.raises(StorageError, match="closed"):
        file.read(0, 1)


def test_a_small_file_that_has_become_gigantic_is_refused_before_it_is_in_memory(
    tmp_path: Path,
) -> None:
    path = tmp_path / "recovery-point-offset-checkpoint"
    path.touch()
    os.truncate(path, 1 << 40)
    with pytest.raises(StorageError, match=r"it has 1099511627776 bytes, .* at most 268435456"):
        RealDisk().read_file(str(path))


def test_a_pipe_in_the_place_of_a_file_is_refused_at_once(tmp_path: Path) -> None:
    """To open one waits until somebody opens its other end, which may be never."""
    path = tmp_path / "meta.properties"
    os.mkfifo(path)
    with pytest.raises(StorageError, match=r"meta\.properties: it is a pipe or a device"):
        RealDisk().read_file(str(path))
    with pytest.raises(StorageError, match="it is a pipe or a device"):
        RealDisk().open(str(path))


def test_replace_file_leaves_nothing_beside_it(tmp_path: Path) -> None:
    disk = RealDisk()
    disk.replace_file(str(tmp_path / "checkpoint"), b"1")
    disk.replace_file(str(tmp_path / "checkpoint"), b"22")
    assert disk.read_file(str(tmp_path / "checkpoint")) == b"22"
    assert disk.list(str(tmp_path)) == ["checkpoint"]


def test_a_second_holder_of_a_lock_is_refused(tmp_path: Path) -> None:
    path = str(tmp_path / ".lock")
    with (
        RealDisk().lock(path),
        pytest.raises(StorageError, match="another process holds"),
        RealDisk().lock(path),
    ):
        pass
    with RealDisk().lock(path):
        assert Path(path).exists()


def test_a_background_sync_ends_and_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = RealDisk()
    file = disk.open(str(tmp_path / "log"), create=True)
    sync = disk.begin_sync([file], [str(tmp_path), str(tmp_path / "gone")])
    file.close()
    sync.wait()
    assert sync.poll()

    def broken(_descriptor: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fdatasync", broken)
    failing = disk.begin_sync([disk.open(str(tmp_path / "log"))])
    with pytest.raises(StorageError, match="cannot sync"):
        failing.wait()
    disk.close()


def taken(below: Path) -> int:
    """How many descriptors this process has of files below a directory."""
    links = list(Path("/proc/self/fd").iterdir())
    return sum(os.path.realpath(link).startswith(f"{below}/") for link in links)


def test_syncs_that_wait_hold_no_descriptors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_go_on = threading.Event()
    synced = list[int]()

    def slow(descriptor: int) -> None:
        may_go_on.wait(30)
        synced.append(descriptor)

    monkeypatch.setattr(os, "fdatasync", slow)
    disk = RealDisk(most_open_files=2)
    files = [disk.open(str(tmp_path / str(i)), create=True) for i in range(100)]
    syncs = [disk.begin_sync([file]) for file in files]
    assert 2 <= taken(tmp_path) <= 2 + THREADS
    files[98].close()
    disk.remove(str(tmp_path / "98"))
    disk.remove(str(tmp_path / "99"))
    disk.rename(str(tmp_path / "97"), str(tmp_path / "else"))
    may_go_on.set()
    for sync in syncs[:99]:
        sync.wait()
    assert len(synced) == 98  # one was closed and is gone: there is nothing of it to sync
    with pytest.raises(StorageError, match="cannot sync .*99: No such file"):
        syncs[99].wait()
    disk.close()


def lowest_free() -> int:
    """The next descriptor that the system would give."""
    descriptor = os.open(os.devnull, os.O_RDONLY)
    os.close(descriptor)
    return descriptor


def test_the_last_descriptors_are_kept_by_no_file(tmp_path: Path) -> None:
    disk = RealDisk(most_open_files=100)
    # The next descriptors need not be neighbours: three free ones are to be below the reserved ones.
    next_free = [os.open(os.devnull, os.O_RDONLY) for _ in range(4)]
    disk._files.first_reserved = reserved = next_free[-1]
    for descriptor in next_free:
        os.close(descriptor)
    files = [disk.open(str(tmp_path / str(i)), create=True) for i in range(20)]
    for i, file in enumerate(files):
        file.write(0, [str(i).encode()])
        assert file.fileno() < reserved
        assert lowest_free() <= reserved
    assert [file.read(0, 10) for file in files] == [str(i).encode() for i in range(20)]
    for file in files:
        file.close()


def test_where_descriptors_run_out_the_error_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left(*_arguments: object) -> int:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    disk = RealDisk()
    file = disk.open(str(tmp_path / "log"), create=True)
    file.write(0, [b"here"])
    file.evict()
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", none_left)
        with pytest.raises(StorageError, match="log again: Too many open files: .* `ulimit -n`"):
            file.read(0, 4)
    assert file.read(0, 4) == b"here"


def test_a_directory_is_removed_with_what_is_in_it(tmp_path: Path) -> None:
    disk = RealDisk()
    disk.make_directory(str(tmp_path / "a" / "b"))
    disk.write_file(str(tmp_path / "a" / "b" / "c"), b"1")
    disk.remove(str(tmp_path / "a"))
    disk.remove(str(tmp_path / "a"))
    assert not disk.exists(str(tmp_path / "a"))
