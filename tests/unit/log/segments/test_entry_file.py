import struct
from bisect import bisect_right

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barnabas.log.segments import entry_file
from barnabas.log.segments.entry_file import EntryFile
from barnabas.log.segments.entry_layout import EntryLayout
from tests.memory_disk import MemoryDisk, MemoryFile

PATH = "/d/00000000000000000000.index"
NARROW = EntryLayout(wide=False)
WIDE = EntryLayout(wide=True)


@pytest.mark.parametrize(
    ("layout", "form", "entry"),
    [(NARROW, ">ii", (0x01020304, 5)), (WIDE, ">qi", (0x0102030405060708, 9))],
)
def test_entries_are_big_endian_in_the_file(
    layout: EntryLayout, form: str, entry: tuple[int, int]
) -> None:
    disk = MemoryDisk()
    entries = EntryFile(disk, PATH, layout)
    entries.append(*entry)
    entries.append(entry[0] + 1, 70_000)
    entries.flush()
    expected = struct.pack(form, *entry) + struct.pack(form, entry[0] + 1, 70_000)
    assert disk.read_file(PATH) == expected
    assert EntryFile(disk, PATH, layout).floor(entry[0], 0) == entry


growing = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=40)


@given(steps=growing, flushed=st.integers(0, 40), cut=st.integers(0, 130), wide=st.booleans())
def test_look_ups_agree_with_a_list(
    steps: list[tuple[int, int]], flushed: int, cut: int, *, wide: bool
) -> None:
    """In blocks of four entries, before and after a part is flushed and the end is cut off."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entry_file, "_BLOCK", 4)
        entries = EntryFile(MemoryDisk(), PATH, EntryLayout(wide=wide))
        expected = [(0, 0)]
        entries.append(0, 0)
        for number, (first, second) in enumerate(steps):
            expected.append((expected[-1][0] + first, expected[-1][1] + second))
            entries.append(*expected[-1])
            if number == flushed:
                entries.flush()
                assert_same(entries, expected)
        assert_same(entries, expected)
        entries.truncate(cut, 0)
        assert_same(entries, [entry for entry in expected if entry[0] < cut])
        entries.append(500, 500)
        entries.flush()
        assert entries.last() == entries.floor(1000, 1) == (500, 500)


def assert_same(entries: EntryFile, expected: list[tuple[int, int]]) -> None:
    assert len(entries) == len(expected)
    assert entries.last() == (expected[-1] if expected else None)
    for field in (0, 1):
        column = [entry[field] for entry in expected]
        for value in [*range(-1, 125), 3, 90, 17, 60]:
            found = bisect_right(column, value) - 1
            assert entries.floor(value, field) == (expected[found] if found >= 0 else None)


def test_who_reads_on_reads_blocks_of_the_file_and_not_entries() -> None:
    disk = CountingDisk()
    entries = EntryFile(disk, PATH, NARROW)
    for number in range(64):
        entries.append(number, number * 100)
    entries.flush()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entry_file, "_BLOCK", 16)
        for number in range(64):
            assert entries.floor(number, 0) == (number, number * 100)
    assert disk.reads <= 4 * 4


class CountingDisk(MemoryDisk):
    """Counts the reads of its files."""

    reads = 0

    def open(self, path: str, *, create: bool = False) -> MemoryFile:
        file = CountingFile(self)
        return self.files.setdefault(path, file) if create else super().open(path)


class CountingFile(MemoryFile):
    def __init__(self, disk: CountingDisk) -> None:
        super().__init__()
        self.disk = disk

    def read(self, position: int, count: int) -> bytes:
        self.disk.reads += 1
        return super().read(position, count)
