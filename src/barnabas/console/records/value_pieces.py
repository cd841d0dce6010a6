"""Large keys and values as text of a file, piece by piece: a whole one would be copied several times.

The pieces together are what `to_json` and a CSV writer make of the whole.
"""

import base64
import codecs
import json
from collections.abc import Iterable, Iterator
from typing import Final

from barnabas.records.columns.record import Record

PIECE: Final = 192 << 10
"""Bytes of a value in a piece: a multiple of three, so that base64 of pieces is that of the whole."""


def size_of(record: Record) -> int:
    """Bytes of a record's key, value and headers."""
    headers = sum(len(name) + len(value or b"") for name, value in record.headers)
    return len(record.key or b"") + len(record.value or b"") + headers


def encoded(texts: Iterable[str]) -> Iterator[bytes]:
    """The bytes of texts, some of them together: a piece is sent by itself."""
    waiting: list[str] = []
    size = 0
    for text in texts:
        waiting.append(text)
        size += len(text)
        if size >= PIECE:
            yield "".join(waiting).encode("utf-8", "replace")
            waiting, size = [], 0
    if waiting:
        yield "".join(waiting).encode("utf-8", "replace")


def json_line(record: Record) -> Iterator[str]:
    """The line of a record."""
    place = {name: getattr(record, name) for name in ("topic", "partition", "offset", "timestamp")}
    yield json.dumps(place, ensure_ascii=False)[:-1] + ', "key": '
    yield from _json_value(record.key)
    yield ', "value": '
    yield from _json_value(record.value)
    yield ', "headers": ['
    for number, (name, value) in enumerate(record.headers):
        yield (", [" if number else "[") + json.dumps(name, ensure_ascii=False) + ", "
        yield from _json_value(value)
        yield "]"
    yield "]}\n"


def csv_field(data: bytes | None) -> Iterator[str]:
    """A field with quotes, of text, or `base64:` and the bytes; nothing for null."""
    if data is None:
        return
    if is_text(data):
        yield '"'
        for text in _texts(data):
            yield text.replace('"', '""')
        yield '"'
    else:
        yield "base64:"
        yield from _base64(data)


def is_text(data: bytes) -> bool:
    """Whether bytes are UTF-8."""
    try:
        for _ in _texts(data):
            pass
    except UnicodeDecodeError:
        return False
    return True


def _json_value(data: bytes | None) -> Iterator[str]:
    if data is None:
        yield "null"
    elif is_text(data):
        yield '"'
        for text in _texts(data):
            yield json.dumps(text, ensure_ascii=False)[1:-1]
        yield '"'
    else:
        yield '{"base64": "'
        yield from _base64(data)
        yield '"}'


def _texts(data: bytes) -> Iterator[str]:
    """Text of UTF-8.

    Raises:
        UnicodeDecodeError: it is none.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    for at in range(0, len(data), PIECE):
        yield decoder.decode(data[at : at + PIECE])
    yield decoder.decode(b"", final=True)


def _base64(data: bytes) -> Iterator[str]:
    for at in range(0, len(data), PIECE):
        yield base64.b64encode(data[at : at + PIECE]).decode()
