import io

import pytest

from barnabas.cli.lines import delimiter, split
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
    assert list(split(stream(data), end)) == parts


def test_delimiters_as_typed() -> None:
    assert delimiter(r"a\tb\0") == b"a\tb\0"
    with pytest.raises(ConfigError):
        delimiter("")
