"""Segments of Kafka 0.7 and Jafka printed: messages without keys and times, whose offsets are bytes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from barnabas.cli.log.segment_files import InspectedFile, bytes_of
from barnabas.cli.log.segment_rows import fault_row
from barnabas.cli.output.output import Cell, Row, show_json
from barnabas.log.file_names import parse_partition_directory
from barnabas.log.inspection.segments import SegmentFault
from barnabas.log.inspection.segments07 import InspectedMessage, inspected_messages
from barnabas.records.codecs.compression import HIGHEST_CODEC, Codec
from barnabas.records.columns.record import Record
from barnabas.records.record_json import to_json
from barnabas.types import NO_TIMESTAMP, TopicPartition

MESSAGE_COLUMNS: Final = ("position", "size", "offset", "messages", "magic", "codec", "notes")


def message_rows(file: InspectedFile) -> list[Row]:
    """A row for each message, with the columns `MESSAGE_COLUMNS`; the last one may be a fault."""
    with bytes_of(file.path) as data:
        return [_row(found, file.base_offset) for found in inspected_messages(data)]


def dump_messages(file: InspectedFile, *, as_json: bool) -> None:
    """Print each message and, below it, what it holds: several messages if it is compressed."""
    with bytes_of(file.path) as data:
        for found in inspected_messages(data):
            if as_json:
                _show_json(file, found, records=True)
                continue
            row = _row(found, file.base_offset)
            named = [
                f"{name} {cell}"
                for name, cell in zip(MESSAGE_COLUMNS, row, strict=True)
                if cell not in (None, "")
            ]
            click.echo(f"{file.path}: {', '.join(named)}")
            for record in _records(file, found):
                text = (record.value or b"").decode("utf-8", "backslashreplace")
                click.echo(f"    {record.offset} | {text}")


def show_messages_json(file: InspectedFile) -> None:
    """Print each message as JSON, without what it holds."""
    with bytes_of(file.path) as data:
        for found in inspected_messages(data):
            _show_json(file, found, records=False)


def _show_json(
    file: InspectedFile, found: InspectedMessage | SegmentFault, *, records: bool
) -> None:
    if isinstance(found, SegmentFault):
        show_json({"file": str(file.path), **fault_row(found)})
        return
    show_json(
        {
            "file": str(file.path),
            "position": found.position,
            "size": found.end - found.position,
            "offset": file.base_offset + found.position,
            "next_offset": file.base_offset + found.end,
            "messages": len(found.payloads),
            "magic": found.magic,
            "codec": _codec(found),
        }
    )
    for record in _records(file, found) if records else ():
        print(to_json(record))


def _row(found: InspectedMessage | SegmentFault, base_offset: int) -> tuple[Cell, ...]:
    if isinstance(found, SegmentFault):
        return (found.position, *[None] * (len(MESSAGE_COLUMNS) - 2), found.text)
    return (
        *(found.position, found.end - found.position, base_offset + found.position),
        *(len(found.payloads), found.magic, _codec(found), ""),
    )


def _codec(found: InspectedMessage) -> str:
    return Codec(found.codec).name.lower() if found.codec <= HIGHEST_CODEC else str(found.codec)


def _records(file: InspectedFile, found: InspectedMessage | SegmentFault) -> Iterator[Record]:
    """All records in a message; a reader that continues at its offset repeats all of them."""
    if isinstance(found, SegmentFault):
        return
    directory = Path(file.path).absolute().parent.name
    place = parse_partition_directory(directory) or TopicPartition("", 0)
    for payload in found.payloads:
        yield Record(*place, file.base_offset + found.position, NO_TIMESTAMP, 0, None, payload)
