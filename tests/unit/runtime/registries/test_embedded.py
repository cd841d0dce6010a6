import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from queue import Queue
from typing import cast

import pytest

from barnabas.errors import RegistryConflict, StorageError
from barnabas.ports import File, Registry
from barnabas.runtime.files.disk import RealDisk
from barnabas.runtime.files.open_files import RealFile
from barnabas.runtime.registries.embedded import EmbeddedRegistry
from barnabas.types import Buffer
from tests import registry_scenarios

SECONDS = 10.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "registry"


@pytest.fixture
def disk() -> Iterator[RealDisk]:
    disk = RealDisk()
    yield disk
    disk.close()


def reopened(disk: RealDisk, path: Path) -> EmbeddedRegistry:
    return EmbeddedRegistry(disk, str(path))


def without_copy(path: Path) -> None:
    path.with_name(path.name + ".copy").unlink()


def state(registry: EmbeddedRegistry, path: str = "") -> dict[str, tuple[bytes, int] | None]:
    found = {path: registry.get(path)} if path else {}
    for name in registry.children(path or "/"):
        found |= state(registry, f"{path}/{name}")
    return found


@pytest.mark.parametrize("scenario", registry_scenarios.STORES, ids=lambda each: each.__name__)
def test_it_does_what_every_registry_does(
    scenario: Callable[[Registry], None], disk: RealDisk, path: Path
) -> None:
    registry = reopened(disk, path)
    scenario(registry)
    registry.close()


def test_everything_is_there_again_after_opening(disk: RealDisk, path: Path) -> None:
    registry = reopened(disk, path)
    registry.create("/brokers/topics/hund-ü", b"\0\xff")
    registry.set("/brokers/topics/hund-ü", b"x" * 70_000)
    registry.create("/gone/with/it", b"")
    registry.delete("/gone")
    before = state(registry)
    registry.close()
    again = reopened(disk, path)
    assert state(again) == before
    again.close()


@pytest.mark.parametrize("zeros", [0, 4096])
def test_a_last_change_torn_at_any_byte_is_cut_off(disk: RealDisk, path: Path, zeros: int) -> None:
    registry = reopened(disk, path)
    registry.create("/a", b"1")
    whole = path.stat().st_size
    before = state(registry)
    registry.create("/b/c", b"2" * 20)
    registry.close()
    journal = path.read_bytes()
    for size in range(whole, len(journal)):
        path.write_bytes(journal[:size] + b"\0" * zeros)
        without_copy(path)
        torn = reopened(disk, path)
        assert state(torn) == before
        assert path.stat().st_size == whole
        torn.set("/a", b"9")
        torn.close()
        again = reopened(disk, path)
        assert state(again) == {"/a": (b"9", 1)}
        again.close()


def test_damage_before_the_last_change_is_refused(disk: RealDisk, path: Path) -> None:
    registry = reopened(disk, path)
    for name in "abc":
        registry.create(f"/{name}", b"1" * 10)
    registry.close()
    journal = path.read_bytes()
    first_frame = journal.index(b"\n") + 1
    last_frame = len(journal) - (len(journal) - first_frame) // 3
    damaged = bytearray()
    for position in range(first_frame, last_frame):
        damaged = bytearray(journal)
        damaged[position] ^= 0x41
        path.write_bytes(damaged)
        path.with_name("registry.copy").write_bytes(damaged)
        with pytest.raises(StorageError, match="is damaged at byte"):
            reopened(disk, path)
    assert path.read_bytes() == damaged


def test_another_kind_of_file_is_refused(disk: RealDisk, path: Path) -> None:
    path.write_bytes(b"something else")
    with pytest.raises(StorageError, match="has nothing of a registry"):
        reopened(disk, path)


def test_history_is_dropped_when_it_outweighs_the_rest(disk: RealDisk, path: Path) -> None:
    registry = reopened(disk, path)
    registry.create("/kept", b"k")
    for turn in range(300):
        registry.set("/counter", turn.to_bytes(2) * 500)
    assert path.stat().st_size < 150_000
    assert path.read_bytes() == path.with_name("registry.copy").read_bytes()
    assert state(registry) == {"/kept": (b"k", 0), "/counter": ((299).to_bytes(2) * 500, 299)}
    before = state(registry)
    registry.close()
    again = reopened(disk, path)
    assert state(again) == before
    again.close()


