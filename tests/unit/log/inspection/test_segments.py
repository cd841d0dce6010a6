"""What is wrong with a segment or an index is found, at its place, and nothing else is."""

import struct
from collections.abc import Iterable

import pytest

from barnabas.log.inspection.segments import (
    InspectedBatch,
    InspectedEntry,
    SegmentFault,
    examine,
    examine_offset_index,
    examine_time_index,
)
from barnabas.records.codecs.compression import Codec
from tests.message_sets import message, wrapper
from tests.record_batches import make_batch, make_marker, seal

pytestmark = pytest.mark.kernels

BATCHES = [
    make_batch(3, base_offset=10, timestamp=1000, step=5),
    make_batch(2, base_offset=13, timestamp=900),
    make_batch(1, base_offset=20, timestamp=2000),
]
SIZES = [len(batch) for batch in BATCHES]


def examined(*parts: bytes | bytearray, base: int = 10) -> list[InspectedBatch | SegmentFault]:
    return list(examine(memoryview(b"".join(parts)), base))


def faults(found: Iterable[InspectedBatch | SegmentFault]) -> list[tuple[int, str]]:
    listed = []
    for each in found:
        if isinstance(each, SegmentFault):
            listed.append((each.position, each.text))
        else:
            listed += [(each.header.position, text) for text in each.faults]
    return listed


def only_batches() -> list[InspectedBatch]:
    return [found for found in examined(*BATCHES) if isinstance(found, InspectedBatch)]


def test_a_sound_segment_has_no_fault() -> None:
    old = wrapper(25, [message(at, None, b"v") for at in (22, 25)], Codec.LZ4)
    marker = make_marker(3, 0, commit=True)
    marker[:8] = (26).to_bytes(8)
    found = examined(*BATCHES, old, marker, message(27, b"k", None, timestamp=4))
    assert faults(found) == []
    assert [each.records for each in found if isinstance(each, InspectedBatch)] == [
        3,
        2,
        1,
        2,
        0,
        1,
    ]
    assert [each.first_offset for each in found if isinstance(each, InspectedBatch)] == [
        *(10, 13, 20, 22, 26, 27)
    ]


def test_a_wrong_crc_is_named_and_what_follows_is_read_on() -> None:
    spoiled = bytearray(BATCHES[1])
    spoiled[-1] ^= 1
    found = examined(BATCHES[0], spoiled, BATCHES[2])
    assert faults(found) == [(SIZES[0], "its CRC is wrong")]
    assert len(found) == 3


@pytest.mark.parametrize(
    ("tail", "words"),
    [
        (b"\x00" * 10, "10 bytes at the end are no whole batch"),
        (bytes(BATCHES[2][:50]), "50 bytes at the end are no whole batch"),
        (bytes(BATCHES[2][:-1]), f"a batch of {SIZES[2]} bytes, of which {SIZES[2] - 1} are there"),
        (b"\x00" * 100, "no batch: batch.length at byte"),
        (b"\x07" * 100, "no batch: batch.magic at byte"),
    ],
)
def test_an_end_that_is_no_batch(tail: bytes, words: str) -> None:
    ((position, text),) = faults(examined(BATCHES[0], tail))
    assert position == SIZES[0]
    assert text.startswith(words)


def test_offsets_that_go_back() -> None:
    ((position, text),) = faults(examined(BATCHES[0], BATCHES[0]))
    assert (position, text) == (
        SIZES[0],
        "its first offset is 10, where 13 is the lowest there can be",
    )
    assert "where 11 is the lowest" in faults(examined(BATCHES[0], base=11))[0][1]
    inside = wrapper(25, [message(at, None, b"v") for at in (24, 24)], Codec.GZIP)
    assert [text for _, text in faults(examined(inside))] == ["its offsets do not grow"]


def changed(at: int, value: int, size: int) -> bytearray:
    batch = bytearray(BATCHES[0])
    batch[at : at + size] = value.to_bytes(size)
    seal(batch)
    return batch


