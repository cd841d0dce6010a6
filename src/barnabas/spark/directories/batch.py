"""Batch reading of log directories: planned on the driver at the first action, read in tasks."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pyspark.sql.datasource import DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.types import StructType

from barnabas.runtime.files.read_only import ReadOnlyDisk
from barnabas.spark.directories.directory_cluster import DirectoryCluster
from barnabas.spark.directories.errors import NotInDirectory, reading_files
from barnabas.spark.directories.inventory import Inventory
from barnabas.spark.directories.log_options import LogOptions, log_options
from barnabas.spark.directories.segment_range import SegmentRange, segment_ranges
from barnabas.spark.directories.segment_scan import SegmentScan
from barnabas.spark.errors import OptionError, briefly
from barnabas.spark.options.selection import Partitions, Selection, Topics
from barnabas.spark.planner.resolving import batch_ranges
from barnabas.spark.readers.refused_stream import RefusedStream
from barnabas.spark.readers.schema import Projection, project, source_schema


@briefly()
def schema(options: Mapping[str, str]) -> StructType:
    """Return the default schema, and check the options."""
    read = log_options(options).read
    return source_schema(include_headers=read.include_headers, columns=read.columns)


@briefly()
def directory_reader(options: Mapping[str, str], wanted: StructType) -> DataSourceReader:
    """The reader of a batch query.

    Raises:
        OptionError, SchemaError: an option or the schema is invalid.
    """
    read = log_options(options)
    if read.read.columns is not None and list(read.read.columns) != wanted.fieldNames():
        raise OptionError("columns", "cannot be together with another schema(); give only one")
    return DirectoryReader(read, project(wanted))


def no_stream() -> DataSourceStreamReader:
    """Refuse a stream: only a broker reports new records."""
    return RefusedStream(
        OptionError("format", "barnabas-log is for spark.read; to stream read from a broker")
    )


class DirectoryReader(DataSourceReader):
    """One DataFrame's reading. Spark plans it once: a second action reads the same offsets."""

    def __init__(self, options: LogOptions, projection: Projection) -> None:
        self._options = options
        self._scan = SegmentScan(options, projection)

    @briefly()
    def partitions(self) -> Sequence[InputPartition]:
        """Read the directories, and split the offsets to read into tasks.

        Raises:
            NotInDirectory: a topic or partition that the options name has no directory.
            UnreadableLog: files cannot be read, or are damaged where they were read.
            OffsetsError, DataLoss: as from `batch_ranges`.
        """
        disk = ReadOnlyDisk()
        with reading_files():
            inventory = Inventory(disk, self._options.paths)
        _check_selected(inventory, self._options.read.selection)
        cluster = DirectoryCluster(
            disk, inventory, fail_on_data_loss=self._options.read.fail_on_data_loss
        )
        ranges = batch_ranges(cluster, self._options.read)
        return segment_ranges(cluster, ranges, self._options)

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Yield the records of one task; none if Spark made a task without a partition."""
        if isinstance(partition, SegmentRange):
            with briefly():
                yield from self._scan.read(partition)


def _check_selected(inventory: Inventory, selection: Selection) -> None:
    """Raise NotInDirectory if a named topic or partition has no directory."""
    found = inventory.selected(selection)
    missing: list[str] = []
    if isinstance(selection, Topics):
        missing = sorted(selection.names - {where.topic for where in found})
    elif isinstance(selection, Partitions):
        missing = [
            f"{each.topic}-{each.partition}" for each in sorted(selection.partitions - found)
        ]
    if missing:
        there = ", ".join(inventory.topics()[:20])
        raise NotInDirectory(
            f"no directory of {', '.join(missing)} in {', '.join(inventory.paths)}; topics there: "
            f"{there}"
        )
