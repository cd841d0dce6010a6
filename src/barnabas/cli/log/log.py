"""`barnabas log`: inspect segments and indexes of any Kafka, without a broker. Changes nothing."""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from barnabas.cli.arguments.names import named
from barnabas.cli.arguments.usage import HintingGroup
from barnabas.cli.log.faults import Totals, examine_index, faults
from barnabas.cli.log.internal_records import described, details
from barnabas.cli.log.old_segments import (
    MESSAGE_COLUMNS,
    dump_messages,
    message_rows,
    show_messages_json,
)
from barnabas.cli.log.segment_files import (
    OLD_KINDS,
    InspectedFile,
    bytes_of,
    segment_files,
)
from barnabas.cli.log.segment_rows import (
    BATCH_COLUMNS,
    batch_row,
    entry_row,
    fault_row,
    short_row,
    time_text,
)
from barnabas.cli.log.state_files import examine_file, state_files
from barnabas.cli.output.output import Cell, Row, counted, notice, objects, show_json, show_rows
from barnabas.cli.output.progress import progress_bars
from barnabas.log.file_names import INDEX, LOG, TIME_INDEX, parse_partition_directory
from barnabas.log.inspection.segments import (
    InspectedBatch,
    SegmentFault,
    examine,
)
from barnabas.log.inspection.state_files import is_state
from barnabas.records.columns.reading import decode_records
from barnabas.records.columns.record import Record
from barnabas.records.record_json import to_json
from barnabas.types import TopicPartition

_ANY = -(2**63)
_paths = click.argument(
    "paths", nargs=-1, required=True, type=click.Path(), callback=named("file or directory")
)
_json = click.option("--json", "as_json", is_flag=True, help="One JSON document per line.")


@click.group(cls=HintingGroup)
def log() -> None:
    """Inspect the files of a log: of any Kafka release, or of Barnabas.

    A path is a segment file, the directory of a partition, or a data directory. Segments of Kafka
    0.7 and Jafka have no indexes that `index` could print.
    """


@log.command()
@_paths
@click.option("--records", is_flag=True, help="Also print the records of each batch.")
@click.option("--state", is_flag=True, help="Also print the small files beside segments.")
@_json
def dump(paths: tuple[str, ...], *, records: bool, state: bool, as_json: bool) -> None:
    """Print the batches of segments, including broken ones.

    With --records, those of Kafka's internal topics (__consumer_offsets, __transaction_state and so
    on) are described in words. A path may also be one of Kafka's small files: a producer snapshot,
    a transaction index, a checkpoint, meta.properties.
    """
    small = [path for path in paths if is_state(Path(path).name) and Path(path).is_file()]
    large = [path for path in paths if path not in small]
    files = segment_files(large, (LOG, *OLD_KINDS))
    small_files = list(state_files(paths if state else small))
    several = len(files) + len(small_files) > 1
    for file in files:
        if file.kind in OLD_KINDS:
            _dump_old(file, records=records, as_json=as_json, several=several)
            continue
        path = file.beside(LOG)
        with bytes_of(path) as data:
            found = list(examine(data, file.base_offset))
            if as_json:
                _dump_json(path, found, data, records=records)
            elif records:
                _dump_records(path, found, data)
            else:
                rows = [short_row(each, data) for each in found]
                _show(path, BATCH_COLUMNS, rows, several=several)
    for each in small_files:
        _dump_state(each, as_json=as_json)


def _dump_old(file: InspectedFile, *, records: bool, as_json: bool, several: bool) -> None:
    if records:
        dump_messages(file, as_json=as_json)
    elif as_json:
        show_messages_json(file)
    else:
        _show(file.path, MESSAGE_COLUMNS, message_rows(file), several=several)


def _show(path: Path, columns: Sequence[str], rows: Sequence[Row], *, several: bool) -> None:
    """Print a table under its file's name; in a pipe, each line starts with the name if there are several."""
    if several and not sys.stdout.isatty():
        columns, rows = ("file", *columns), [(str(path), *row) for row in rows]
    show_rows(columns, rows, title=str(path), as_json=False)


