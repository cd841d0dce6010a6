"""A batch as text that one can read: a field a line, bytes on the left, meaning on the right.

The lines are made by walking the bytes with none of the code that is tested; other packages than
ours decompress. Source: KIP-98.
"""

import re
import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

import lz4.frame
import pyarrow as pa
import zstandard

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
FLAGS = {8: "log append time", 16: "transactional", 32: "control", 64: "delete horizon"}
HEADER = (
    ("q", "base offset"),
    ("i", "length of what follows"),
    ("i", "leader epoch"),
    ("b", "magic"),
    ("I", "crc"),
    ("h", "attributes"),
    ("i", "last offset delta"),
    ("q", "base timestamp"),
    ("q", "max timestamp"),
    ("q", "producer id"),
    ("h", "producer epoch"),
    ("i", "base sequence"),
    ("i", "records"),
)
INSIDE = "# inside, uncompressed"

_COLUMN = 24
_PER_LINE = 32
_XERIAL = b"\x82SNAPPY\0"

Line = tuple[bytes, str]


class Vector(NamedTuple):
    """What a file holds: its title, a batch, and the records of the batch without compression."""

    title: str
    batch: bytes
    inside: bytes


def to_text(title: str, batch: bytes) -> str:
    """The batch with a title and a line for each field."""
    lines, codec = [], 0
    at = 0
    for code, name in HEADER:
        size = struct.calcsize(code)
        (number,) = struct.unpack_from(">" + code, batch, at)
        meaning = f"{name} {number}"
        if name == "attributes":
            codec = number & 7
            meaning += f": {', '.join(_attributes(number))}"
        lines.append((batch[at : at + size], meaning))
        at += size
    body = batch[at:]
    out = [f"# {title}"]
    if codec:
        lines.append((body, f"{CODECS[codec]}: {len(body)} bytes"))
        out += [*map(_line, lines), INSIDE]
        out += map(_line, records(uncompressed(codec, body)))
    else:
        out += map(_line, [*lines, *records(body)])
    return "\n".join(out) + "\n"


def from_text(text: str) -> Vector:
    """The bytes of a file, from the left of its lines."""
    title, *lines = text.splitlines()
    parts = [b"", b""]
    inside = 0
    for line in lines:
        if line == INSIDE:
            inside = 1
        else:
            parts[inside] += bytes.fromhex(line.partition("|")[0])
    batch = parts[0]
    return Vector(title.removeprefix("# "), batch, parts[1] if inside else batch[61:])


def fields_of(text: str, name: str) -> list[str]:
    """What the lines of a field say, in order."""
    return re.findall(rf"\| +{re.escape(name)} (.*)", text)


def uncompressed(codec: int, data: bytes) -> bytes:
    """The records of a batch, by the packages that Kafka clients use, or Arrow."""
    if codec == 1:
        return zlib.decompress(data, wbits=31)
    if codec == 3:
        return bytes(lz4.frame.decompress(data))
    if codec == 4:
        return zstandard.ZstdDecompressor().decompressobj().decompress(data)
    if not data.startswith(_XERIAL):
        return _raw_snappy(data)
    out, at = b"", 16
    while at < len(data):
        (size,) = struct.unpack_from(">i", data, at)
        out += _raw_snappy(data[at + 4 : at + 4 + size])
        at += 4 + size
    return out


def records(data: bytes) -> Iterator[Line]:
    """The fields of records, one behind the other."""
    at, number = 0, 0
    while at < len(data):
        at, line, size = _varint(data, at, f"record {number}: length")
        yield line
        end = at + size
        yield data[at : at + 1], f"  attributes {data[at]}"
        at, line, _ = _varint(data, at + 1, "  timestamp delta")
        yield line
        at, line, _ = _varint(data, at, "  offset delta")
        yield line
        for name in ("key", "value"):
            at, line = _bytes(data, at, f"  {name}")
            yield line
        at, line, headers = _varint(data, at, "  headers")
        yield line
        for _ in range(headers):
            at, line = _bytes(data, at, "    name")
            yield line
            at, line = _bytes(data, at, "    content")
            yield line
        assert at == end
        number += 1


def _attributes(number: int) -> Iterator[str]:
    yield f"codec {CODECS[number & 7]}"
    for bit, name in FLAGS.items():
        if number & bit:
            yield name


def _raw_snappy(data: bytes) -> bytes:
    size = shift = 0
    for byte in data:
        size |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            break
    unpacked: bytes = pa.Codec("snappy").decompress(data, size, asbytes=True)
    return unpacked


def _varint(data: bytes, at: int, name: str) -> tuple[int, Line, int]:
    raw = shift = 0
    start = at
    while True:
        raw |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            break
    number = (raw >> 1) ^ -(raw & 1)
    return at, (data[start:at], f"{name} {number}"), number


def _bytes(data: bytes, at: int, name: str) -> tuple[int, Line]:
    behind, _, size = _varint(data, at, name)
    if size < 0:
        return behind, (data[at:behind], f"{name} None")
    end = behind + size
    return end, (data[at:end], f"{name} {data[behind:end]!r}")


def _line(line: Line) -> str:
    data, meaning = line
    out = []
    while len(data) > _PER_LINE:
        out.append(data[:_PER_LINE].hex(" "))
        data = data[_PER_LINE:]
    return "\n".join([*out, f"{data.hex(' '):<{_COLUMN}} | {meaning}"])
