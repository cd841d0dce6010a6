"""The map in its file: what is kept, what a torn line does, whose it is."""

import json

import pytest

from barnabas.migration.errors import MigrationStopped
from barnabas.migration.offset_map import BatchProducer, MappedBlock, OffsetMap
from barnabas.migration.payload_sum import PayloadSum
from tests.memory_disk import MemoryFile

HEAD = {"topic": "dogs", "places": ["0-0", "2-1"]}
FIRST = MappedBlock(0, 100, 300, 0, PayloadSum(7, 1, 2))
GAP = MappedBlock(0, 300, 320, 7, PayloadSum(), "damaged")
LAST = MappedBlock(0, 320, 400, 7, PayloadSum(3, 3, 4))
OTHER = MappedBlock(1, 0, 50, 0, PayloadSum(1, 5, 6))


@pytest.fixture
def file() -> MemoryFile:
    made = MemoryFile()
    offsets = OffsetMap(made, HEAD)
    offsets.write_as(BatchProducer(4000, 0))
    for block in (FIRST, OTHER, GAP, LAST):
        offsets.add(block)
    return made


def test_it_is_lines_of_json(file: MemoryFile) -> None:
    rows = [json.loads(line) for line in bytes(file.now).splitlines()]
    assert rows[0] == {"barnabas_migration": 1, **HEAD}
    assert rows[1] == {"producer_id": 4000, "epoch": 0}
    assert rows[2] == {
        "partition": 0, "start": 100, "end": 300, "offset": 0, "count": 7,
        "data_crc32c": 1, "lengths_crc32c": 2,
    }  # fmt: skip
    assert rows[4] == {
        "partition": 0, "start": 300, "end": 320, "offset": 7, "count": 0, "left_out": "damaged",
    }  # fmt: skip


def test_a_torn_line_is_written_over(file: MemoryFile) -> None:
    file.truncate(len(file.now) - 1)
    again = OffsetMap(file, HEAD)
    assert again.blocks(0) == [FIRST, GAP]
    assert again.producer == (4000, 0)
    again.add(LAST)
    assert OffsetMap(file, HEAD).blocks(0) == [FIRST, GAP, LAST]
    assert OffsetMap(file, HEAD).blocks(1) == [OTHER]


def test_a_block_replaces_those_from_its_start_on(file: MemoryFile) -> None:
    offsets = OffsetMap(file, HEAD)
    offsets.forget_behind(0, 9)
    assert offsets.blocks(0) == [FIRST, GAP]
    offsets.add(larger := MappedBlock(0, 300, 500, 7, PayloadSum(30, 3, 4)))
    assert OffsetMap(file, HEAD).blocks(0) == [FIRST, larger]
    offsets.forget_behind(0, 0)
    assert offsets.blocks(0) == []


def test_the_block_of_a_byte(file: MemoryFile) -> None:
    offsets = OffsetMap(file, HEAD)
    found = [offsets.find(0, byte) for byte in (99, 100, 299, 300, 330, 1000)]
    assert found == [None, FIRST, FIRST, GAP, LAST, LAST]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b'{"barnabas_migration":1,"topic":"cats","places":[]}\n', "its topic is cats"),
        (b'{"a":1}\n', "is not a migration map"),
        (b"[]\n", "line 1 of the map"),
        (b"hello\n", "line 1 of the map"),
    ],
)
def test_what_is_not_ours_is_refused(content: bytes, why: str) -> None:
    file = MemoryFile()
    file.write(0, [content])
    with pytest.raises(MigrationStopped, match=why):
        OffsetMap(file, HEAD)


@pytest.mark.parametrize("line", [b"{}", b'{"producer_id":"x","epoch":0}', b"nonsense"])
def test_a_damaged_line_is_named(file: MemoryFile, line: bytes) -> None:
    file.write(len(file.now), [line, b"\n"])
    with pytest.raises(MigrationStopped, match="line 7 of the map is invalid"):
        OffsetMap(file, HEAD)
