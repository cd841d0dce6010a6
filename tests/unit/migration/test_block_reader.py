"""What is read of the source in pieces, and what of it is left out."""

import pytest

from barnabas.migration.block_reader import BlockReader
from barnabas.migration.errors import MigrationStopped
from barnabas.records.codecs.compression import Codec
from barnabas.records.messages07.message07 import encode_message
from tests.migration_peers import PLACE, MemorySource, values_of
from tests.wires.golden07 import M0, M1

pytestmark = pytest.mark.kernels

BAD = M1[:-1] + b"!"


def read(source: MemorySource, *, skip: bool = True, size: int = 40) -> list[tuple[int, int, str]]:
    reader = BlockReader(source, PLACE, skip=skip, size=size)
    at, until = source.bounds(PLACE)
    found = []
    while at < until:
        block = reader.block(at, until)
        values = values_of(block.messages.payloads())
        found.append((block.start, block.end, block.left_out or b",".join(values).decode()))
        at = block.end
    return found


def test_blocks_are_whole_messages_of_one_segment() -> None:
    source = MemorySource({100: M1 * 4, 160: M0})
    assert read(source) == [
        (100, 130, "hello,hello"),
        (130, 160, "hello,hello"),
        (160, 174, "hello"),
    ]


def test_a_message_larger_than_a_block_is_one_block() -> None:
    source = MemorySource.of_sets(([b"x" * 1000], 1, Codec.NONE))
    assert [(start, end) for start, end, _ in read(source)] == [(0, 1010)]


def test_damage_is_named_and_ends_it() -> None:
    source = MemorySource({0: M1 + BAD + M1})
    with pytest.raises(MigrationStopped, match=r"0-0 of the source at byte 15: .* CRC .* up to 30"):
        read(source, skip=False)


def test_a_damaged_message_is_left_out_alone_where_its_length_is_right() -> None:
    source = MemorySource({0: M1 + BAD + M1, 45: BAD, 60: M1})
    ends = [(start, end, "CRC" in what) for start, end, what in read(source)]
    assert ends == [
        (0, 15, False),
        (15, 30, True),
        (30, 45, False),
        (45, 60, True),
        (60, 75, False),
    ]


@pytest.mark.parametrize(
    "broken",
    [
        bytes(4) + M1,
        b"\xff" * 20 + M1,
        M1[:3] + b"\x05" + M1[4:] + M1,
        encode_message(b"x" * 20)[:-1],
        b"\0\0",
    ],
    ids=["no length", "negative", "wrong length", "cut off", "not even a length"],
)
def test_what_has_no_end_is_left_out_up_to_the_next_segment(broken: bytes) -> None:
    size = len(M1 + broken)
    source = MemorySource({0: M1 + broken, size: M0})
    rows = read(source)
    assert [row[:2] for row in rows] == [(0, 15), (15, size), (size, size + 14)]


def test_what_was_deleted_is_a_gap() -> None:
    source = MemorySource({0: M1, 90: M1})
    assert [(start, end) for start, end, _ in read(source)] == [(0, 15), (15, 90), (90, 105)]
    with pytest.raises(MigrationStopped, match="at byte 15: there is nothing"):
        read(source, skip=False)


def test_messages_before_a_byte_are_counted_with_those_in_compressed_ones() -> None:
    source = MemorySource.of_sets(
        ([b"a", b"b"], 1, Codec.NONE), ([b"c"] * 5, 1, Codec.GZIP), ([b"d"], 0, Codec.NONE)
    )
    reader = BlockReader(source, PLACE, skip=False)
    packed, last = sorted(source.segments)[1:]
    counts = [reader.count_between(0, end) for end in (0, 10, 11, 22, packed, last - 1, last)]
    assert counts == [0, 0, 1, 2, 2, 2, 7]
