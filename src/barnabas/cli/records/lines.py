"""Split a byte stream into delimited records, each as soon as it is complete."""

from collections.abc import Iterator
from io import BufferedIOBase

from barnabas.errors import ConfigError

_READ_BYTES = 1 << 16
_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\r": "\r", "\\0": "\0"}


def delimiter(text: str) -> bytes:
    r"""Parse a delimiter; \n, \t, \r and \0 mean what they do in C.

    Raises:
        ConfigError: it is empty.
    """
    if not text:
        raise ConfigError("a delimiter must have at least one character")
    for typed, meant in _ESCAPES.items():
        text = text.replace(typed, meant)
    return text.encode()


def split(stream: BufferedIOBase, end: bytes, longest: int) -> Iterator[bytes]:
    """Yield the parts of `stream` without their delimiters; an unterminated last part counts if not empty.

    Raises:
        ConfigError: more than `longest` bytes without a delimiter.
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
                f"line {count + 1} exceeds the maximum size of a record ({longest} bytes): set "
                "the delimiter with -D, or the maximum with -X max.request.size=…"
            )
    if rest:
        yield bytes(rest)
