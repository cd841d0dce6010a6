"""Offsets in ZooKeeper: nothing is an offset by mistake."""

import pytest

from barnabas.dialects.kafka07.offset_nodes import decode_offset


@pytest.mark.parametrize("offset", [0, -1, 536890406, 2**63 - 1])
def test_a_number_is_read_as_it_is_written(offset: int) -> None:
    assert decode_offset(b"%d" % offset) == offset


@pytest.mark.parametrize(
    "text", ["", "-", "1_000", "+1", " 1", "1\n", "1.0", "0x1", "٣", str(2**63), "1" * 20, "soon"]
)
def test_everything_else_is_none(text: str) -> None:
    assert decode_offset(text.encode()) is None
