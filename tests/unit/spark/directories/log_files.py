"""Log directories made by hand, and what the data source reads from them, without Spark."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from barnabas.spark.directories.batch import DirectoryReader, directory_reader, schema
from barnabas.spark.directories.segment_range import SegmentRange
from tests.record_batches import make_batch, make_marker

Row = dict[str, Any]
Batches = Sequence[bytes | bytearray]


def at(offset: int, batch: bytearray) -> bytearray:
    """The batch with another base offset, which its CRC does not cover."""
    batch[:8] = offset.to_bytes(8, "big")
    return batch


def batches(first: int, count: int, *, records: int = 3, size: int = 200) -> list[bytearray]:
    """So many batches of so many records from an offset on; times are 1000 times the offset."""
    return [
        make_batch(
            records, base_offset=offset, size=size, timestamp=1000 * offset, step=1000, fill=97
        )
        for offset in range(first, first + count * records, records)
    ]


def data(offset: int, producer: int, *, records: int = 1) -> bytearray:
    """A batch of a transaction."""
    return make_batch(records, base_offset=offset, producer=(producer, 0, 0), attributes=0x10)


def marker(offset: int, producer: int, *, commit: bool) -> bytearray:
    """The end of a transaction."""
    return at(offset, make_marker(producer, 0, commit=commit))


def write_log(directory: Path, segments: Mapping[int, Batches]) -> Path:
    """A partition's directory with segments by base offset, without indexes."""
    directory.mkdir(parents=True, exist_ok=True)
    for base, content in segments.items():
        (directory / f"{base:020d}.log").write_bytes(b"".join(content))
    return directory


def reader(path: Path, **options: object) -> DirectoryReader:
    """The reader that Spark would get."""
    given = {"path": str(path)} | {name.lower(): str(value) for name, value in options.items()}
    return cast("DirectoryReader", directory_reader(given, schema(given)))


def committed(path: Path, **options: object) -> list[Row]:
    """All rows that a reader of committed records gets."""
    return read(reader(path, **{"kafka.isolation.level": "read_committed"}, **options))


def tasks(each: DirectoryReader) -> list[SegmentRange]:
    """The tasks of a query."""
    return [cast("SegmentRange", task) for task in each.partitions()]


def read(each: DirectoryReader) -> list[Row]:
    """The rows of all tasks, one after another."""
    return [
        row for task in each.partitions() for batch in each.read(task) for row in batch.to_pylist()
    ]


def offsets(rows: Sequence[Row]) -> list[int]:
    return [row["offset"] for row in rows]
