"""Copies of a registry: what is damaged in one is taken from another; one that is behind catches up."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from barnabas.errors import StorageError
from barnabas.runtime.files.disk import RealDisk
from barnabas.runtime.files.open_files import RealFile
from barnabas.runtime.registries.embedded import EmbeddedRegistry
from barnabas.runtime.registries.journal import read_journal
from barnabas.types import Buffer

NAMES = "abcdef"


@pytest.fixture
def disk() -> Iterator[RealDisk]:
    disk = RealDisk()
    yield disk
    disk.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "registry"


def copy_of(path: Path) -> Path:
    return path.with_name(path.name + ".copy")


def opened(disk: RealDisk, *paths: Path, repair: bool = False) -> EmbeddedRegistry:
    return EmbeddedRegistry(disk, *map(str, paths), repair=repair)


def names_in(disk: RealDisk, *paths: Path) -> str:
    registry = opened(disk, *paths)
    names = "".join(registry.children("/"))
    registry.close()
    return names


def written(disk: RealDisk, *paths: Path) -> bytes:
    """The bytes of a registry of six nodes."""
    registry = opened(disk, *paths)
    for name in NAMES:
        registry.create(f"/{name}", name.encode() * 10)
    registry.close()
    return paths[0].read_bytes()


def places_of(journal: bytes) -> list[int]:
    """Where the data of each node is."""
    return [journal.index(name.encode() * 10) for name in NAMES]


def damage(path: Path, *places: int) -> bytes:
    data = bytearray(path.read_bytes())
    for place in places:
        data[place] ^= 0x20
    path.write_bytes(data)
    return bytes(data)


def test_a_copy_beside_it_has_what_was_damaged_at_any_byte(disk: RealDisk, path: Path) -> None:
    journal = written(disk, path)
    for place in range(0, places_of(journal)[4], 17):
        damaged = damage(path, place)
        assert names_in(disk, path) == NAMES
        assert path.read_bytes() == copy_of(path).read_bytes() == journal
        kept = path.with_name("registry.old.1")
        assert kept.read_bytes() == damaged
        kept.unlink()


def test_each_has_what_the_other_has_lost(disk: RealDisk, path: Path) -> None:
    journal = written(disk, path)
    places = places_of(journal)
    damage(path, places[1], places[4])
    damage(copy_of(path), places[0], places[2])
    assert names_in(disk, path) == NAMES
    assert path.read_bytes() == copy_of(path).read_bytes() == journal


@pytest.mark.parametrize("gone", ["registry", "registry.copy"])
def test_one_that_was_removed_comes_back(disk: RealDisk, path: Path, gone: str) -> None:
    journal = written(disk, path)
    path.with_name(gone).unlink()
    assert names_in(disk, path) == NAMES
    assert path.read_bytes() == copy_of(path).read_bytes() == journal


@pytest.mark.parametrize("kind", ["directory", "dead link", "pipe"])
def test_one_that_cannot_be_read_is_named_when_something_is_to_change(
    disk: RealDisk, path: Path, kind: str
) -> None:
    """Its copy is served: what is there may come back, so nothing is written over it."""
    written(disk, path)
    path.unlink()
    match kind:
        case "directory":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case _:
            path.symlink_to("nowhere")
    registry = opened(disk, path)
    assert "".join(registry.children("/")) == NAMES
    with pytest.raises(StorageError, match=r"registry cannot be read, .* move it away"):
        registry.create("/g", b"")
    registry.close()
    path.rmdir() if kind == "directory" else path.unlink()
    assert names_in(disk, path) == NAMES


def test_one_that_is_another_kind_of_file_is_kept_beside(disk: RealDisk, path: Path) -> None:
    journal = written(disk, path)
    path.write_bytes(b"my notes")
    assert names_in(disk, path) == NAMES
    assert path.read_bytes() == journal
    assert path.with_name("registry.old.1").read_bytes() == b"my notes"


def test_what_no_copy_has_is_refused_and_given_up_on_demand(disk: RealDisk, path: Path) -> None:
    place = places_of(written(disk, path))[2]
    damaged = damage(path, place)
    damage(copy_of(path), place)
    with pytest.raises(StorageError, match=rf"`barnabas registry repair {path.parent}`"):
        opened(disk, path)
    assert path.read_bytes() == copy_of(path).read_bytes() == damaged
    repaired = opened(disk, path, repair=True)
    assert "".join(repaired.children("/")) == "abdef"
    repaired.close()
    assert path.with_name("registry.old.1").read_bytes() == damaged
    assert names_in(disk, path) == "abdef"


@pytest.mark.parametrize("whole", range(5))
@pytest.mark.parametrize("place", [0, 3, 8, 12, 30])
@pytest.mark.parametrize("rubbish", [b"?", b"\1"])
def test_all_behind_some_change_is_damaged(
    disk: RealDisk, path: Path, whole: int, place: int, rubbish: bytes
) -> None:
    """That is more than one change that was torn: it is not cut off in silence."""
    journal = written(disk, path)
    end = journal.index(b"\n") + 1 + (len(journal) - journal.index(b"\n") - 1) // 6 * whole
    place += end
    damaged = journal[:place] + rubbish * (len(journal) - place)
    path.write_bytes(damaged)
    assert names_in(disk, path) == NAMES
    assert path.read_bytes() == journal
    assert path.with_name("registry.old.1").read_bytes() == damaged
    for file in (path, copy_of(path)):
        file.write_bytes(damaged)
    with pytest.raises(StorageError, match=rf"damaged at byte {end}, .* registry repair"):
        opened(disk, path)
    assert path.read_bytes() == copy_of(path).read_bytes() == damaged
    repaired = opened(disk, path, repair=True)
    assert "".join(repaired.children("/")) == NAMES[:whole]
    repaired.close()
    assert path.with_name("registry.old.2").read_bytes() == damaged
    assert names_in(disk, path) == NAMES[:whole]


def test_a_last_change_that_is_torn_in_all_copies_is_reported(
    disk: RealDisk, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    torn = written(disk, path)[:-3]
    for file in (path, copy_of(path)):
        file.write_bytes(torn)
    assert names_in(disk, path) == NAMES[:-1]
    assert "registry was torn at its end: its old content is kept" in caplog.text
    assert path.with_name("registry.old.1").read_bytes() == torn


def test_what_is_below_a_node_that_was_lost_can_be_removed(disk: RealDisk, path: Path) -> None:
    registry = opened(disk, path)
    registry.create("/topics/lost", b"lost" * 10)
    registry.delete("/topics/lost")
    registry.create("/topics/there", b"")
    registry.close()
    for file in (path, copy_of(path)):
        damage(file, path.read_bytes().index(b"lost" * 10))
    repaired = opened(disk, path, repair=True)
    assert repaired.children("/topics") == ["there"]
    repaired.close()


def test_a_last_change_that_is_damaged_is_in_the_copy(disk: RealDisk, path: Path) -> None:
    journal = written(disk, path)
    damage(path, len(journal) - 3)
    assert names_in(disk, path) == NAMES
    assert path.read_bytes() == journal


def two_directories(tmp_path: Path) -> tuple[Path, Path]:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    return tmp_path / "first" / "registry", tmp_path / "second" / "registry"


def test_several_directories_have_it_each(disk: RealDisk, tmp_path: Path) -> None:
    first, second = two_directories(tmp_path)
    written(disk, first)
    registry = opened(disk, first, second)
    registry.spread([str(first), str(second)])
    registry.create("/g", b"")
    registry.close()
    assert first.read_bytes() == second.read_bytes()
    assert not copy_of(first).exists()
    first.unlink()
    assert names_in(disk, first, second) == NAMES + "g"


@pytest.mark.parametrize("cut", [0, 1])
@pytest.mark.parametrize("zeros", [0, 7, 500])
@pytest.mark.parametrize("changes", [1, 3, 6])
def test_one_that_was_cut_between_two_changes_is_made_whole_and_reported(
    disk: RealDisk,
    tmp_path: Path,
    cut: int,
    zeros: int,
    changes: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It has nothing wrong in it: only the other one shows that there was more."""
    files = two_directories(tmp_path)
    registry = opened(disk, *files)
    registry.spread([str(file) for file in files])
    for name in NAMES:
        registry.create(f"/{name}", name.encode() * 10)
    registry.close()
    journal = files[0].read_bytes()
    end = sorted(read_journal("", journal).frames)[-changes]
    files[cut].write_bytes(journal[:end] + bytes(zeros))
    assert names_in(disk, *files) == NAMES
    assert [record.message for record in caplog.records] == ["registry was cut short"]
    assert vars(caplog.records[0])["path"] == str(files[cut])
    assert vars(caplog.records[0])["bytes_from_copy"] == len(journal) - end
    assert files[0].read_bytes() == files[1].read_bytes() == journal
    caplog.clear()
    assert names_in(disk, *files) == NAMES
    assert not caplog.records


