"""Running streaming queries to a known point; what arrived, in plain Python."""

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from barnabas.spark.workers.worker_retries import despite_late_workers

PATIENCE_S = 240


def to_files(frame: DataFrame, folder: Path, checkpoint: str) -> DataStreamWriter:
    """A writer that keeps exactly what each committed batch had."""
    return (
        frame.writeStream.format("parquet")
        .option("path", str(folder))
        .option("checkpointLocation", checkpoint)
    )


def run_available(writer: DataStreamWriter) -> StreamingQuery:
    """Run until all that is there was read; from the checkpoint again where Python was late."""

    def run() -> StreamingQuery:
        query = writer.trigger(availableNow=True).start()
        assert query.awaitTermination(PATIENCE_S), "the query did not end"
        return query

    return despite_late_workers(run)


def numbers_in(folder: Path) -> list[int]:
    """The values that arrived, sorted, as numbers. (Without Spark: that would be much slower.)"""
    found = [pq.read_table(file, columns=["value"]) for file in folder.glob("*.parquet")]
    values: list[Any] = [value for each in found for value in each.column("value").to_pylist()]
    return sorted(int(value) for value in values)