@pytest.mark.parametrize(
    ("batch", "words"),
    [
        (changed(35, 7000, 8), "its greatest timestamp is 1010, and it states 7000"),
        (changed(57, 4, 4), "more records than it has bytes for"),
        (changed(23, 1, 4), "a record has offset 12, behind its last one, 11"),
        (message(10, None, b"junk", attributes=1), "not gzip"),
    ],
)
def test_a_batch_that_is_not_what_it_says(batch: bytes, words: str) -> None:
    ((position, text),) = faults(examined(batch))
    assert position == 0
    assert words in text


def index(*entries: tuple[int, int]) -> memoryview:
    return memoryview(b"".join(struct.pack(">ii", *entry) for entry in entries))


def times(*entries: tuple[int, int]) -> memoryview:
    return memoryview(b"".join(struct.pack(">qi", *entry) for entry in entries))


def wrong(found: Iterable[InspectedEntry | SegmentFault]) -> list[tuple[int, str]]:
    return [
        (each.position, each.text if isinstance(each, SegmentFault) else each.fault)
        for each in found
        if isinstance(each, SegmentFault) or each.fault
    ]


@pytest.mark.parametrize("offset", [0, 2])
def test_an_offset_index_may_have_first_or_last_offsets(offset: int) -> None:
    data = index((offset, 0), (10, SIZES[0] + SIZES[1]))
    entries = list(examine_offset_index(data, 10, only_batches()))
    assert entries == [
        InspectedEntry(0, 10 + offset, 0),
        InspectedEntry(8, 20, SIZES[0] + SIZES[1]),
    ]


def test_an_entry_of_kafkas_cleaner_is_for_all_batches_that_it_wrote_at_once() -> None:
    for entries in ([(10, 0)], [(4, 0), (10, SIZES[0] + SIZES[1])], [(4, 0), (10, SIZES[0])]):
        assert wrong(examine_offset_index(index(*entries), 10, only_batches())) == []
    assert wrong(examine_offset_index(index((5, 0), (9, 0), (11, 0)), 10, only_batches())) == [
        (0, "the batch there has 10 to 12"),
        (8, "the batch there has 10 to 12"),
        (16, "the batch there has 10 to 12"),
    ]
    assert wrong(examine_offset_index(index((4, 0), (10, 0)), 10, only_batches())) == [
        (8, "it comes behind the one at 0")
    ]


def test_zeros_behind_the_entries_are_room() -> None:
    assert list(examine_offset_index(index((0, 0), (0, 0), (0, 0)), 10, only_batches())) == []
    some = index((4, SIZES[0]), (0, 0), (0, 0))
    assert list(examine_offset_index(some, 10, only_batches())) == [InspectedEntry(0, 14, SIZES[0])]


def test_an_offset_index_that_leads_astray() -> None:
    data = index((2, 3), (2, SIZES[0]), (4, SIZES[0]), (4, SIZES[0]), (10, 99999))
    assert wrong(examine_offset_index(data, 10, only_batches())) == [
        (0, "no batch starts there"),
        (8, "the batch there has 13 to 14"),
        (24, "it comes behind the one of 14"),
        (32, "no batch starts there"),
    ]
    assert wrong(examine_offset_index(index((2, 0))[:5], 10, only_batches())) == [
        (0, "5 bytes at the end are no whole entry")
    ]


def test_a_time_index() -> None:
    good = times((1010, 2), (2000, 10))
    assert wrong(examine_time_index(good, 10, only_batches())) == []
    assert wrong(examine_time_index(times((1010, 2), (1010, 2)), 10, only_batches())) == [
        (12, "it comes behind the one of 1010")
    ]
    bad = times((1010, 2), (900, 4), (2000, 10), (1010, 10))
    assert wrong(examine_time_index(bad, 10, only_batches())) == [
        (12, "the greatest timestamp up to its offset is 1010"),
        (36, "the greatest timestamp up to its offset is 2000"),
    ]
