"""Delimited records out of a byte stream, as they come: a line is given when it is whole."""

from collections.abc import Iterator
from io import BufferedIOBase

from barnabas.errors import ConfigError

_READ_BYTES = 1 << 16
_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\r": "\r", "\\0": "\0"}


def delimiter(text: str) -> bytes:
    r"""A delimiter as typed: \n, \t, \r and \0 mean what they do in C.

    Raises:
        ConfigError: it is empty.
    """
    if not text:
        raise ConfigError("a delimiter must have at least one letter")
    for typed, meant in _ESCAPES.items():
        text = text.replace(typed, meant)
    return text.encode()


def split(stream: BufferedIOBase, end: bytes, longest: int) -> Iterator[bytes]:
    """The parts of `stream` without their ends; a last part without one counts unless it is empty.

    Raises:
        ConfigError: more than `longest` bytes came without an end.
    """
    rest = bytearray()
    count = 0
    while chunk := stream.read1(_READ_BYTES):
        searched = max(len(rest) - len(end) + 1, 0)
        rest += chunk
        if rest.find(end, searched) >= 0:
            *whole, last = bytes(rest).split(end)
            yield from whole
            count += len(whole)
            rest = bytearray(last)
        if len(rest) >= longest + len(end):
            raise ConfigError(
                f"line {count + 1} is longer than a record may be ({longest} bytes): -D says what "
                "ends a line, -X max.request.size=… how large a record may be"
            )
    if rest:
        yield bytes(rest)