def test_one_that_was_away_is_the_older_one(disk: RealDisk, tmp_path: Path) -> None:
    first, second = two_directories(tmp_path)
    both = [str(first), str(second)]
    registry = opened(disk, first, second)
    registry.spread(both)
    registry.create("/a", b"x" * 100)
    registry.close()
    away = first.parent.rename(tmp_path / "away")
    alone = opened(disk, first, second)
    alone.spread([str(second)])
    alone.set("/b", b"")
    alone.delete("/a")
    alone.close()
    away.rename(first.parent)
    again = opened(disk, first, second)
    again.spread(both)
    assert again.children("/") == ["b"]
    again.close()
    assert first.read_bytes() == second.read_bytes()
    assert not list(tmp_path.rglob("*.old.*"))


def test_each_went_on_without_the_other_and_nothing_is_lost(
    disk: RealDisk, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = two_directories(tmp_path)
    registry = opened(disk, first, second)
    registry.spread([str(first), str(second)])
    registry.close()
    for one, other in ((first, second), (second, first)):
        away = other.parent.rename(tmp_path / "away")
        alone = opened(disk, first, second)
        alone.spread([str(one)])
        alone.create(f"/{one.parent.name}", b"")
        alone.close()
        away.rename(other.parent)
    again = opened(disk, first, second)
    assert again.children("/") == ["second"]
    again.close()
    assert b"/first" in first.with_name("registry.old.1").read_bytes()
    assert "registry was older than its copy" in caplog.text


class Broken(RealDisk):
    """A disk that refuses to change files whose path holds a word."""

    word = "nowhere"

    def _check(self, path: str) -> None:
        if self.word in path:
            raise StorageError(f"cannot write {path}")

    def open(self, path: str, *, create: bool = False) -> RealFile:
        self._check(path)
        return super().open(path, create=create)

    def replace_file(self, path: str, data: Buffer) -> None:
        self._check(path)
        super().replace_file(path, data)

    def write_file(self, path: str, data: Buffer) -> None:
        self._check(path)
        super().write_file(path, data)


@pytest.mark.parametrize("broken", ["first", "second"])
def test_one_that_cannot_be_written_catches_up_later(tmp_path: Path, broken: str) -> None:
    disk = Broken()
    first, second = tmp_path / "first", tmp_path / "second"
    registry = opened(disk, first, second)
    registry.spread([str(first), str(second)])
    registry.create("/a", b"")
    registry._copies._files[["first", "second"].index(broken)].close()
    disk.word = broken
    for name in "bc":
        registry.create(f"/{name}", b"")
    assert len(first.read_bytes()) != len(second.read_bytes())
    disk.word = "nowhere"
    registry.create("/d", b"")
    assert first.read_bytes() == second.read_bytes()
    registry.close()
    assert names_in(disk, first, second) == "abcd"


@pytest.mark.parametrize("word", ["registry", ".copy"])
def test_what_only_the_copy_would_have_is_not_there(path: Path, word: str) -> None:
    disk = Broken()
    registry = opened(disk, path)
    registry.create("/a", b"")
    registry.close()
    registry = opened(disk, path)
    disk.word = word

    def change() -> None:
        registry.create("/b", b"")

    if word == "registry":
        with pytest.raises(StorageError):
            change()
    else:
        change()
    registry.close()
    disk.word = "nowhere"
    assert names_in(disk, path) == ("a" if word == "registry" else "ab")
    assert path.read_bytes() == copy_of(path).read_bytes()