class FailingFile:
    """A file whose next write leaves half of it behind and fails."""

    def __init__(self, file: File) -> None:
        self.file = file
        self.fails = False

    def write(self, position: int, buffers: Sequence[Buffer]) -> None:
        if self.fails:
            data = b"".join(buffers)
            self.file.write(position, [data[: len(data) // 2]])
            raise StorageError("the disk is full")
        self.file.write(position, buffers)

    def __getattr__(self, name: str) -> object:
        return getattr(self.file, name)


def test_a_failed_write_has_changed_nothing(disk: RealDisk, path: Path) -> None:
    registry = reopened(disk, path)
    registry.create("/a", b"1")
    counts = registry._copies._files[0]
    file = FailingFile(cast("File", counts._file))
    counts._file = file  # type: ignore[assignment]
    file.fails = True
    with pytest.raises(StorageError, match="full"):
        registry.create("/long/path/with/much", b"data" * 100)
    assert state(registry) == {"/a": (b"1", 0)}
    file.fails = False
    registry.create("/b", b"2")
    before = state(registry)
    registry.close()
    again = reopened(disk, path)
    assert state(again) == before == {"/a": (b"1", 0), "/b": (b"2", 0)}
    again.close()


class Failing(RealDisk):
    """A disk on which nothing can be opened, replaced, written, cut or synced for a while."""

    fails = False

    def _check(self) -> None:
        if self.fails:
            raise StorageError("Too many open files")

    def open(self, path: str, *, create: bool = False) -> RealFile:
        self._check()
        file = super().open(path, create=create)
        return cast("RealFile", FailingEverywhere(file, self))

    def replace_file(self, path: str, data: Buffer) -> None:
        self._check()
        super().replace_file(path, data)


class FailingEverywhere:
    def __init__(self, file: RealFile, disk: Failing) -> None:
        self._file = file
        self._disk = disk

    def __getattr__(self, name: str) -> object:
        if name != "close":
            self._disk._check()
        return getattr(self._file, name)


def test_it_is_written_again_once_the_disk_works_again(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    disk = Failing()
    registry = EmbeddedRegistry(disk, str(path))
    registry.create("/a", b"1")
    disk.fails = True
    for _ in range(3):
        with pytest.raises(StorageError, match="Too many"):
            registry.create("/b", b"2")
    disk.fails = False
    registry.create("/c", b"3")
    registry.close()
    assert [(each.levelname, each.message) for each in caplog.records] == [
        ("ERROR", "registry cannot be written"),
        ("WARNING", "registry can be written again"),
    ]
    again = reopened(disk, path)
    assert state(again) == {"/a": (b"1", 0), "/c": (b"3", 0)}
    again.close()


def test_a_journal_that_cannot_be_rewritten_is_gone_on_with(path: Path) -> None:
    class Unreplaced(RealDisk):
        after = False

        def replace_file(self, path: str, data: Buffer) -> None:
            if self.after or len(data) < 100:
                super().replace_file(path, data)
            if len(data) > 100:
                raise StorageError("its directory cannot be synced")

    disk = Unreplaced()
    registry = EmbeddedRegistry(disk, str(path))
    for turn in range(300):
        # Now the failure comes before the new journal is there, now after.
        disk.after = bool(turn % 2)
        registry.set("/counter", turn.to_bytes(2) * 500)
    before = state(registry)
    assert before == {"/counter": ((299).to_bytes(2) * 500, 299)}
    registry.close()
    again = reopened(disk, path)
    assert state(again) == before
    again.close()


class Held(RealDisk):
    """A disk on which a rewritten file waits for the test."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.released = threading.Event(), threading.Event()

    def replace_file(self, path: str, data: Buffer) -> None:
        self.begun.set()
        assert self.released.wait(SECONDS)
        super().replace_file(path, data)


def test_a_change_that_is_being_synced_waits_on_a_thread_and_others_read(path: Path) -> None:
    disk, due = Held(), Queue[Callable[[], None]]()
    disk.released.set()
    registry = EmbeddedRegistry(disk, str(path), hand_over=due.put)
    registry.create("/topics/before", b"")
    disk.begun.clear()
    disk.released.clear()
    outcomes: list[object] = []
    big = b"x" * (1 << 17)

    def grow() -> int:
        return max(registry.set("/topics/big", big) for _ in range(9))

    registry.later(grow, outcomes.append)
    registry.later(lambda: registry.create("/topics/big", b""), outcomes.append)
    registry.later(lambda: registry.create("/topics/after", b""), outcomes.append)
    assert disk.begun.wait(SECONDS)
    assert registry.get("/topics/before") == (b"", 0)
    assert "after" not in registry.children("/topics")
    assert (outcomes, due.empty()) == ([], True)
    disk.released.set()
    for _ in range(3):
        due.get(timeout=SECONDS)()
    assert (outcomes[0], type(outcomes[1]), outcomes[2]) == (8, RegistryConflict, None)
    registry.close()
    again = reopened(disk, path)
    assert again.children("/topics") == ["after", "before", "big"]
    again.close()
    disk.close()


def test_a_close_waits_for_the_change_that_is_being_written_and_begins_no_other(path: Path) -> None:
    disk, due = RealDisk(), Queue[Callable[[], None]]()
    registry = EmbeddedRegistry(disk, str(path), hand_over=due.put)
    begun, released = threading.Event(), threading.Event()

    def two_changes() -> None:
        registry.create("/first", b"")
        begun.set()
        assert released.wait(SECONDS)
        registry.create("/second", b"")

    outcomes: list[object] = []
    registry.later(two_changes, outcomes.append)
    assert begun.wait(SECONDS)
    registry.close()
    released.set()
    due.get(timeout=SECONDS)()
    assert isinstance(outcomes[0], StorageError)
    again = reopened(disk, path)
    assert again.children("/") == ["first"]
    again.close()
    disk.close()
