"""Frames as text that one can read: a field a line, bytes on the left, meaning on the right.

The lines are made from the decoded message by walking its layout, not by the codec that is tested.
"""

from collections.abc import Iterator
from struct import Struct
from typing import Any, NamedTuple

from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.declared import DECLARED
from barnabas.protocol.headers import (
    RequestHeader,
    encode_request,
    encode_response,
    read_request_header,
    read_response_header,
)
from barnabas.wire.compiler import Codec
from barnabas.wire.layout import FieldLayout, StructLayout, layout_of
from barnabas.wire.schema import Fixed, Text, declaration_of
from barnabas.wire.tagged import varint

Line = tuple[bytes, str]

_COLUMN = 24


class Frame(NamedTuple):
    """One frame without its size: what the line above it says, and its bytes."""

    api: ApiKey
    kind: str
    version: int
    note: str
    data: bytes


def to_text(frame: Frame) -> str:
    """The frame with a title and a line for each field."""
    out = [f"# {frame.api.name} {frame.kind} {frame.version}, {frame.note}"]
    for data, answer in annotate(frame):
        hexed = data.hex(" ")
        while len(hexed) > 3 * 32:
            out.append(hexed[: 3 * 32].rstrip())
            hexed = hexed[3 * 32 :]
        out.append(f"{hexed:<{_COLUMN}} | {answer}")
    return "\n".join(out) + "\n"


def from_text(text: str) -> Iterator[Frame]:
    """The frames of a file, from their titles and the left of their lines."""
    title, data = "", b""
    for line in [*text.splitlines(), "#"]:
        if line.startswith("#"):
            if title:
                words, note = title[1:].split(",", 1)
                api, kind, version = words.split()
                yield Frame(ApiKey[api], kind, int(version), note.strip(), data)
            title, data = line, b""
        else:
            data += bytes.fromhex(line.partition("|")[0])


def annotate(frame: Frame) -> list[Line]:
    """The fields of header and message in order."""
    head, message = decoded(frame)
    api = DECLARED[frame.api]
    declared = api.request if frame.kind == "request" else api.response
    layout = layout_of(declared, frame.version, declaration_of(declared).encoding(frame.version))
    return [*head, *_struct(layout, message, "")]


def decoded(frame: Frame) -> tuple[list[Line], Any]:
    """The lines of the header, and the message as our codec reads it to the last byte."""
    api = DECLARED[frame.api]
    lines: list[Line] = []
    if frame.kind == "request":
        header, position = read_request_header(frame.data)
        codec: Codec[Any] = Codec.of(api.request, frame.version)
        assert (header.api_key, header.api_version) == (frame.api, frame.version)
        client = header.client_id
        length = -1 if client is None else len(client)
        lines = [
            (frame.data[:2], f"api_key {int(header.api_key)}"),
            (frame.data[2:4], f"api_version {header.api_version}"),
            (frame.data[4:8], f"correlation_id {header.correlation_id}"),
            (Struct(">h").pack(length) + (client or "").encode(), f"client_id {client!r}"),
        ]
    else:
        correlation_id, position = read_response_header(frame.api, frame.version, frame.data)
        codec = Codec.of(api.response, frame.version)
        lines = [(frame.data[:4], f"correlation_id {correlation_id}")]
    written = sum(len(data) for data, _ in lines)
    if written < position:
        lines.append((frame.data[written:position], "tagged fields of the header: 0"))
    message, end = codec.decode(frame.data, position)
    assert end == len(frame.data)
    return lines, message


def written(frame: Frame) -> bytes:
    """The frame read and written again by our codecs."""
    _, message = decoded(frame)
    if frame.kind == "request":
        header, _ = read_request_header(frame.data)
        return encode_request(RequestHeader(*header), message).joined()[4:]
    correlation_id = int.from_bytes(frame.data[:4], signed=True)
    return encode_response(frame.api, frame.version, correlation_id, message).joined()[4:]


def _struct(layout: StructLayout, value: Any, path: str) -> Iterator[Line]:
    for field in layout.fields:
        yield from _field(field, getattr(value, field.name), layout, path + field.name)
    if not layout.encoding.compact:
        return
    tagged = [
        (field.tag or 0, path + field.name, list(_field(field, answer, layout, path + field.name)))
        for field in layout.tagged
        if (answer := getattr(value, field.name)) != field.make_default()
    ]
    for tag, data in (value.unknown_tags or {}).items():
        tagged.append((tag, path + "unknown", [(data, f"{path}unknown: {len(data)} bytes")]))
    yield varint(len(tagged)), f"{path}tagged fields: {len(tagged)}"
    for tag, name, lines in sorted(tagged):
        size = sum(len(data) for data, _ in lines)
        yield varint(tag) + varint(size), f"{name}: tag {tag}, {size} bytes"
        yield from lines


def _field(field: FieldLayout, value: Any, layout: StructLayout, path: str) -> Iterator[Line]:
    kind = field.kind
    if field.array:
        count = None if value is None else len(value)
        yield _length(count, "i", layout), f"{path}: {'null' if count is None else count}"
        for index, one in enumerate(value or ()):
            yield from _one(kind, one, layout, f"{path}[{index}]")
        return
    if field.nullable and isinstance(kind, StructLayout):
        yield (b"\xff", f"{path} null") if value is None else (b"\x01", f"{path} there")
    if value is not None or not isinstance(kind, StructLayout):
        yield from _one(kind, value, layout, path)


def _one(kind: Any, value: Any, layout: StructLayout, path: str) -> Iterator[Line]:
    if isinstance(kind, StructLayout):
        yield from _struct(kind, value, path + ".")
    elif isinstance(kind, Fixed):
        answer = value.hex() if isinstance(value, bytes) else repr(value)
        yield Struct(">" + kind.code).pack(value), f"{path} {answer}"
    else:
        data = value.encode() if isinstance(value, str) else value
        length = _length(None if data is None else len(data), _code(kind), layout)
        answer = repr(value) if data is None or isinstance(kind, Text) else f"{len(data)} bytes"
        yield length + bytes(data or b""), f"{path} {answer}"


def _code(kind: Any) -> str:
    return "h" if isinstance(kind, Text) else "i"


def _length(length: int | None, code: str, layout: StructLayout) -> bytes:
    if layout.encoding.compact:
        return varint(0 if length is None else length + 1)
    return Struct(">" + code).pack(-1 if length is None else length)
