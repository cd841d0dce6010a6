import io

import pytest

from barnabas.cli.records.lines import delimiter, split
from barnabas.errors import ConfigError


class Dripping(io.BytesIO):
    """A stream that gives three bytes at a time."""

    def read1(self, size: int | None = -1, /) -> bytes:
        return super().read1(3)


@pytest.mark.parametrize("stream", [io.BytesIO, Dripping])
@pytest.mark.parametrize(
    ("data", "end", "parts"),
    [
        (b"one\ntwo\n", b"\n", [b"one", b"two"]),
        (b"one\n\ntwo", b"\n", [b"one", b"", b"two"]),
        (b"one<>two<>", b"<>", [b"one", b"two"]),
        (b"", b"\n", []),
    ],
)
def test_split(stream: type[io.BytesIO], data: bytes, end: bytes, parts: list[bytes]) -> None:
    assert list(split(stream(data), end, 5)) == parts


@pytest.mark.parametrize("end", [b"\n", b"<>"])
def test_a_line_without_end_is_given_up(end: bytes) -> None:
    stream = Dripping(b"one" + end + b"x" * 5000)
    parts = split(stream, end, 100)
    assert next(parts) == b"one"
    with pytest.raises(
        ConfigError, match=r"line 2 exceeds the maximum size of a record \(100 bytes\)"
    ):
        next(parts)
    assert stream.tell() < 120, "the rest is not read"


@pytest.mark.parametrize("length", [98, 99, 100])
def test_the_longest_line_is_given_whole(length: int) -> None:
    line = b"<" * length
    assert list(split(Dripping(line + b"<>tail"), b"<>", 101)) == [line, b"tail"]


def test_delimiters_as_typed() -> None:
    assert delimiter(r"a\tb\0") == b"a\tb\0"
    with pytest.raises(ConfigError):
        delimiter("")
