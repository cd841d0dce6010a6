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


def split(stream: BufferedIOBase, end: bytes) -> Iterator[bytes]:
    """The parts of `stream` without their ends; a last part without one counts unless it is empty."""
    rest = b""
    while chunk := stream.read1(_READ_BYTES):
        *whole, rest = (rest + chunk).split(end)
        yield from whole
    if rest:
        yield rest
