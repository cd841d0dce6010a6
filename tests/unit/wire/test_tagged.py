import pytest
from hypothesis import given
from hypothesis import strategies as st

from barnabas.wire.tagged import MalformedField, read_unknown, read_varint, tagged_section, varint


@given(st.integers(0, 2**32 - 1), st.binary(max_size=3))
def test_varints_come_back(value: int, before: bytes) -> None:
    assert read_varint(before + varint(value), len(before)) == (value, len(before + varint(value)))


@pytest.mark.parametrize(
    ("value", "encoded"),
    [(0, "00"), (127, "7f"), (128, "8001"), (300, "ac02"), (2**32 - 1, "ffffffff0f")],
)
def test_varints_are_those_of_protocol_buffers(value: int, encoded: str) -> None:
    assert varint(value).hex() == encoded


@pytest.mark.parametrize("encoded", ["ffffffff10", "ffffffff7f", "808080808001", "ffffffffff"])
def test_varints_of_more_than_32_bits_are_refused(encoded: str) -> None:
    with pytest.raises(MalformedField):
        read_varint(bytes.fromhex(encoded), 0)


@given(st.dictionaries(st.integers(0, 2**31), st.binary(max_size=300), max_size=5))
def test_tagged_fields_are_kept_and_ordered(fields: dict[int, bytes]) -> None:
    section = tagged_section(fields)
    count, position = read_varint(section, 0)
    read, end = read_unknown(section, position, count)
    assert (count, end) == (len(fields), len(section))
    assert list(read.items()) == sorted(fields.items())
