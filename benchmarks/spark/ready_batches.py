"""The most that Spark's API for sources in Python allows: ready batches to read, and a sink that counts.

Nothing is fetched, decoded, encoded or sent. What it takes is the API's own.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark import cloudpickle
from pyspark.sql import SparkSession
from pyspark.sql.datasource import (
    DataSource,
    DataSourceArrowWriter,
    DataSourceReader,
    InputPartition,
    WriterCommitMessage,
)
from pyspark.sql.types import StructType

from benchmarks.spark.comparison import PARTITIONS, VALUE

NAME = "bench-ready-batches"
BATCH_ROWS = 20_000
"""As many as our source puts into one batch by default."""

SCHEMA = (
    "key binary, value binary, topic string, partition int, offset long, timestamp timestamp, "
    "timestampType int"
)


class _ReadyBatches(DataSource):
    """Option `rows`: how many there are in all partitions together, in whole batches."""

    @classmethod
    def name(cls) -> str:
        return NAME

    def schema(self) -> str:
        return SCHEMA

    def reader(self, schema: StructType) -> DataSourceReader:
        return _Reader(schema.fieldNames(), int(self.options["rows"]))

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceArrowWriter:  # noqa: ARG002, FBT001
        return _Counter()


class _Reader(DataSourceReader):
    def __init__(self, columns: list[str], rows: int) -> None:
        self._columns = columns
        self._batches = max(1, rows // PARTITIONS // BATCH_ROWS)

    def partitions(self) -> Sequence[InputPartition]:
        return [InputPartition(number) for number in range(PARTITIONS)]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        batch = _ready(partition.value).select(self._columns)
        for _ in range(self._batches):
            yield batch


@dataclass(frozen=True)
class _Counted(WriterCommitMessage):
    rows: int


class _Counter(DataSourceArrowWriter):
    def write(self, iterator: Iterator[Any]) -> WriterCommitMessage:
        return _Counted(sum(batch.num_rows for batch in iterator))


def register(spark: SparkSession) -> None:
    """Make it known; Spark's Python processes need not find this file."""
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    spark.dataSource.register(_ReadyBatches)


def ready_rows(rows: int) -> int:
    """How many rows there are where so many are asked for."""
    return max(1, rows // PARTITIONS // BATCH_ROWS) * PARTITIONS * BATCH_ROWS


def _ready(partition: int) -> Any:
    """A batch with all columns, as our source makes them of the benchmark's records."""
    import pyarrow as pa

    numbers = range(BATCH_ROWS)
    return pa.RecordBatch.from_pydict(
        {
            "key": pa.array([b"%08d" % each for each in numbers], pa.binary()),
            "value": pa.array([VALUE] * BATCH_ROWS, pa.binary()),
            "topic": pa.repeat(pa.scalar("bench-spark"), BATCH_ROWS),
            "partition": pa.repeat(pa.scalar(partition, pa.int32()), BATCH_ROWS),
            "offset": pa.array(numbers, pa.int64()),
            "timestamp": pa.array(numbers, pa.timestamp("us", "UTC")),
            "timestampType": pa.repeat(pa.scalar(0, pa.int32()), BATCH_ROWS),
        }
    )
