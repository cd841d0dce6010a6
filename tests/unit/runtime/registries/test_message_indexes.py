import pytest

from barnabas.runtime.registries.message_indexes import message_indexes


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
