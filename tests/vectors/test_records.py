"""Batches that real producers wrote, read and written again."""

import ast
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from barnabas.errors import CorruptRecord
from barnabas.records.batches.batch import crc_is_right, read_header
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec, decompress
from barnabas.records.columns.arrow import to_arrow
from barnabas.records.columns.columns import ColumnSelection, decode_columns
from barnabas.records.columns.reading import decode_records
from tests.vectors.record_text import CODECS, fields_of, from_text, to_text

FILES = sorted(Path(__file__).with_name("records").glob("*.txt"))

pytestmark = [
    pytest.mark.kernels,
    pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem),
]


def read(path: Path) -> tuple[str, bytes]:
    text = path.read_text(encoding="utf-8")
    return text, from_text(text).batch


def rows(text: str) -> list[tuple[Any, ...]]:
    """The records as the right side of the text says them."""
    base_offset, base_timestamp = (
        int(fields_of(text, f"base {of}")[0]) for of in ("offset", "timestamp")
    )
    names = iter([ast.literal_eval(name).decode() for name in fields_of(text, "name")])
    contents = iter([ast.literal_eval(content) for content in fields_of(text, "content")])
    return [
        (
            base_offset + int(offset),
            base_timestamp + int(timestamp),
            ast.literal_eval(key),
            ast.literal_eval(value),
            tuple((next(names), next(contents)) for _ in range(int(headers))),
        )
        for offset, timestamp, key, value, headers in zip(
            fields_of(text, "offset delta"),
            fields_of(text, "timestamp delta"),
            fields_of(text, "key"),
            fields_of(text, "value"),
            fields_of(text, "headers"),
            strict=True,
        )
    ]


def test_the_text_says_what_the_bytes_are(path: Path) -> None:
    text, batch = read(path)
    assert to_text(from_text(text).title, batch) == text


def test_the_header_is_read_so(path: Path) -> None:
    text, batch = read(path)
    header = read_header(batch)
    assert header.size == len(batch)
    assert crc_is_right(batch, header)
    numbers = (
        header.base_offset, header.crc, header.last_offset_delta, header.max_timestamp,
        header.producer_id, header.producer_epoch, header.base_sequence, header.count,
    )  # fmt: skip
    names = (
        "base offset", "crc", "last offset delta", "max timestamp",
        "producer id", "producer epoch", "base sequence", "records",
    )  # fmt: skip
    assert [str(number) for number in numbers] == [fields_of(text, name)[0] for name in names]


def test_the_records_are_read_so(path: Path) -> None:
    text, batch = read(path)
    start = read_header(batch).base_offset
    found, following = decode_records(batch, "t", 0, start=start)
    columns = decode_columns([batch], wanted=ColumnSelection.ALL, start=start)
    assert following == columns.next_offset == read_header(batch).next_offset
    expected = [] if read_header(batch).control else rows(text)
    assert expected == [(r.offset, r.timestamp, r.key, r.value, r.headers) for r in found]
    table: dict[str, Any] = pa.table(to_arrow(columns)).to_pydict()
    headers = [tuple((pair["key"], pair["value"]) for pair in row) for row in table["headers"]]
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    times = [(time - epoch) // timedelta(milliseconds=1) for time in table["timestamp"]]
    fields = (table["offset"], times, table["key"], table["value"], headers)
    assert expected == list(zip(*fields, strict=True))


def test_the_same_records_are_written_so(path: Path) -> None:
    text, batch = read(path)
    header = read_header(batch)
    if header.control:
        return  # coordinators write these, see tests of control
    builder = BatchBuilder(Codec(header.codec), 1 << 20)
    for _, *row in rows(text):
        assert builder.append(*row)
    again = builder.build(
        header.producer_id,
        header.producer_epoch,
        header.base_sequence,
        transactional=header.transactional,
    )
    assert decompress(header.codec, again[61:], 1 << 20) == from_text(text).inside
    if header.codec == Codec.NONE:
        assert again[21:] == batch[21:]  # the CRC covers all that a producer decides


def test_a_flipped_bit_is_found(path: Path) -> None:
    _, batch = read(path)
    for position in range(21, len(batch), 7):
        damaged = bytearray(batch)
        damaged[position] ^= 4
        with pytest.raises(CorruptRecord):
            decode_columns([damaged], wanted=ColumnSelection.ALL, start=0)


def test_every_codec_of_every_writer_is_here(path: Path) -> None:
    del path
    writers = ("java", "librdkafka", "kafka-python", "aiokafka")
    names = {each.stem for each in FILES}
    assert names >= {f"{writer}-{codec}" for writer in writers for codec in CODECS}
