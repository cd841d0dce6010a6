"""Markers: written, and read by the short way for what is usual as by the long one for the rest."""

import pytest

from barnabas.records.batches.batch import HEADER_SIZE
from barnabas.records.batches.control import Marker, encode_marker, read_marker

COMMIT = Marker(committed=True, coordinator_epoch=3)
ABORTS = [Marker(committed=False, coordinator_epoch=one) for one in (0, 2**31 - 1)]
RECORD = bytes(encode_marker(COMMIT, 7, 1, 1000))[HEADER_SIZE:]
VARINTS = {"length": 0, "timestamp": 2, "offset": 3, "key": 4, "value": 9}
"""By the place of the byte that each takes in a usual marker."""


@pytest.mark.parametrize("marker", [COMMIT, *ABORTS])
def test_a_marker_reads_as_it_was_written(marker: Marker) -> None:
    batch = encode_marker(marker, 7, 1, 1000)
    assert read_marker(batch) == marker
    assert read_marker(bytes(batch)) == marker
    assert read_marker(memoryview(batch + b"what follows")) == marker


@pytest.mark.parametrize("name", VARINTS)
@pytest.mark.parametrize("more", [1, 3])
def test_a_varint_may_be_longer_than_it_has_to_be(name: str, more: int) -> None:
    at = VARINTS[name]
    longer = bytes([RECORD[at] | 0x80]) + b"\x80" * (more - 1) + b"\0"
    batch = bytes(HEADER_SIZE) + RECORD[:at] + longer + RECORD[at + 1 :]
    assert read_marker(batch) == COMMIT


def test_one_that_ends_with_the_epoch_is_read_and_a_shorter_one_is_none() -> None:
    whole = bytes(HEADER_SIZE) + RECORD
    assert read_marker(whole[:-1]) == COMMIT
    for end in range(HEADER_SIZE, len(whole) - 1):
        assert read_marker(whole[:end]) is None


def test_another_kind_of_control_record_is_none() -> None:
    for kind in (-1, 2, 5):
        record = RECORD[:7] + kind.to_bytes(2, "big", signed=True) + RECORD[9:]
        assert read_marker(bytes(HEADER_SIZE) + record) is None