def _dump_state(path: Path, *, as_json: bool) -> None:
    columns, rows, faults, _ = examine_file(path)
    if as_json:
        for row in objects(columns, rows):
            show_json({"file": str(path), **row})
        for fault in faults:
            show_json({"file": str(path), **fault_row(fault)})
        return
    cells: list[tuple[Cell, ...]] = list(rows)
    click.echo(f"{path}: {', '.join(columns)}")
    show_rows(columns, cells, title=path.name, as_json=False)
    for fault in faults:
        click.echo(f"{path} at byte {fault.position}: {fault.text}")


def _dump_json(
    path: Path, found: list[InspectedBatch | SegmentFault], data: memoryview, *, records: bool
) -> None:
    for each in found:
        row = fault_row(each) if isinstance(each, SegmentFault) else batch_row(each, data)
        show_json({"file": str(path), **row})
        if records:
            for record in _records(path, each, data):
                words = described(record)
                print(to_json(record) if words is None else json.dumps(words))


def _dump_records(path: Path, found: list[InspectedBatch | SegmentFault], data: memoryview) -> None:
    """Print a line for each batch and, indented below it, one for each record."""
    for each in found:
        cells: tuple[Cell, ...] = short_row(each, data)
        named = [
            f"{name} {cell}"
            for name, cell in zip(BATCH_COLUMNS, cells, strict=True)
            if cell not in (None, "")
        ]
        click.echo(f"{path}: {', '.join(named)}")
        for record in _records(path, each, data):
            time = time_text(record.timestamp) or "no time"
            words = described(record)
            if words is not None:
                click.echo(f"    {record.offset} | {time} | {details(words)}")
                continue
            headers = "".join(f" {name}={_text(value)}" for name, value in record.headers)
            key, value = _text(record.key), _text(record.value)
            click.echo(
                f"    {record.offset} | {time} | {key} | {value}{headers and ' |' + headers}"
            )


def _text(data: bytes | None) -> str:
    return "null" if data is None else data.decode("utf-8", "backslashreplace")


def _records(path: Path, found: InspectedBatch | SegmentFault, data: memoryview) -> list[Record]:
    """The records of an intact batch, without control records."""
    if isinstance(found, SegmentFault) or found.faults:
        return []
    place = parse_partition_directory(path.absolute().parent.name) or TopicPartition("", 0)
    batch = data[found.header.position : found.header.end]
    return decode_records(batch, *place, start=_ANY)[0]


@log.command()
@_paths
@_json
def verify(paths: tuple[str, ...], *, as_json: bool) -> int:
    """Check all batches, records, index entries, small files; exit code 1 if one is broken."""
    totals = Totals()
    files = segment_files(paths, (LOG, *OLD_KINDS))
    with progress_bars(quiet=as_json, unit="bytes") as bars:
        bars.begin("verifying", sum(file.path.stat().st_size for file in files))
        for path, fault in faults(paths, files, totals, bars.advance):
            if as_json:
                show_json({"file": str(path), "position": fault.position, "fault": fault.text})
            else:
                click.echo(f"{path} at byte {fault.position}: {fault.text}")
    if as_json:
        show_json(asdict(totals))
    else:
        verdict = counted(totals.faults, "fault") if totals.faults else "nothing is broken"
        click.echo(
            f"{counted(totals.segments, 'segment')}, {counted(totals.batches, 'batch', 'batches')}, "
            f"{counted(totals.records, 'record')}, {totals.bytes} bytes: {verdict}"
        )
    return int(totals.faults > 0)


@log.command()
@_paths
@_json
def index(paths: tuple[str, ...], *, as_json: bool) -> None:
    """Print the entries of offset and time indexes, and their errors."""
    printed = False
    for file in segment_files(paths, (INDEX, TIME_INDEX)):
        with bytes_of(file.beside(LOG)) as data:
            batches = [
                found
                for found in examine(data, file.base_offset)
                if isinstance(found, InspectedBatch)
            ]
        for kind in (INDEX, TIME_INDEX) if file.kind == LOG else (file.kind,):
            path = file.beside(kind)
            rows = [entry_row(found, kind) for found in examine_index(path, file, kind, batches)]
            printed = printed or bool(rows)
            if as_json:
                for row in rows:
                    show_json({"file": str(path), **row})
            elif rows:
                cells = [tuple(row.values()) for row in rows]
                _show(path, tuple(rows[0]), cells, several=True)
    if not printed:
        notice("no entries yet: there is one per index.interval.bytes of records")
