"""Batch reading: planned on the driver at the first action, scanned in tasks."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

from pyspark.sql.datasource import DataSourceReader, InputPartition

from barnabas.spark.errors import briefly
from barnabas.spark.options.read_options import ReadOptions
from barnabas.spark.planner.admin_cluster import AdminCluster
from barnabas.spark.planner.ranges import ScanRange, plan
from barnabas.spark.planner.resolving import batch_ranges
from barnabas.spark.readers.scan import Scan
from barnabas.spark.readers.schema import Projection


class BatchReader(DataSourceReader):
    """One DataFrame's reading. Spark plans it once: a second action reads the same offsets.

    `pushFilters` is missing on purpose: if a reader defines it, Spark refuses every read unless its setting is
    on, which is not the default.
    """

    def __init__(self, options: ReadOptions, projection: Projection) -> None:
        self._options = options
        self._scan = Scan(options, projection)

    @briefly()
    def partitions(self) -> Sequence[InputPartition]:
        """Request the offsets from the cluster, and split them into tasks."""
        with closing(AdminCluster(self._options)) as cluster:
            ranges = batch_ranges(cluster, self._options)
        return plan(
            ranges,
            min_partitions=self._options.min_partitions,
            max_records=self._options.max_records_per_partition,
        )

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Yield the records of one task; none if Spark made a task without a partition."""
        if isinstance(partition, ScanRange):
            with briefly():
                yield from self._scan.read(partition)
