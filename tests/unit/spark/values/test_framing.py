import pyarrow as pa
import pytest

from barnabas.spark.values.framing import NULL, UNFRAMED, message_indexes, schema_ids


def test_ids_of_values_also_of_a_part_of_an_array() -> None:
    values = [
        b"x",
        b"\0\0\0\0\x07",
        b"\0\xff\xff\xff\xffabc",
        None,
        b"\0\0\0\0",
        b"",
        b"\1\0\0\0\7",
    ]
    found = [UNFRAMED, 7, 2**32 - 1, NULL, UNFRAMED, UNFRAMED, UNFRAMED]
    assert schema_ids(pa.array(values, pa.binary())).tolist() == found
    assert schema_ids(pa.array(values, pa.binary()).slice(1, 3)).tolist() == found[1:4]
    assert schema_ids(pa.array([None], pa.binary())).tolist() == [NULL]
    assert schema_ids(pa.array([], pa.binary())).tolist() == []


@pytest.mark.parametrize(
    ("raw", "way", "end"),
    [
        (b"\0", (0,), 1),
        (b"\2\0", (0,), 2),
        (b"\2\2", (1,), 2),
        (b"\4\2\4rest", (1, 2), 3),
        (b"\2\xac\2", (150,), 3),
    ],
)
def test_the_way_to_a_message(raw: bytes, way: tuple[int, ...], end: int) -> None:
    assert message_indexes(b"....." + raw, 5) == (way, end + 5)


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"", "ends within"),
        (b"\4\2", "ends within"),
        (b"\1", "-1 message indexes"),
        (b"\xff\xff\xff\xff\x0f", "message indexes, 1 to"),
        (b"\xff\xff\xff\xff\xff\xff", "longer than 5 bytes"),
    ],
)
def test_what_is_no_way(raw: bytes, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        message_indexes(raw, 0)
